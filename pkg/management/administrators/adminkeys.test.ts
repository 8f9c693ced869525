import { createSecretKey } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { hashKey } from '../accesskeys/accesskey.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { tokenOf } from '../../pki/kubeconfig.js';
import { keepAdminKubeconfig, renewAdminKey } from './adminkubeconfig.js';
import { listAdminKeys, revokeAdminKey } from './adminkeylist.js';
import { AdminKeys } from './adminkeys.js';
import { adminRecordValue, readAdminRecords } from './adminrecords.js';
import { fakeAccessKeys } from './testing/accesskeys.js';

let directory: string;
let storage: Storage;
/** Keys by name. */
let objects: Map<string, string>;
const pepper = createSecretKey(Buffer.alloc(32, 7));

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'adminkeys-'));
  storage = await openEmbedded({ directory });
  objects = new Map();
});
afterEach(async () => {
  await storage.close();
  await rm(directory, { recursive: true });
});

const accessKeys = fakeAccessKeys(() => objects);
const find = (token: string) => [...objects].find(([, key]) => key === token)?.[0];
const options = (path: string) => ({
  storage,
  accessKeys,
  pepper,
  path,
  server: 'https://127.0.0.1:1',
  authority: 'PEM',
  storeId: 'a',
});
const tokenIn = async (path: string) => tokenOf(await readFile(path, 'utf8')) as string;
const hashesIn = async () => (await readAdminRecords(storage)).records.map(({ hash }) => hash);

describe("an administrator's key", () => {
  test('is repaired by the next start if a start was interrupted', async () => {
    const path = join(directory, 'admin.kubeconfig');
    const { record } = await keepAdminKubeconfig(options(path));
    // Interrupted after the object was created, and before its record was changed.
    const [[name]] = [...objects] as [[string, string]];
    const hash = hashKey(await tokenIn(path), pepper);
    const value = adminRecordValue({ hash, accessKey: name }, 5_000);
    await storage.commit([{ key: record, value, expect: 'any' }]);
    await keepAdminKubeconfig(options(path));
    expect([...objects.values()]).toEqual([await tokenIn(path)]);
    expect(objects.has(name)).toBe(false);
    // Interrupted after the record was created, and before the object was.
    objects.clear();
    await keepAdminKubeconfig(options(path));
    expect([...objects.values()]).toEqual([await tokenIn(path)]);
  });

  test('that is revoked ends on every server, and only a start creates another', async () => {
    const path = join(directory, 'admin.kubeconfig');
    const { record } = await keepAdminKubeconfig(options(path));
    const before = await tokenIn(path);
    const keys = await AdminKeys.watch(storage);
    const ended = new Promise<void>((resolve) => keys.onEnded(resolve));
    await revokeAdminKey(storage, record);
    await revokeAdminKey(storage, record);
    await ended;
    expect([keys.named(find(before) ?? ''), await listAdminKeys(storage)]).toEqual([undefined, []]);
    await renewAdminKey(storage, record);
    expect(await hashesIn()).toEqual([]);
    keys.close();
    await keepAdminKubeconfig(options(path));
    expect(await tokenIn(path)).not.toBe(before);
  });
});

test('other writes to the store revoke no key', async () => {
  const path = join(directory, 'admin.yaml');
  const { record } = await keepAdminKubeconfig(options(path));
  const name = find(await tokenIn(path)) ?? '';
  const keys = await AdminKeys.watch(storage);
  let ended = 0;
  keys.onEnded(() => (ended += 1));
  for (const key of ['registry/one', 'registry/two', 'registry/three']) {
    await storage.commit([{ key, value: Buffer.from('{}'), expect: 'absent' }]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await revokeAdminKey(storage, record);
  while (keys.named(name) !== undefined || ended === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toBe(1);
  keys.close();
});

describe('a damaged record', () => {
  const time = '2026-01-01T00:00:00Z';
  const whole = {
    hash: Buffer.alloc(32).toString('base64'),
    accessKey: 'key-x',
    created: time,
    renewed: time,
  };
  const changed = (change: object): string => JSON.stringify({ ...whole, ...change });
  const DAMAGES: readonly (readonly [string, string])[] = [
    ['no JSON', '{'],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['no hash', changed({ hash: undefined })],
    ['an empty hash', changed({ hash: '' })],
    ['no time', changed({ created: undefined })],
    ['another time', changed({ created: 'x' })],
    ['no time of use', changed({ renewed: undefined })],
    ['other types', changed({ hash: 1, created: {}, accessKey: [] })],
    ['no access key', changed({ accessKey: undefined })],
    ['no name', changed({ accessKey: 1 })],
  ];
  const damaged = 'private/adminkey/0123456789abcdef';

  test.each(DAMAGES)(
    'with %s is reported by name, gives no access, is listed and can be revoked',
    async (_what, text) => {
      const path = join(directory, 'admin.yaml');
      await keepAdminKubeconfig(options(path));
      const token = await tokenIn(path);
      await storage.commit([{ key: damaged, value: Buffer.from(text), expect: 'any' }]);
      const told: string[] = [];
      const keys = await AdminKeys.watch(storage, (key) => void told.push(key));
      expect(told).toEqual([damaged]);
      // The other keys stay.
      expect(keys.named(find(token) ?? '')?.uid).toBeDefined();
      await keepAdminKubeconfig(options(path));
      expect(await tokenIn(path)).toBe(token);
      keys.close();
      const all = await listAdminKeys(storage);
      expect(all.map(({ name }) => name)).toEqual([find(token), 'damaged-0123456789ab']);
      expect(all[1]).toMatchObject({ key: damaged, state: 'damaged', created: undefined });
      await revokeAdminKey(storage, damaged);
      expect((await listAdminKeys(storage)).map(({ name }) => name)).toEqual([find(token)]);
    },
  );

  test('invalidates its key, and the next start writes another', async () => {
    const path = join(directory, 'admin.yaml');
    const { record: own } = await keepAdminKubeconfig(options(path));
    const before = await tokenIn(path);
    const keys = await AdminKeys.watch(storage);
    const name = find(before) ?? '';
    expect(keys.named(name)).toBeDefined();
    const ended = new Promise<void>((resolve) => keys.onEnded(resolve));
    await storage.commit([{ key: own, value: Buffer.from('{'), expect: 'any' }]);
    await ended;
    expect(keys.named(name)).toBeUndefined();
    keys.close();
    expect((await keepAdminKubeconfig(options(path))).record).toBe(own);
    expect(await tokenIn(path)).not.toBe(before);
    expect((await listAdminKeys(storage)).map(({ state }) => state)).not.toContain('damaged');
  });

  test('is listed and revoked together with the damaged object of its key', async () => {
    const accessKey = 'key-x';
    const value = adminRecordValue({ hash: Buffer.alloc(32, 1), accessKey, uid: 'u' }, 0);
    for (const [key, text] of [
      [damaged, value],
      [`registry/private/accesskeys/${accessKey}`, Buffer.from('{')],
      [`registry/management.svc.example/ownedaccesskeys/${accessKey}`, Buffer.from('{')],
    ] as const)
      await storage.commit([{ key, value: text, expect: 'any' }]);
    expect(await listAdminKeys(storage)).toMatchObject([{ name: accessKey, state: 'damaged' }]);
    await revokeAdminKey(storage, damaged);
    expect(await listAdminKeys(storage)).toEqual([]);
  });
});
