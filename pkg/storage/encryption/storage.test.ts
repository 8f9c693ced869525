import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbedded } from '../embedded/embedded.js';
import {
  DAMAGED,
  FIRST_REVISION,
  StorageError,
  type Storage,
  type StorageEvent,
  type StorageFailure,
} from '../interface.js';
import { configuredKeyring } from './configuration.js';
import { isEncrypted } from './envelope.js';
import { dataKeyName } from './hkdfaesgcm.js';
import { newDataKey } from './keyfile.js';
import type { Keyring } from './interface.js';
import { dataKeyReaders, dataKeyring, noKeys } from './keyring.js';
import { keyOfStore, openEncrypted, STATE_KEY, type EncryptedStore } from './openencrypted.js';
import { reencrypt } from './reencrypt.js';
import { reencryptAll } from './reencryptall.js';
import { SERVERS_KEY } from './serversrecord.js';
import { isUpToDate, surveyOf } from './survey.js';
import { SecretRecords } from './selection.js';

const SECRETS = new SecretRecords(['registry/core/secrets/']);

const ALL = { start: '\u0001', end: '\u{10ffff}' };
const SECRET = 'registry/core/secrets/team/one';
const OTHER = 'registry/core/secrets/team/two';
const MAP = 'registry/core/configmaps/team/map';
const [first, second] = [newDataKey(), newDataKey()];

let directory: string;
let engine: Storage;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'encrypted-'));
  engine = await openEmbedded({ directory });
});
afterEach(async () => {
  await engine.close();
  await rm(directory, { recursive: true });
});

async function begun(keyring: Keyring) {
  const store = await openEncrypted(engine, keyring, 'the file');
  await store.begin();
  return store;
}
const opened = (...keys: Buffer[]) => begun(dataKeyring(keys, SECRETS));

const needsReencryption = async ({ engine, keyring }: EncryptedStore): Promise<boolean> =>
  !(await isUpToDate(engine, keyring));
const put = (key: string, value = `{"of":"${key}"}`) => ({
  key,
  value: Buffer.from(value),
  expect: 'any' as const,
});
const raw = async (key: string): Promise<Buffer> => (await engine.get(key)).record?.value as Buffer;
const plain = async (storage: Storage, key: string): Promise<string | undefined> =>
  (await storage.get(key)).record?.value.toString();

async function failureOf(call: Promise<unknown>): Promise<StorageFailure> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof StorageError) return error.failure;
  throw new Error(`it should have failed otherwise: ${String(error)}`);
}

/** The last `count` events of the store, as a watch delivers them. */
async function eventsOf(storage: Storage, count: number): Promise<StorageEvent[]> {
  const events: StorageEvent[] = [];
  const watch = storage.watch(ALL, { after: FIRST_REVISION });
  for await (const batch of watch) {
    events.push(...batch.events);
    if (events.length >= count) break;
  }
  return events;
}

