/** Runs against a KMS plug-in on a Unix socket, and the embedded engine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startKmsPlugin, type KmsPlugin } from '../../../../test/fixtures/stubs/kmsplugin.js';
import { openEmbedded } from '../../embedded/embedded.js';
import type { Storage, StorageError, StorageFailure } from '../../interface.js';
import { configuredKeyring, kmsProvidersOf } from '../configuration.js';
import { textOfHeader } from '../envelope.js';
import { openEncrypted } from '../openencrypted.js';
import { formatServers, SERVERS_KEY } from '../serversrecord.js';
import { surveyOf } from '../survey.js';
import { CONFIRMED_MS, KmsPlugins, type SeedStore } from './plugins.js';
import { SecretRecords } from '../selection.js';

const SECRETS = new SecretRecords(['registry/core/secrets/']);

const KEY = 'registry/core/secrets/team/login';
const SEEDS = 'encryption/seeds/kms1';
const VALUE = Buffer.from('{"kind":"Secret","data":{"password":"cGxhbnRlZA=="}}');

function failureOf(step: () => unknown): StorageFailure | undefined {
  try {
    step();
  } catch (error) {
    return (error as StorageError).failure;
  }
  return undefined;
}

describe('data keys wrapped by a KMS', () => {
  let directory: string;
  let engine: Storage;
  let plugin: KmsPlugin;
  let plugins: KmsPlugins;
  let now: number;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kms-'));
    engine = await openEmbedded({ directory: join(directory, 'store') });
    plugin = await startKmsPlugin(join(directory, 'kms.sock'));
    now = 1;
    plugins = new KmsPlugins(undefined, () => now);
  });
  afterEach(async () => {
    plugin.stop();
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const provider = (writes = true) => ({ name: 'kms1', endpoint: plugin.endpoint, timeoutMs: 3_000, writes });
  const onlyRead = (): SeedStore => ({ get: (key) => engine.get(key) });
  const first = async (use = provider(), store: SeedStore = engine) => {
    const [one] = await plugins.load(use, store);
    if (one === undefined) throw new Error('there is none');
    return one;
  };

  test('are created and wrapped once for each key id, and decrypted by other servers', async () => {
    const made = await first();
    const [dataKey] = plugin.dataKeys as [Buffer];
    const stored = (await engine.get(SEEDS)).record?.value as Buffer;
    expect([stored.includes(dataKey), stored.includes(dataKey.toString('base64'))]).toEqual([false, false]);
    const encrypted = made.encrypt(VALUE, KEY);
    const other = new KmsPlugins();
    const [read] = await other.load(provider(), onlyRead());
    expect(read?.decrypt(encrypted, KEY)).toEqual(VALUE);
    expect(() => read?.decrypt(encrypted, `${KEY}2`)).toThrow();
    const { Encrypt, Decrypt } = plugin.calls;
    for (let time = 0; time < 3; time += 1) await plugins.load(provider(), engine);
    expect(plugin.calls).toMatchObject({ Encrypt, Decrypt });
    expect(Encrypt).toBe(1);
  });

  test('are created for a new key id, reused for a former one, and all decrypt', async () => {
    const before = await first();
    const encrypted = before.encrypt(VALUE, KEY);
    expect(plugin.rotate()).toBe('key-2');
    expect(await first(provider(), onlyRead())).toMatchObject({ keyName: 'kms1-new' });
    const after = await first();
    expect(after.keyName).not.toBe(before.keyName);
    expect((await first()).keyName).toBe(after.keyName);
    expect(plugin.calls.Encrypt).toBe(2);
    const all = await plugins.load(provider(), engine);
    expect(all.map((one) => one.keyName)).toEqual([after.keyName, before.keyName]);
    expect(all[1]?.decrypt(encrypted, KEY)).toEqual(VALUE);
  });

  test('are created once by two servers, and seen by a third', async () => {
    const others = [new KmsPlugins(), new KmsPlugins(), new KmsPlugins()];
    const all = await Promise.all(others.map((one) => one.load(provider(), engine)));
    expect(new Set(all.map(([one]) => one?.keyName)).size).toBe(1);
    await plugins.load(provider(), engine);
    expect(await plugins.due(engine)).toBe(false);
    plugin.rotate();
    await others[0]?.load(provider(), engine);
    expect(await plugins.due(engine)).toBe(true);
    await plugins.load(provider(), engine);
    expect(await plugins.due(engine)).toBe(false);
    now += 60_001;
    expect(await plugins.due(engine)).toBe(true);
  });

  test('stay readable while the KMS is unavailable, and are used for writes for three minutes', async () => {
    const one = await first();
    const encrypted = one.encrypt(VALUE, KEY);
    plugin.stop();
    await expect(plugins.load(provider(), engine)).rejects.toThrow(/^the KMS plug-in kms1 at unix:/);
    expect(plugins.faults).toHaveLength(1);
    now += CONFIRMED_MS - 1;
    expect(one.decrypt(one.encrypt(VALUE, KEY), KEY)).toEqual(VALUE);
    now += 2;
    expect(() => one.encrypt(VALUE, KEY)).toThrow(/no secrets are written until it answers/);
    expect(failureOf(() => one.encrypt(VALUE, KEY))).toMatchObject({
      code: 'unavailable',
      outcome: 'none',
      clients: 'cannot be written now: the KMS plug-in kms1 of the server does not answer',
    });
    expect(one.decrypt(encrypted, KEY)).toEqual(VALUE);
    await plugin.start();
    await plugins.load(provider(), engine);
    expect(plugins.faults).toEqual([]);
    expect(one.decrypt(one.encrypt(VALUE, KEY), KEY)).toEqual(VALUE);
  });

  test.each([
    ['is not healthy', (it: KmsPlugin) => (it.status.healthz = 'no\nquorum'), /is not healthy: no quorum$/],
    ['is of another version', (it: KmsPlugin) => (it.status.version = 'v1beta1'), /version "v1beta1"/],
    ['does not answer', (it: KmsPlugin) => it.stop(), /unix:/],
  ])('are not created by a KMS that %s', async (_what, spoil, text) => {
    spoil(plugin);
    await expect(plugins.load(provider(), engine)).rejects.toThrow(text);
    expect(plugins.faults[0]).toMatch(text);
    expect((await engine.get(SEEDS)).record).toBeUndefined();
    expect(await plugins.load(provider(false), engine)).toEqual([]);
  });

  test('require a provider that is only used for reads while records are encrypted with its keys', async () => {
    const one = await first();
    const used = (headers: string[]) =>
      engine.commit([
        { key: SERVERS_KEY, value: formatServers({ used: headers, servers: {} }), expect: 'any' },
      ]);
    await used([textOfHeader(one)]);
    plugin.stop();
    const other = new KmsPlugins();
    await expect(other.load(provider(false), engine)).rejects.toThrow(/kms1/);
    await used(['k8s:enc:aesgcm:v1:other:']);
    expect(await other.load(provider(false), engine)).toEqual([]);
  });

  test('whose KMS key was destroyed make only their own records unreadable, with an error', async () => {
    await first();
    plugin.rotate();
    const now2 = await first();
    plugin.destroy('key-1');
    const other = new KmsPlugins();
    expect((await other.load(provider(), engine)).map(({ keyName }) => keyName)).toEqual([now2.keyName]);
    expect(other.refused).toEqual([expect.stringMatching(/^key kms1-[0-9a-f]{16}: the KMS plug-in kms1/)]);
  });

  test('report a damaged record, and do not overwrite it', async () => {
    await engine.commit([{ key: SEEDS, value: Buffer.from('{"seeds":[{}]}'), expect: 'any' }]);
    await expect(plugins.load(provider(), engine)).rejects.toThrow(/encryption\/seeds\/kms1 .*is damaged/);
    expect((await engine.get(SEEDS)).record?.value.toString()).toBe('{"seeds":[{}]}');
  });

  test('encrypt a new store from its first record on, before other providers are asked', async () => {
    const file = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [
        {
          resources: ['secrets'],
          providers: [
            { kms: { apiVersion: 'v2', name: 'kms1', endpoint: plugin.endpoint, timeout: '1s500ms' } },
            { identity: {} },
          ],
        },
      ],
    };
    const [named] = kmsProvidersOf(file);
    expect(named).toEqual({ name: 'kms1', endpoint: plugin.endpoint, timeoutMs: 1_500, writes: true });
    expect(() => configuredKeyring(file, SECRETS).writer(KEY)?.encrypt(VALUE, KEY)).toThrow(
      /has made no key/,
    );
    const load = async (store: SeedStore) => {
      const all = await plugins.load(provider(), store);
      return configuredKeyring(file, SECRETS, [], () => all);
    };
    const store = await openEncrypted(engine, await load(onlyRead()), 'the file');
    await expect(store.storage.commit([{ key: KEY, value: VALUE, expect: 'absent' }])).rejects.toThrow(
      /no key/,
    );
    await store.begin(() => load(engine));
    expect(store.mayHoldPlaintext).toBe(false);
    await store.storage.commit([{ key: KEY, value: VALUE, expect: 'absent' }]);
    expect((await engine.get(KEY)).record?.value.toString('latin1')).toMatch(
      /^k8s:enc:kms:v2:kms1-[0-9a-f]{16}:/,
    );
    const { stale, plain, undecryptable } = await surveyOf(engine, store.keyring);
    expect([stale, plain, undecryptable]).toEqual([0, 0, []]);
  });
});
