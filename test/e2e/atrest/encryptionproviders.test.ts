/**
 * Stores that an EncryptionConfiguration encrypts, with `secretbox` and with a KMS plug-in that becomes unavailable:
 * copied files reveal no secret.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { ALL_KEYS } from '../../../pkg/storage/pages.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { holdsText } from '../../fixtures/stores/holdstext.js';
import { startKmsPlugin, type KmsPlugin } from '../../fixtures/stubs/kmsplugin.js';
import { compiledServer } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const SECRETS = '/api/v1/namespaces/default/secrets';
const RECORDS = 'registry/core/secrets/default/';
/** Records with secrets, other than records about keys. */
const ENCRYPTED =
  /^(identity\/|private\/|registry\/(private|core\/secrets|management\.svc\.example\/.*secrets)\/)/;
const BOX_SECRET = Buffer.alloc(32, 9).toString('base64');

const base64 = (text: string): string => Buffer.from(text).toString('base64');

let engine: EngineServer;
let admin: Client;
let plugin: KmsPlugin;
let directory: string;
let file: string;
const planted: string[] = [];

const box = { secretbox: { keys: [{ name: 'box', secret: BOX_SECRET }] } };
const kms = () => ({ kms: { apiVersion: 'v2', name: 'kms1', endpoint: plugin.endpoint } });
function configure(...providers: object[]): void {
  const resources = [{ resources: ['secrets', '*.management.svc.example'], providers }];
  const whole = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources };
  // The time makes each content of the file unique.
  writeFileSync(file, `# ${process.hrtime.bigint()}\n${JSON.stringify(whole)}`, { mode: 0o600 });
}
const place = (): string => `--data-dir=${join(engine.server.directory, 'data')}`;
const rawStore = (): Promise<Storage> =>
  openEmbedded({ directory: join(engine.server.directory, 'data', 'store') });

async function command(
  ...args: string[]
): Promise<{ readonly code: number | null; readonly output: string }> {
  const keys = [`--encryption-provider-config=${file}`, `--encryption-key-file=${join(directory, 'none')}`];
  const child = spawn(process.execPath, [compiledServer(), ...args, ...keys], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

async function plant(object: string): Promise<void> {
  const value = (what: string): string => {
    const text = `planted-${object}-${what}-${'q'.repeat(24)}`;
    planted.push(text);
    return text;
  };
  const bodies: [string, object][] = [
    [
      SECRETS,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: object }, data: { a: base64(value('core')) } },
    ],
    [
      `${API}/namespaces/default/sharedsecrets`,
      {
        apiVersion: 'management.svc.example/v1',
        kind: 'SharedSecret',
        metadata: { name: object },
        spec: { displayName: value('name'), data: { a: base64(value('shared')) } },
      },
    ],
    [
      `${API}/ownedaccesskeys`,
      {
        apiVersion: 'management.svc.example/v1',
        kind: 'OwnedAccessKey',
        metadata: { name: object },
        spec: { key: value('key') },
      },
    ],
  ];
  for (const [path, body] of bodies) {
    const { status, text } = await admin.send('POST', path, body);
    expect([path, status, text]).toEqual([path, 201, expect.anything()]);
  }
}

const secretOf = async (object: string): Promise<string> => {
  const { status, text } = await admin.send('GET', `${SECRETS}/${object}`);
  if (status !== 200) return `${status} ${text}`;
  return Buffer.from((JSON.parse(text) as { data: { a: string } }).data.a, 'base64').toString();
};

function leaks(
  secrets: readonly string[],
  ...more: { readonly path: string; readonly bytes: Buffer }[]
): string[] {
  const files = engine.dataDirs.flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && !one.parentPath.includes('compile-cache'))
      .map((one) => join(one.parentPath, one.name))
      .map((path) => ({ path, bytes: readFileSync(path) })),
  );
  expect(files.length).toBeGreaterThan(0);
  const all = [...files, ...more, { path: 'log', bytes: Buffer.from(engine.server.log()) }];
  expect(all.some(({ bytes }) => holdsText(bytes, '"name":"kube-system"'))).toBe(true);
  return secrets.flatMap((text) =>
    all.filter(({ bytes }) => holdsText(bytes, text)).map(({ path }) => `${text.slice(0, 24)} in ${path}`),
  );
}

/** The storage keys of records that this provider does not encrypt. */
async function others(provider: string): Promise<string[]> {
  const store = await rawStore();
  const { records } = await store.scan(ALL_KEYS);
  await store.close();
  const own = records.filter(({ key }) => ENCRYPTED.test(key));
  expect(own.length).toBeGreaterThan(5);
  return own.filter(({ value }) => !value.includes(`k8s:enc:${provider}`)).map(({ key }) => key);
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'providers-'));
  file = join(directory, 'encryption.json');
  plugin = await startKmsPlugin(join(directory, 'kms.sock'));
  configure(box);
  const keys = [`--encryption-provider-config=${file}`, `--encryption-key-file=${join(directory, 'none')}`];
  engine = await startEmbedded({ flags: keys });
  admin = client(engine.server);
  await plant('box');
});
afterAll(async () => {
  await engine?.remove();
  plugin?.stop();
  rmSync(directory, { recursive: true, force: true });
});

