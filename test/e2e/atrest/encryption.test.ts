/** Encryption at rest: the content of the store, records that cannot be decrypted, and the file of keys. */
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dataKeyName } from '../../../pkg/storage/encryption/hkdfaesgcm.js';
import { formatKeyFile, newDataKey } from '../../../pkg/storage/encryption/keyfile.js';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { TEST_DATA_KEY } from '../../fixtures/stores/encryptionkeys.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import {
  ADMIN_TOKEN,
  compiledServer,
  fetchFrom,
  VIEWER_TOKEN,
  type Answer,
} from '../../fixtures/servers/server.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const RECORDS = 'registry/core/secrets/default/';
const IGNORE = 'ignoreStoreReadErrorWithClusterBreakingPotential=true';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('records that cannot be decrypted', () => {
  let engine: EngineServer;

  const send = (method: string, path: string, body?: object, token = ADMIN_TOKEN): Promise<Answer> =>
    fetchFrom(`${engine.server.url}${path}`, {
      method,
      token,
      ...(body !== undefined && { body: JSON.stringify(body), headers: JSON_TYPE }),
    });
  const rawStore = (): Promise<Storage> =>
    openEmbedded({ directory: join(engine.server.directory, 'data', 'store') });
  const secret = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: { password: `planted-${name}` },
  });
  const names = (answer: Answer): string[] =>
    (JSON.parse(answer.text) as { items: { metadata: { name: string } }[] }).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith('at-rest-'));

  beforeAll(async () => {
    engine = await startEmbedded();
    for (const name of ['at-rest-a', 'at-rest-b', 'at-rest-c'])
      expect((await send('POST', SECRETS, secret(name))).status).toBe(201);
    const access = [
      [
        'clusterroles',
        { kind: 'ClusterRole', rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }] },
      ],
      [
        'clusterrolebindings',
        {
          kind: 'ClusterRoleBinding',
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'secret-deleter' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
        },
      ],
    ] as const;
    for (const [plural, object] of access) {
      const rules =
        'rules' in object ? { rules: [{ ...object.rules[0], verbs: ['get', 'list', 'delete'] }] } : {};
      const body = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        ...object,
        ...rules,
        metadata: { name: 'secret-deleter' },
      };
      expect((await send('POST', `/apis/rbac.authorization.k8s.io/v1/${plural}`, body)).status).toBe(201);
    }
    await engine.server.stop();
    const store = await rawStore();
    const value = async (name: string): Promise<Buffer> =>
      (await store.get(RECORDS + name)).record?.value as Buffer;
    const a = await value('at-rest-a');
    expect(a.toString()).toMatch(new RegExp(`^k8s:enc:hkdf-aesgcm:v1:${dataKeyName(TEST_DATA_KEY)}:`));
    expect(a.includes('planted')).toBe(false);
    // The encrypted value of another user's Secret, under a name that the attacker may read.
    await store.commit([{ key: `${RECORDS}at-rest-b`, value: a, expect: 'any' }]);
    await store.close();
    await engine.server.restart();
  });
  afterAll(() => engine?.remove());

  const keyName = dataKeyName(TEST_DATA_KEY);

  test('are a 500 that names the key, and delay no other request', async () => {
    const moved = await send('GET', `${SECRETS}/at-rest-b`);
    expect([moved.status, moved.text]).toEqual([500, expect.stringContaining(keyName) as unknown]);
    expect(moved.text).not.toContain(Buffer.from('planted-at-rest-a').toString('base64'));
    for (const method of ['PUT', 'PATCH'])
      expect(
        (await send(method, `${SECRETS}/at-rest-b`, method === 'PUT' ? secret('at-rest-b') : {})).status,
      ).not.toBe(200);
    expect((await send('POST', SECRETS, secret('at-rest-b'))).status).toBe(409);
    const list = await send('GET', SECRETS);
    expect([list.status, names(list)]).toEqual([200, ['at-rest-a', 'at-rest-c']]);
    expect(list.headers.warning).toContain('1 of the secrets cannot be read and is left out');
    expect((await send('GET', '/api/v1/namespaces/kube-system/secrets')).headers.warning).toBeUndefined();
    const watch = await send('GET', `${SECRETS}?watch=1&timeoutSeconds=1`);
    expect([watch.status, watch.headers.warning]).toEqual([
      200,
      expect.stringContaining('left out') as unknown,
    ]);
    expect(watch.text).toContain('at-rest-c');
    expect((await send('GET', '/readyz')).status).toBe(200);
  });

  test('are deleted by users with the right, with an explicit option', async () => {
    const path = `${SECRETS}/at-rest-b`;
    expect((await send('DELETE', path)).status).toBe(500);
    expect((await send('DELETE', `${path}?${IGNORE}`, undefined, VIEWER_TOKEN)).status).toBe(403);
    expect((await send('GET', path)).status).toBe(500);
    expect((await send('DELETE', `${path}?${IGNORE}`)).status).toBe(200);
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('GET', SECRETS)).headers.warning).toBeUndefined();
    expect((await send('POST', SECRETS, secret('at-rest-b'))).status).toBe(201);
    expect((await send('DELETE', `${path}?${IGNORE}`, undefined, VIEWER_TOKEN)).status).toBe(200);
  });

  test('do not let the server start with another key, none, or half of one, and stay unchanged', async () => {
    await engine.server.stop();
    const file = join(engine.server.directory, 'encryption.key');
    const right = readFileSync(file, 'utf8');
    const before = await contents();
    const refused = async (said: string): Promise<void> => {
      await expect(engine.server.restart()).rejects.toThrow(said);
      expect(await contents()).toEqual(before);
    };
    writeFileSync(file, formatKeyFile([newDataKey()]));
    await refused(
      `the store is encrypted with key ${keyName}, which is not in --encryption-key-file ${file}`,
    );
    writeFileSync(file, right);
    truncateSync(file, right.length - 20);
    await refused(`--encryption-key-file ${file}: line 3 is no key`);
    rmSync(file);
    await refused(
      `--encryption-key-file ${file}: there is no such file, and the store is encrypted with key ${keyName}`,
    );
    expect(() => statSync(file)).toThrow();
    writeFileSync(file, right, { mode: 0o644 });
    chmodSync(file, 0o644);
    await refused(`--encryption-key-file ${file}: other users may read or write it (mode 0644)`);
    chmodSync(file, 0o600);
    await engine.server.restart();
    const kept = JSON.parse((await send('GET', `${SECRETS}/at-rest-a`)).text) as {
      data: { password: string };
    };
    expect(Buffer.from(kept.data.password, 'base64').toString()).toBe('planted-at-rest-a');
  });

  async function contents(): Promise<string[]> {
    const store = await rawStore();
    const { records } = await store.scan({ start: '\u0001', end: '\u{10ffff}' });
    await store.close();
    return records.map(({ key, value, revision }) => `${key} ${revision} ${value.toString('base64')}`);
  }
});

