/**
 * An attacker with access to files: they contain no secret, and values that the attacker writes into the store are not
 * accepted.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dataKeyName } from '../../../pkg/storage/encryption/hkdfaesgcm.js';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { openEtcd } from '../../../pkg/storage/etcd/open.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { ALL_KEYS } from '../../../pkg/storage/pages.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { TEST_DATA_KEY } from '../../fixtures/stores/encryptionkeys.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { holdsText, withoutRoom } from '../../fixtures/stores/holdstext.js';
import { compiledServer } from '../../fixtures/servers/server.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const SECRETS = '/api/v1/namespaces/default/secrets';
const SHARED = `${API}/namespaces/default/sharedsecrets`;
const MIRRORS = `${API}/namespaces/default/projectsecrets`;
const RECORDS = 'registry/core/secrets/default/';
const MERGE = { 'content-type': 'application/merge-patch+json' };

/** Public members of the server's own records: names and certificates. */
const PUBLIC =
  /^(admin-kubeconfig-|-----BEGIN CERTIFICATE|[0-9a-f]{8}-[0-9a-f]{4}-|k8s:enc:|AQAB$|\d{4}-\d\d-)/;
const PUBLIC_MEMBERS = [
  'n',
  'e',
  'kid',
  'alg',
  'use',
  'kty',
  'crv',
  'x',
  'y',
  'storeId',
  'certificate',
  'name',
];

