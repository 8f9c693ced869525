import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { openDamaged } from '../../../../test/fixtures/stores/damagedstore.js';
import type { ResourceSource } from '../../../cache/interface.js';
import { openCache } from '../../../cache/cache.js';
import { cacheOf, resourceName, resourcePrefix } from '../../../registry/keys.js';
import { KEY_RECORDS } from '../keyrecord.js';
import { ORIGIN_RECORDS, originWrite } from '../originrecord.js';
import type { Write } from '../../../storage/interface.js';
import type { Identities } from '../../people/identities/interface.js';
import { KeyLifetimes } from './lifetime.js';

const KEYS = { resource: resourceName(OwnedAccessKey), prefix: resourcePrefix(OwnedAccessKey) };
const decode = (value: Buffer): Buffer => Buffer.from(value);
const SOURCES: readonly ResourceSource[] = [KEYS, KEY_RECORDS, ORIGIN_RECORDS].map(
  ({ resource, prefix }) => ({
    resource,
    prefix,
    namespaced: false,
    decode,
  }),
);

const key = (name: string, spec: object = {}): Write => ({
  key: KEYS.prefix + name,
  value: Buffer.from(JSON.stringify({ metadata: { name, uid: `uid-${name}` }, spec })),
  expect: 'absent',
});
const origin = (name: string, expires: number, keys: readonly string[] = []): Write => {
  const references = keys.map((one) => ({ name: one, uid: `uid-${one}`, hash: '' }));
  return originWrite(name, { of: `uid-${name}`, keys: references, expires }, 'absent');
};

test('a key has ended if the record of its origin is damaged; what it depends on is known', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lifetime-'));
  const records = [
    key('free', { user: 'anna' }),
    key('bound', { team: 'ops' }),
    key('damaged'),
    key('child'),
    origin('child', 5, ['free', 'bound']),
    origin('bound', 5),
    origin('damaged', 12345),
  ];
  const storage = await openDamaged(directory, records, '12345');
  const cache = await openCache(storage, SOURCES);
  try {
    const identities: Identities = { user: () => undefined, team: () => undefined };
    const lifetimes = new KeyLifetimes({
      keys: cacheOf(cache, OwnedAccessKey),
      records: cache.resource(KEY_RECORDS.resource),
      origins: cache.resource(ORIGIN_RECORDS.resource),
      lastUsed: () => 0,
      identities,
    });
    const names = ['free', 'bound', 'damaged'];
    const child = { name: 'child', uid: 'uid-child', fingerprint: '' };
    expect(lifetimes.dependenciesOf(child).sort()).toEqual([
      'ownedaccesskeys/bound',
      'ownedaccesskeys/child',
      'ownedaccesskeys/free',
      'private/accesskeys/bound',
      'private/accesskeys/child',
      'private/accesskeys/free',
      'teams/ops',
      'users/anna',
    ]);
    expect(names.map((name) => lifetimes.originEnd(name))).toEqual([undefined, 5, 0]);
    expect(names.map((accessKey) => lifetimes.credentialEnd({ accessKey }, 1))).toEqual([Infinity, 5, 0]);
  } finally {
    await cache.close();
    await storage.close();
    await rm(directory, { recursive: true });
  }
});