test('secretbox: nothing shows, and a record in the place of another is refused', async () => {
  await engine.server.stop();
  expect(await others('secretbox:v1:box:')).toEqual([]);
  expect(leaks([...planted, BOX_SECRET])).toEqual([]);
  const store = await rawStore();
  const value = (await store.get(`${RECORDS}box`)).record?.value as Buffer;
  await store.commit([{ key: `${RECORDS}moved`, value, expect: 'absent' }]);
  await store.close();
  await engine.server.restart();
  expect(await secretOf('moved')).toMatch(/^500 .*box/);
  expect(await secretOf('box')).toBe(planted[0]);
  const forced = 'ignoreStoreReadErrorWithClusterBreakingPotential=true';
  expect((await admin.send('DELETE', `${SECRETS}/moved?${forced}`)).status).toBe(200);
});

test('kms: a server that runs takes it, and all is encrypted with a key that only the plug-in opens', async () => {
  configure(kms(), box);
  const { code, output } = await command('encryption', 'migrate', place());
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/done: all is encrypted with key kms1-[0-9a-f]{16}\n/),
  ]);
  configure(kms());
  await plant('kms');
  const backup = join(directory, 'backup');
  expect(await command('backup', 'create', backup, place())).toMatchObject({ code: 0 });
  await engine.server.stop();
  expect(await others('kms:v2:kms1-')).toEqual([]);
  const keys = plugin.dataKeys.flatMap((key) => [key.toString('latin1'), key.toString('base64')]);
  expect(leaks([...planted, ...keys], { path: 'backup', bytes: readFileSync(backup) })).toEqual([]);
  await engine.server.restart();
  for (const [at, object] of ['box', 'kms'].entries()) expect(await secretOf(object)).toBe(planted[at * 4]);
});

test('kms: another key id makes another key, and what is stored is brought to it', async () => {
  plugin.rotate();
  configure(kms());
  const { code, output } = await command('encryption', 'migrate', place());
  expect([code, output]).toEqual([0, expect.stringContaining('done: all is encrypted')]);
  const { output: status } = await command('encryption', 'status', place());
  expect(status).toMatch(/^kms1-\w+ +kms +[1-9]\d* +encrypts$/m);
  expect(status).toMatch(/^kms1-\w+ +kms +0 +not needed, may go$/m);
  plugin.destroy('key-1');
  await engine.server.restart();
  expect(await secretOf('kms')).toBe(planted[4]);
});

test('kms: a plug-in that is away costs what needs it alone, and a start waits for it', async () => {
  plugin.stop();
  configure(kms());
  const health = async (path: string): Promise<string> => {
    const { status, text } = await admin.send('GET', path);
    return `${status} ${text}`;
  };
  await eventually('healthz to say so', async () => (await health('/healthz')).includes('[-]kms-providers'));
  expect(await health('/healthz/kms-providers')).toContain('the KMS plug-in kms1 at unix:');
  expect(await health('/readyz')).toBe('200 ok');
  expect(await health('/livez')).toBe('200 ok');
  expect(await secretOf('kms')).toBe(planted[4]);
  await plant('away');
  for (const args of [
    ['encryption', 'status', place()],
    ['backup', 'verify', join(directory, 'backup')],
  ]) {
    const { code, output } = await command(...args);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^management-apiserver: .*kms1 at unix:[^\n]*\n$/),
    ]);
  }
  await engine.server.stop();
  const asked = plugin.calls.Status;
  plugin.status.healthz = 'sealed';
  await plugin.start();
  const restarted = engine.server.restart();
  await eventually('a start that asks', async () => plugin.calls.Status !== asked);
  plugin.status.healthz = 'ok';
  await restarted;
  expect(engine.server.log()).toContain('it waits for the KMS plug-in');
  expect(await secretOf('away')).toBe(planted[8]);
});

test('kms: a backup is opened by the plug-in alone, and restored', async () => {
  const backup = join(directory, 'backup2');
  expect(await command('backup', 'create', backup, place())).toMatchObject({ code: 0 });
  const { code, output } = await command('backup', 'verify', backup);
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/sealed with key kms1-\w+\n[^]*the keys open it\n$/),
  ]);
  const copy = `--data-dir=${join(directory, 'copy')}`;
  expect(await command('restore', backup, copy)).toMatchObject({ code: 0 });
  const { output: status } = await command('encryption', 'status', copy);
  expect(status).toContain('All is encrypted as it would be written now.');
  // The key of another KMS.
  plugin.destroy('key-2');
  plugin.rotate();
  const other = await command('backup', 'verify', backup);
  expect([other.code, other.output]).toEqual([
    1,
    expect.stringMatching(/is encrypted with key kms1-\w+, which is not in/),
  ]);
});