describe('the file of keys', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'key-file-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Runs a server until it serves, or exits. Returns its output. */
  async function run(config: string, ...flags: string[]): Promise<string> {
    const args = [compiledServer(), '--secure-port=0', `--data-dir=${join(directory, 'data')}`, ...flags];
    const env = { ...process.env, NODE_OPTIONS: '', XDG_CONFIG_HOME: config };
    const child = spawn(process.execPath, args, { env });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const closed = once(child, 'close');
    await Promise.race([once(child.stdout, 'data'), closed]);
    child.kill('SIGTERM');
    await closed;
    return said;
  }

  test('is made apart from the data, for this user alone, and told once', async () => {
    const config = join(directory, 'config');
    const file = join(config, 'management-apiserver', 'encryption.key');
    expect(await run(config)).toContain(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(config, 'management-apiserver'))).toEqual(['encryption.key']);
    const text = readFileSync(file, 'utf8');
    const again = await run(config);
    expect(again).toContain('"ready"');
    expect(again).not.toContain(file);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const gone = join(directory, 'gone');
    expect(await run(gone)).toContain(
      `--encryption-key-file ${join(gone, 'management-apiserver', 'encryption.key')}: there is no such file`,
    );
    expect(() => statSync(gone)).toThrow();
  });

  test('is not made in the data directory: where there is no other place, the flag is asked for', async () => {
    // No directory can be created below a file.
    const config = join(directory, 'file');
    writeFileSync(config, '');
    expect(await run(config)).toContain('name with --encryption-key-file a file that can be made');
    const file = join(directory, 'data', 'encryption.key');
    expect(() => statSync(file)).toThrow();
    // An existing file is read.
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    expect(await run(join(directory, 'other'))).toContain('"ready"');
    expect(() => statSync(join(directory, 'other'))).toThrow();
  });
});
