import { beforeEach, describe, expect, test } from '@jest/globals';
import type { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { Identities } from '../../people/identities/interface.js';
import type { ResourceCache } from '../../../cache/interface.js';
import type { BindingRecord } from '../kubeconfig/bindingrecord.js';
import { BindingRights } from './bindingrights.js';
import type { People } from '../../standingrights/standing.js';
import { StandingRights } from '../../standingrights/standingrights.js';

const NOW = 1_000_000_000_000;
const place = { cluster: 'c', namespace: 'n', virtualCluster: 'v' };
const record: BindingRecord = {
  place,
  server: 'https://v',
  binding: 'b',
  written: NOW,
  end: NOW + 1_000,
  instance: { namespace: 'p', name: 'i', uid: 'i1' },
  holder: { name: 'anna', uid: 'u1', groups: [], seen: NOW },
  madeWith: { name: 'annas', uid: 'k1', fingerprint: 'f' },
};
const instanceOf = (uid: string, clusterRef: object = place): VirtualClusterInstance => ({
  kind: 'VirtualClusterInstance',
  apiVersion: '',
  metadata: { name: 'i', namespace: 'p', uid },
  spec: { clusterRef },
});

describe('a binding in a virtual cluster', () => {
  let allowed: boolean;
  let asked: unknown[];
  let kept: BindingRecord | undefined;
  let user: { uid: string; disabled: boolean } | undefined;
  let memory: VirtualClusterInstance | undefined;
  let store: VirtualClusterInstance | undefined;
  let now: number;
  let keyEnd: number;
  let rights: BindingRights;

  beforeEach(() => {
    [allowed, asked, kept, now, keyEnd] = [true, [], record, NOW, Infinity];
    user = { uid: 'u1', disabled: false };
    memory = store = instanceOf('i1');
    const identities = {
      user: () => user && { ...user, groups: ['management:user:anna'], teams: [], tokenGeneration: 0 },
      team: () => undefined,
    } as Identities;
    const people: People = { identities, accessKey: () => undefined, project: () => undefined };
    const get = () => kept && { name: 'r', revision: 7, bytes: Buffer.from(JSON.stringify(kept)) };
    const records = {
      latest: () => ({ revision: 7, get, entries: () => [get()].filter((one) => one !== undefined) }),
      subscribe: () => ({ cancel: () => undefined }),
    } as unknown as ResourceCache;
    rights = new BindingRights({
      records,
      keyObjects: () => [],
      keyEnd: ({ name }) => (name === 'annas' ? keyEnd : 0),
      rights: new StandingRights({
        people,
        now: () => now,
        others: [],
        rights: { follow: () => ({ cancel: () => undefined }) },
        authorizer: {
          authorize(who, attributes) {
            asked.push([who.name, attributes]);
            return allowed ? { allowed } : { allowed, reason: '' };
          },
        },
      }),
      instance: (_key, from) => (from === 'memory' ? memory : store),
    });
  });

  test('stays while its user may use the instance and a certificate is valid', async () => {
    expect(await rights.check('r')).toMatchObject({ holds: true, until: NOW + 1_000, revision: 7 });
    const what = { verb: 'use', resource: 'virtualclusterinstances', namespace: 'p', name: 'i' };
    expect(asked).toEqual([['anna', expect.objectContaining(what)]]);
    expect([...rights.all()]).toEqual(['r']);
    kept = undefined;
    expect(await rights.check('r')).toBeUndefined();
  });

  test.each<[string, () => void, RegExp]>([
    ['its user may not use it', () => (allowed = false), /may not use it/],
    ['its user is disabled', () => (user = { uid: 'u1', disabled: true }), /is disabled/],
    ['its user is gone', () => (user = undefined), /has been deleted/],
    ['its user is another', () => (user = { uid: 'u2', disabled: false }), /another has the name/],
    ['its access key has ended', () => (keyEnd = NOW), /access key has ended/],
    ['the certificate has ended', () => (now = NOW + 1_000), /certificate has ended/],
    ['the instance is gone', () => (memory = store = undefined), /instance is gone/],
    ['the instance is another', () => (memory = store = instanceOf('i2')), /instance is gone/],
    [
      'the instance has another virtual cluster',
      () => (memory = store = instanceOf('i1', { ...place, virtualCluster: 'w' })),
      /lies elsewhere/,
    ],
  ])('is removed when %s', async (_what, change, why) => {
    change();
    expect(await rights.check('r')).toMatchObject({ holds: false, why: expect.stringMatching(why) });
  });

  test('reads the instance from the store if the cache does not have it yet', async () => {
    memory = undefined;
    expect(await rights.check('r')).toMatchObject({ holds: true });
  });
});