describe('an encrypted store', () => {
  test('encrypts secrets, and nothing else', async () => {
    const { storage } = await opened(first);
    await storage.commit([put(SECRET), put(MAP)]);
    expect(isEncrypted(await raw(SECRET))).toBe(true);
    expect(isEncrypted(await raw(MAP))).toBe(false);
    expect(isEncrypted(await raw(STATE_KEY))).toBe(true);
    expect(await plain(storage, SECRET)).toBe(`{"of":"${SECRET}"}`);
    const { records } = await storage.scan(ALL);
    expect(records.map(({ key, value }) => [key, value.toString()])).toContainEqual([
      SECRET,
      `{"of":"${SECRET}"}`,
    ]);
    expect((await eventsOf(storage, 3)).map(({ value }) => value?.toString())).toContain(
      `{"of":"${SECRET}"}`,
    );
    const conflict = await failureOf(storage.commit([{ ...put(SECRET), expect: 1 }]));
    expect(conflict.code === 'conflict' && conflict.current.value.toString()).toBe(`{"of":"${SECRET}"}`);
  });

  test('refuses a value that was moved to another key, and serves the others', async () => {
    const { storage } = await opened(first);
    await storage.commit([put(SECRET), put(OTHER), put(MAP)]);
    await engine.commit([{ key: OTHER, value: await raw(SECRET), expect: 'any' }]);
    const keyName = dataKeyName(first);
    expect(await failureOf(storage.get(OTHER))).toMatchObject({ code: 'undecryptable', key: OTHER, keyName });
    const { records } = await storage.scan(ALL);
    expect(records.find(({ key }) => key === OTHER)).toMatchObject({
      undecryptable: keyName,
      value: Buffer.alloc(0),
    });
    expect(records.find(({ key }) => key === SECRET)?.value.toString()).toBe(`{"of":"${SECRET}"}`);
    const events = await eventsOf(storage, 5);
    expect(events.at(-1)).toMatchObject({ key: OTHER, undecryptable: keyName });
    expect(await failureOf(storage.commit([{ ...put(OTHER), expect: 1 }]))).toMatchObject({
      code: 'undecryptable',
    });
    await storage.commit([{ key: OTHER, expect: 'any' }]);
  });

  test('opens despite a damaged record of its servers, and writes that record again', async () => {
    const { storage } = await opened(first);
    await storage.commit([put(SECRET)]);
    const value = await raw(SERVERS_KEY);
    await engine.close();
    const file = path.join(directory, 'data.mdb');
    const bytes = await readFile(file);
    for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at)) bytes[at]! ^= 1;
    await writeFile(file, bytes);
    engine = await openEmbedded({ directory });
    expect(await failureOf(engine.get(SERVERS_KEY))).toMatchObject({ keyName: DAMAGED });
    const { undecryptable, servers } = await surveyOf(engine, dataKeyring([first], SECRETS));
    expect(undecryptable).toEqual([{ key: SERVERS_KEY, keyName: DAMAGED }]);
    expect(servers).toEqual([]);
    const again = await opened(first);
    expect(await plain(again.storage, SECRET)).toBe(`{"of":"${SECRET}"}`);
    expect((await surveyOf(engine, dataKeyring([first], SECRETS))).servers).toHaveLength(1);
  });

  test('refuses unencrypted secrets that others wrote', async () => {
    const { storage } = await opened(first);
    await engine.commit([put(SECRET)]);
    expect(await failureOf(storage.get(SECRET))).toMatchObject({
      code: 'undecryptable',
      keyName: 'identity',
    });
    expect((await storage.scan(ALL)).records.find(({ key }) => key === SECRET)?.value).toEqual(
      Buffer.alloc(0),
    );
    const { undecryptable, plain, stuck, waiting } = await surveyOf(engine, dataKeyring([first], SECRETS));
    expect(undecryptable).toEqual([{ key: SECRET, keyName: 'identity' }]);
    expect([plain, stuck, waiting]).toEqual([0, [SECRET], 0]);
  });

  test('reports records that no key can decrypt', async () => {
    const { storage } = await opened(first);
    await storage.commit([put(SECRET), put(OTHER), put(MAP)]);
    await engine.commit([{ key: OTHER, value: await raw(SECRET), expect: 'any' }]);
    const swapped = { key: OTHER, keyName: dataKeyName(first) };
    expect(await surveyOf(engine, dataKeyring([first], SECRETS))).toMatchObject({
      stale: 0,
      waiting: 0,
      stuck: [],
      undecryptable: [swapped],
    });
    // The state is written last.
    expect(await surveyOf(engine, dataKeyring([second, first], SECRETS))).toMatchObject({
      stale: 3,
      waiting: 1,
      stuck: [OTHER],
      undecryptable: [swapped],
    });
  });

  test('does not open with other keys, and stays unchanged', async () => {
    await opened(first);
    const before = await engine.scan(ALL);
    const name = dataKeyName(first);
    await expect(openEncrypted(engine, dataKeyring([second], SECRETS), 'the file')).rejects.toThrow(
      `the store is encrypted with key ${name}, which is not in the file: give the keys`,
    );
    await expect(openEncrypted(engine, noKeys, 'the file')).rejects.toThrow(name);
    expect(await engine.scan(ALL)).toEqual(before);
    expect(await keyOfStore(engine)).toBe(name);
  });

  test('does not open without its state, unless it is new', async () => {
    const { storage } = await opened(first);
    await storage.commit([put(SECRET)]);
    await engine.commit([{ key: STATE_KEY, expect: 'any' }]);
    const before = await engine.scan(ALL);
    await expect(openEncrypted(engine, dataKeyring([first], SECRETS), 'the file')).rejects.toThrow(
      'the store has records, and not encryption/state',
    );
    expect(await engine.scan(ALL)).toEqual(before);
  });

  test('does not open with a damaged state', async () => {
    await opened(first);
    const value = Buffer.from(await raw(STATE_KEY));
    value[value.length - 1] = (value.at(-1) ?? 0) ^ 1;
    await engine.commit([{ key: STATE_KEY, value, expect: 'any' }]);
    await expect(openEncrypted(engine, dataKeyring([first], SECRETS), 'the file')).rejects.toThrow(
      'does not decrypt the store',
    );
  });
});