/** The texts in a JSON value that are long enough to be secret. */
function leavesOf(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    if (PUBLIC.test(value) || PUBLIC_MEMBERS.includes(name)) return [];
    // A JSON text contains the lines of PEM one by one.
    return value.split('\n').filter((line) => line.length >= 16 && !line.startsWith('-----'));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, one]) => leavesOf(one, member));
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe.each(ENGINES)('%s', (name, start) => {
  let engine: EngineServer;
  let admin: Client;
  let policies: string;
  const planted: string[] = [];
  const plant = (what: string): string => {
    const text = `planted-${what}-${planted.length}-${'q'.repeat(24)}`;
    planted.push(text);
    return text;
  };
  const rawStore = (): Promise<Storage> =>
    engine.etcd === undefined
      ? openEmbedded({ directory: join(engine.server.directory, 'data', 'store') })
      : openEtcd({ endpoints: [engine.etcd], prefix: '/management' });

  async function must(method: string, path: string, body?: object, headers?: Record<string, string>) {
    const { status, text } = await admin.send(method, path, body, headers);
    expect([path, status < 300, text]).toEqual([path, true, expect.anything()]);
    return JSON.parse(text) as { spec: { key?: string } };
  }
  const secret = (object: string, value: string): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: object },
    data: { password: base64(value) },
  });
  const kubeconfig = (token: string): string =>
    `apiVersion: v1\nkind: Config\nusers: [{name: u, user: {token: ${token}}}]\n`;

  beforeAll(async () => {
    policies = mkdtempSync(join(tmpdir(), 'atrest-'));
    const policy = join(policies, 'policy.yaml');
    writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n');
    engine = await start({ flags: ['--v=10', '--audit-policy-file', policy] });
    admin = client(engine.server);
    for (const [path, kind] of [
      [SHARED, 'SharedSecret'],
      [MIRRORS, 'ProjectSecret'],
    ] as const) {
      const body = (): object => ({
        apiVersion: `${GROUP}/v1`,
        kind,
        metadata: { name: 'planted', annotations: { note: plant('annotation') } },
        spec: { displayName: plant('name'), data: { a: base64(plant(kind)) } },
      });
      await must('POST', path, body());
      await must('PATCH', `${path}/planted`, { spec: { data: { b: base64(plant(kind)) } } }, MERGE);
    }
    for (const one of ['a', 'b', 'gone']) await must('POST', SECRETS, secret(one, plant('secret')));
    await must('PUT', `${SECRETS}/a`, secret('a', plant('secret')));
    await must('DELETE', `${SECRETS}/gone`);
    await must('POST', SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'cluster' },
      data: { config: base64(kubeconfig(plant('kubeconfig'))) },
    });
    const key = { kind: 'OwnedAccessKey', apiVersion: `${GROUP}/v1`, metadata: { name: 'planted' } };
    const identity = { ConnectorData: base64(plant('connector')) };
    await must('POST', `${API}/ownedaccesskeys`, { ...key, spec: { key: plant('key'), identity } });
    const made = await must('POST', `${API}/ownedaccesskeys`, {
      ...key,
      metadata: { name: 'made' },
      spec: {},
    });
    planted.push(made.spec.key as string);
  });
  afterAll(async () => {
    await engine?.remove();
    rmSync(policies, { recursive: true, force: true });
  });

  /** The secret records of the server, decrypted. */
  async function internals(): Promise<string[]> {
    const store = await engine.openStore();
    const { records } = await store.scan(ALL_KEYS);
    const own = records.filter(({ key }) => /^(identity|private|registry\/private)\//.test(key));
    const texts = own.flatMap(({ value }) => {
      const text = value.toString().replace(/\n[0-9a-f]{16}$/, '');
      try {
        return leavesOf(JSON.parse(text));
      } catch {
        return leavesOf(text);
      }
    });
    await store.close();
    return texts;
  }

  function files(): { readonly path: string; readonly bytes: Buffer }[] {
    return engine.dataDirs.flatMap((directory) =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => join(file.parentPath, file.name))
        .filter((path) => !path.includes('compile-cache'))
        .map((path) => ({ path, bytes: withoutRoom(readFileSync(path)) })),
    );
  }

  test('nothing secret is in the data directory, etcd, a backup, the log or the audit log', async () => {
    const backup = join(engine.server.directory, 'backup');
    const place =
      engine.etcd === undefined
        ? `--data-dir=${join(engine.server.directory, 'data')}`
        : `--etcd-servers=${engine.etcd}`;
    const keys = `--encryption-key-file=${join(engine.server.directory, 'encryption.key')}`;
    const child = spawn(process.execPath, [compiledServer(), 'backup', 'create', backup, place, keys], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: 'ignore',
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    await engine.server.stop();
    const own = await internals();
    // The pepper, the signing keys, the CA's key, and hashes of keys.
    expect(own.length).toBeGreaterThan(8);
    const all = [
      ...files(),
      { path: 'backup', bytes: readFileSync(backup) },
      { path: 'log', bytes: Buffer.from(engine.server.log()) },
    ];
    const leaks = [...planted, ...own].flatMap((text) =>
      all.filter(({ bytes }) => holdsText(bytes, text)).map(({ path }) => `${text.slice(0, 24)} in ${path}`),
    );
    expect(leaks).toEqual([]);
    // The search itself works: it finds unencrypted text in the store and in the backup.
    for (const path of [name === 'etcd' ? '/member/' : 'data.mdb', 'backup'])
      expect(
        all.some((file) => file.path.includes(path) && holdsText(file.bytes, '"name":"kube-system"')),
      ).toBe(true);
    for (const key of [TEST_DATA_KEY]) expect(all.filter(({ bytes }) => bytes.includes(key))).toEqual([]);
  });

  test('records that were swapped, moved, cut or written plain are refused, and others served', async () => {
    const store = await rawStore();
    const valueOf = async (key: string): Promise<Buffer> => (await store.get(key)).record?.value as Buffer;
    const [a, b, shared] = await Promise.all([
      valueOf(`${RECORDS}a`),
      valueOf(`${RECORDS}b`),
      valueOf(`registry/${GROUP}/sharedsecrets/default/planted`),
    ]);
    expect(a.toString()).toContain(`:${dataKeyName(TEST_DATA_KEY)}:`);
    const plain = Buffer.from(
      JSON.stringify({ ...secret('plain', 'x'), metadata: { name: 'plain', uid: 'u' } }),
    );
    const flipped = Buffer.from(a);
    flipped[flipped.length - 20] = (flipped[flipped.length - 20] as number) ^ 1;
    const forged: Readonly<Record<string, Buffer>> = {
      a: b,
      b: a,
      kind: shared,
      copy: a,
      cut: a.subarray(0, -1),
      short: a.subarray(0, 60),
      flipped,
      plain,
      header: Buffer.concat([Buffer.from('k8s:enc:identity:v1:none:'), plain]),
    };
    for (const [object, value] of Object.entries(forged))
      await store.commit([{ key: RECORDS + object, value, expect: 'any' }]);
    await store.close();
    await engine.server.restart();
    for (const object of Object.keys(forged)) {
      const { status, text } = await admin.send('GET', `${SECRETS}/${object}`);
      expect([object, status]).toEqual([object, 500]);
      expect(planted.filter((one) => holdsText(Buffer.from(text), one))).toEqual([]);
    }
    const list = await admin.send('GET', SECRETS);
    const { items } = JSON.parse(list.text) as { items: { metadata: { name: string } }[] };
    expect([list.status, items.map(({ metadata }) => metadata.name)]).toEqual([200, ['cluster']]);
    expect((await admin.send('GET', `${SHARED}/planted`)).status).toBe(200);
    expect((await admin.send('POST', SECRETS, secret('legal', 'x'))).status).toBe(201);
  });
});
