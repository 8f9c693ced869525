import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { eventually } from '../../../../test/fixtures/wait.js';
import { openCache } from '../../../cache/cache.js';
import type { Cache, ResourceCache } from '../../../cache/interface.js';
import { cacheOf, resourceName, resourcePrefix } from '../../../registry/keys.js';
import type { Storage } from '../../../storage/interface.js';
import { KeyLifetimes } from '../../accesskeys/authentication/lifetime.js';
import { KEY_RECORDS } from '../../accesskeys/keyrecord.js';
import { ORIGIN_RECORDS, originWrite } from '../../accesskeys/originrecord.js';
import type { Identities } from '../../people/identities/interface.js';
import { openEmbedded } from '../../../storage/embedded/embedded.js';
import type { People } from '../../standingrights/standing.js';
import { BINDING_RECORDS, bindingRecordName, readBindingRecord } from '../kubeconfig/bindingrecord.js';
import type { RecordedBinding } from '../../services.js';
import { bindingRecorder, MAX_BINDINGS, virtualClusterBindingsOf } from './bindings.js';

const NOBODY: Identities = { user: () => undefined, team: () => undefined };
const PEOPLE: People = { identities: NOBODY, accessKey: () => undefined, project: () => undefined };
const KINDS = [OwnedAccessKey, Project, Team, User, VirtualClusterInstance];
const SOURCES = [
  ...[BINDING_RECORDS, KEY_RECORDS, ORIGIN_RECORDS].map((records) => ({ ...records, namespaced: false })),
  ...KINDS.map((kind) => ({
    resource: resourceName(kind),
    prefix: resourcePrefix(kind),
    namespaced: kind.namespaced,
  })),
];
const place = { cluster: 'c', namespace: 'n', virtualCluster: 'v' };

describe('the bindings of users in virtual clusters', () => {
  let directory: string;
  let storage: Storage;
  let cache: Cache;
  let records: ResourceCache;
  let record: (user: string, key: string, more?: object) => Promise<RecordedBinding>;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'bindings-'));
    storage = await openEmbedded({ directory });
    const decode = (value: Buffer): Buffer => Buffer.from(value);
    cache = await openCache(
      storage,
      SOURCES.map((source) => ({ ...source, decode })),
    );
    records = cache.resource(BINDING_RECORDS.resource);
    const recorder = bindingRecorder(storage, PEOPLE, records);
    record = (user, key, more = {}) =>
      recorder(
        { name: user, uid: '', groups: [], extra: {} },
        {
          server: 'https://v',
          written: 1,
          place,
          instance: { namespace: 'p', name: 'i', uid: 'i1' },
          madeWith: { name: key, uid: key, fingerprint: 'f' },
          ...more,
        },
      );
  });
  afterEach(async () => {
    await cache.close();
    await storage.close();
    await rm(directory, { recursive: true });
  });
  const known = (count: number): Promise<unknown> =>
    eventually('the records are known', async () => [...records.latest().entries('')].length === count);

  test('are limited in number, however many keys come and go', async () => {
    for (let count = 0; count < MAX_BINDINGS; count += 1) await record('anna', `key-${count}`);
    await known(MAX_BINDINGS);
    await expect(record('anna', 'another')).rejects.toMatchObject({ code: 403 });
    expect((await record('ben', 'key-0')).inside).toMatchObject({ name: 'management:user:ben' });
    // Nor does it keep the user from renewals and from other virtual clusters, or for long where there is no certificate.
    await record('anna', 'another', { place: { ...place, virtualCluster: 'w' } });
    const renewed = await record('anna', 'key-0');
    await expect(record('anna', 'another', { written: 60_000 })).rejects.toMatchObject({ code: 403 });
    await renewed.issued(86_400_000);
    await record('anna', 'another', { written: 60_001 });
    await eventually('the record says when the certificate expires', async () => {
      const found = records.latest().get(bindingRecordName(place, renewed.inside.binding));
      return found !== undefined && readBindingRecord(found.bytes).end === 86_400_000;
    });
  });

  test('are checked again when a key is rotated, or one that it was made with', async () => {
    const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
    const rotate = async (name: string, hash: string): Promise<void> =>
      void (await storage.commit([{ key: KEY_RECORDS.prefix + name, value: json({ hash }), expect: 'any' }]));
    const child = { metadata: { name: 'child', uid: 'child' }, spec: { user: 'anna' } };
    const keys = [{ name: 'maker', uid: 'maker', hash: 'AA==' }];
    await storage.commit([
      { key: `${resourcePrefix(OwnedAccessKey)}child`, value: json(child), expect: 'absent' },
      originWrite('child', { of: 'child', keys }, 'absent'),
    ]);
    for (const name of ['child', 'maker', 'other']) await rotate(name, 'AA==');
    await record('anna', 'child');
    await known(1);
    const bindings = virtualClusterBindingsOf(
      {
        storage,
        registry: { cache, stores: [] },
        clusters: {
          connect: () => Promise.reject(new Error()),
          connectBy: () => Promise.reject(new Error()),
        },
        accessKeys: {
          lifetimes: new KeyLifetimes({
            keys: cacheOf(cache, OwnedAccessKey),
            records: cache.resource(KEY_RECORDS.resource),
            origins: cache.resource(ORIGIN_RECORDS.resource),
            lastUsed: () => 0,
            identities: NOBODY,
          }),
        },
        authorizer: { authorize: () => ({ allowed: true }) },
        identities: NOBODY,
        visibility: { rights: { follow: () => ({ cancel: () => undefined }) } },
      },
      'p-',
    );
    const [binding = ''] = bindings.all();
    await bindings.check(binding);
    const told: string[] = [];
    bindings.follow((one) => told.push(one));
    await rotate('other', 'AQ==');
    for (const [count, name] of ['child', 'maker'].entries()) {
      await rotate(name, 'AQ==');
      await eventually(`the rotation of ${name} is noticed`, async () => told.length > count);
      expect(told).toEqual(Array.from({ length: count + 1 }, () => binding));
    }
  });
});