describe('unencrypted records', () => {
  test('are read until all are encrypted, and refused afterwards', async () => {
    const { storage } = await begun(noKeys);
    await storage.commit([put(SECRET), put(MAP), put('identity/cluster')]);
    expect(isEncrypted(await raw(SECRET))).toBe(false);
    const store = await opened(first);
    expect(store.mayHoldPlaintext).toBe(true);
    expect(await plain(store.storage, SECRET)).toBe(`{"of":"${SECRET}"}`);
    expect(await needsReencryption(store)).toBe(true);
    expect(await reencrypt(store)).toMatchObject({ written: 2, undecryptable: [] });
    expect(isEncrypted(await raw(SECRET))).toBe(true);
    expect(isEncrypted(await raw(MAP))).toBe(false);
    expect(await reencrypt(store)).toMatchObject({ written: 0 });
    await store.refusePlaintext();
    const again = await opened(first);
    expect(again.mayHoldPlaintext).toBe(false);
    expect(await plain(again.storage, SECRET)).toBe(`{"of":"${SECRET}"}`);
    await engine.commit([put(OTHER)]);
    expect(await failureOf(again.storage.get(OTHER))).toMatchObject({ keyName: 'identity' });
  });

  test('of another key are encrypted with the first one, the state last', async () => {
    const { storage } = await opened(first);
    for (let at = 0; at < 450; at += 50)
      await storage.commit(Array.from({ length: 50 }, (_, n) => put(`${SECRET}-${at + n}`)));
    const rotated = await opened(second, first);
    expect(await needsReencryption(rotated)).toBe(true);
    const stop = new AbortController();
    await reencrypt(rotated, { signal: stop.signal, progress: () => stop.abort() });
    expect(await needsReencryption(rotated)).toBe(true);
    await expect(openEncrypted(engine, dataKeyring([second], SECRETS), 'the file')).rejects.toThrow(
      dataKeyName(first),
    );
    const both = await Promise.all([reencrypt(rotated), reencrypt(await opened(second, first))]);
    expect(both[0].written + both[1].written).toBeGreaterThan(200);
    // All records are written, but the former key stays in use until its removal is recorded.
    await expect(openEncrypted(engine, dataKeyring([second], SECRETS), 'the file')).rejects.toThrow(
      dataKeyName(first),
    );
    expect(await reencryptAll(rotated)).toMatchObject({ written: 0, complete: true });
    expect(await needsReencryption(rotated)).toBe(false);
    const alone = await opened(second);
    const { records } = await alone.storage.scan(ALL);
    expect(records.filter(({ undecryptable }) => undecryptable !== undefined)).toEqual([]);
    expect(records).toHaveLength(452);
  });

  test('that cannot be decrypted are kept and reported', async () => {
    const { storage } = await opened(first);
    await storage.commit([put(SECRET), put(OTHER)]);
    await engine.commit([{ key: OTHER, value: await raw(SECRET), expect: 'any' }]);
    const rotated = await opened(second, first);
    expect(await reencrypt(rotated)).toMatchObject({ written: 1, undecryptable: [OTHER] });
    expect(await needsReencryption(rotated)).toBe(true);
    expect(await raw(OTHER)).toBeDefined();
  });
});

test('re-encryption waits for a write that was in flight when the key changed', async () => {
  const capabilities = { ...engine.capabilities, shared: true };
  let arrives: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (arrives = resolve));
  const slow: Storage = {
    ...engine,
    capabilities,
    commit: async (writes, guards) => {
      if (writes.some(({ key }) => key === SECRET)) await held;
      return engine.commit(writes, guards);
    },
  };
  const [one, two] = await Promise.all(
    [{ ...engine, capabilities }, slow].map(async (shared) => {
      const store = await openEncrypted(shared, dataKeyring([first], SECRETS), 'the file');
      await store.begin();
      return store;
    }),
  );
  const late = two?.storage.commit([put(SECRET)]);
  for (const store of [one, two]) store?.keyring.replace(dataKeyring([second, first], SECRETS));
  for (const store of [one, two, one, two, one]) await store?.membership.renew();
  if (one === undefined) throw new Error('no store');
  expect([one.membership.agreed, one.membership.hasOld]).toEqual([true, true]);
  await reencrypt(one);
  const done = reencryptAll(one);
  setTimeout(() => arrives?.(), 500);
  await late;
  expect(await done).toMatchObject({ written: 1, complete: true });
  expect((await raw(SECRET)).toString('latin1')).toContain(`:${dataKeyName(second)}:`);
});

describe('changed encryption rules', () => {
  const provider = { aesgcm: { keys: [{ name: 'key1', secret: Buffer.alloc(32, 7).toString('base64') }] } };
  const withRules = async (...resources: readonly string[][]) => {
    const configuration = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: resources.map((names) => ({ resources: names, providers: [provider] })),
    };
    const keyring = configuredKeyring(configuration, SECRETS, dataKeyReaders([first]));
    const store = await openEncrypted(engine, keyring, 'the file');
    await store.begin();
    return store;
  };
  const isPlain = async (key: string): Promise<boolean> => !isEncrypted(await raw(key));

  test('keep stored records readable, and start a pass over them', async () => {
    const before = await opened(first);
    await before.storage.commit([put(SECRET), put(MAP)]);

    const secrets = await withRules(['secrets']);
    expect(await needsReencryption(secrets)).toBe(true);
    expect((await reencryptAll(secrets)).complete).toBe(true);
    expect([await isPlain(MAP), await needsReencryption(secrets)]).toEqual([true, false]);

    // With a key that is already in use.
    const all = await withRules(['secrets'], ['*.*']);
    expect(await plain(all.storage, MAP)).toContain(MAP);
    expect(await needsReencryption(all)).toBe(true);
    expect((await reencryptAll(all)).complete).toBe(true);
    expect([await isPlain(MAP), await needsReencryption(all)]).toEqual([false, false]);
    expect(await plain(all.storage, MAP)).toContain(MAP);
  });
});
