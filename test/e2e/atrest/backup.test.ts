/** Backups of a server that processes writes, damaged backups, and restores into the other engine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formatKeyFile, newDataKey } from '../../../pkg/storage/encryption/keyfile.js';
import { beginRestore } from '../../../pkg/storage/backup/restore.js';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { openEtcd } from '../../../pkg/storage/etcd/open.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../fixtures/stores/etcd.js';
import { holdsText } from '../../fixtures/stores/holdstext.js';
import { compiledServer, fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const JSON_TYPE = { 'content-type': 'application/json' };
const COUNT = 30;
/** The value of the secret with that name. */
const planted = (name: string): string => `planted-${name}-${'q'.repeat(24)}`;
/** Larger than a block. */
const LARGE = 'l'.repeat(900_000);

interface Ran {
  readonly code: number | null;
  readonly output: string;
}
interface Item {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}
interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Item[];
}

const started = (args: readonly string[]) =>
  spawn(process.execPath, [compiledServer(), ...args], { env: { ...process.env, NODE_OPTIONS: '' } });

async function run(...args: string[]): Promise<Ran> {
  const child = started(args);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

async function create(server: Pick<ServerFixture, 'url'>, name: string, more = ''): Promise<number> {
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: { password: planted(name), more },
  };
  const body = JSON.stringify(object);
  return (await fetchFrom(`${server.url}${SECRETS}`, { method: 'POST', body, headers: JSON_TYPE })).status;
}

async function list(server: Pick<ServerFixture, 'url'>): Promise<List> {
  const { status, text } = await fetchFrom(`${server.url}${SECRETS}`);
  expect(status).toBe(200);
  return JSON.parse(text) as List;
}

/** The items without the fields that a restore changes. */
const comparable = (items: readonly Item[]): unknown[] =>
  items.map((item) => ({ ...item, metadata: { ...item.metadata, resourceVersion: '' } }));

describe.each(ENGINES)('a server on %s', (name, start) => {
  /** Files of backups do not depend on the engine: one is sufficient. */
  const testOfFiles = name === 'embedded' ? test : () => undefined;
  let engine: EngineServer;
  let server: ServerFixture;
  let target: EtcdFixture | undefined;
  let keys: string;
  let from: string[];
  /** Flags of the other engine. */
  let to: string[];
  let backup: string;
  let taken: List;
  const acknowledged: string[] = [];
  /** Where a server keeps what is not in etcd. */
  const beside = (): string[] =>
    target === undefined ? [] : [`--data-dir=${join(server.directory, 'other')}`];
  const openTarget = (): Promise<Storage> =>
    target === undefined
      ? openEmbedded({ directory: join(server.directory, 'other', 'store') })
      : openEtcd({ endpoints: [target.endpoint], prefix: '/management' });

  beforeAll(async () => {
    engine = await start();
    ({ server } = engine);
    keys = `--encryption-key-file=${join(server.directory, 'encryption.key')}`;
    from =
      engine.etcd === undefined
        ? [`--data-dir=${join(server.directory, 'data')}`, keys]
        : [`--etcd-servers=${engine.etcd}`, keys];
    backup = join(server.directory, 'backup');
    if (name === 'embedded' && etcdIsThere()) target = await startEtcd();
    to =
      target === undefined
        ? [`--data-dir=${join(server.directory, 'other')}`]
        : [`--etcd-servers=${target.endpoint}`];
    for (let at = 0; at < COUNT; at += 1) expect(await create(server, `before-${at}`)).toBe(201);
    expect(await create(server, 'large', LARGE)).toBe(201);
  });
  afterAll(async () => {
    await engine?.remove();
    await target?.stop();
  });

  test('is backed up while others write, at one revision, without its secrets', async () => {
    const { items } = await list(server);
    const before = items.map(({ metadata }) => metadata.name);
    let done = false;
    const load = (async () => {
      for (let at = 0; !done; at += 1) {
        const one = `load-${at}`;
        expect(await create(server, one)).toBe(201);
        acknowledged.push(one);
      }
    })();
    const { code, output } = await run('backup', 'create', backup, ...from);
    done = true;
    await load;
    expect([code, output]).toEqual([0, expect.stringMatching(/\d+ records, .* at revision \d+ are in /)]);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    taken = await list(server);
    const bytes = readFileSync(backup);
    // The storage keys of records are not encrypted.
    for (const one of before) expect(bytes.includes(`registry/core/secrets/default/${one}`)).toBe(true);
    const inside = acknowledged.map((one) => bytes.includes(`registry/core/secrets/default/${one}`));
    // The backup has one revision: it contains a prefix of the writes, without a gap.
    expect(inside).toEqual([...inside].sort((a, b) => Number(b) - Number(a)));
    expect([...before, ...acknowledged].filter((one) => holdsText(bytes, planted(one)))).toEqual([]);
    expect(holdsText(bytes, LARGE.slice(0, 40))).toBe(false);
    expect(bytes.includes(Buffer.alloc(32, 7))).toBe(false);
    // The search itself works: it finds the value in a plain text.
    const text = JSON.stringify({ a: planted('1') });
    for (const form of [text, Buffer.from(text).toString('base64'), Buffer.from(text, 'utf16le')])
      expect(holdsText(Buffer.from(form), planted('1'))).toBe(true);
  });

  testOfFiles(
    'a backup is verified, with its keys and no others',
    async () => {
      const verified = await run('backup', 'verify', backup, keys);
      expect([verified.code, verified.output]).toEqual([
        0,
        expect.stringContaining('is whole, and the keys open it'),
      ]);
      const other = join(server.directory, 'other.key');
      writeFileSync(other, formatKeyFile([newDataKey()]), { mode: 0o600 });
      const wrong = await run('backup', 'verify', backup, `--encryption-key-file=${other}`);
      expect([wrong.code, wrong.output]).toEqual([
        1,
        expect.stringMatching(/encrypted with key \w+, which is not in/),
      ]);
      const half = join(server.directory, 'half');
      writeFileSync(half, readFileSync(backup).subarray(0, 50_000));
      const cut = await run('restore', half, ...to, keys);
      expect([cut.code, cut.output]).toEqual([
        1,
        expect.stringMatching(/half is cut short: it ends at byte 50000/),
      ]);
      const refused = await run('restore', backup, ...to, `--encryption-key-file=${other}`);
      expect([refused.code, refused.output]).toEqual([
        1,
        expect.stringContaining('give the keys that it was made with'),
      ]);
      expect(refused.output.trim().split('\n')).toHaveLength(1);
    },
    60_000,
  );

  test('a store that is in use, or not empty, takes none', async () => {
    const { code, output } = await run('restore', backup, ...from);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/in use by another process|the store is not empty/),
    ]);
    expect((await list(server)).items).toHaveLength(taken.items.length);
  });

  testOfFiles('a disk that is full leaves the earlier backup', async () => {
    const earlier = readFileSync(backup);
    const limited = `trap '' XFSZ; ulimit -f 300; exec "$@"`;
    const child = spawn(
      'bash',
      ['-c', limited, 'bash', process.execPath, compiledServer(), 'backup', 'create', backup, ...from],
      { env: { ...process.env, NODE_OPTIONS: '' } },
    );
    let output = '';
    child.stderr.on('data', (text: Buffer) => (output += text.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, output]).toEqual([1, expect.stringMatching(/backup cannot be written: .*\n$/)]);
    expect(readFileSync(backup).equals(earlier)).toBe(true);
    expect(readdirSync(server.directory).filter((one) => one.includes('partial'))).toEqual([]);
  });

  test('half a restore is refused by servers, and begun again', async () => {
    const half = await openTarget();
    await beginRestore(half);
    await half.commit([
      { key: 'registry/core/secrets/default/half', value: Buffer.from('{}'), expect: 'absent' },
    ]);
    await half.close();
    const { code, output } = await run('--secure-port=0', ...to, ...beside(), keys);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^management-apiserver: .*was not finished.*\n$/),
    ]);
    const copied = await run('backup', 'create', '-', ...to, keys);
    expect([copied.code, copied.output]).toEqual([1, expect.stringContaining('was not finished')]);
    const status = await run('encryption', 'status', ...to, keys);
    expect([status.code, status.output]).toEqual([
      1,
      expect.stringMatching(/^[^\n]*was not finished[^\n]*\n$/),
    ]);
    const restored = await run('restore', backup, ...to, keys);
    expect([restored.code, restored.output]).toEqual([0, expect.stringMatching(/restored \d+ records/)]);
    const again = await run('restore', backup, ...to, keys);
    expect([again.code, again.output]).toEqual([1, expect.stringContaining('the store is not empty')]);
  });

  test('all is as it was on the other engine, and every watcher lists anew', async () => {
    const copy = started([
      '--secure-port=0',
      `--token-auth-file=${join(server.directory, 'tokens.csv')}`,
      ...to,
      keys,
      ...beside(),
      // Only the controllers that need certificates.
      `--controllers=*,-namespace-controller`,
    ]);
    try {
      let output = '';
      for (const stream of [copy.stdout, copy.stderr])
        stream.on('data', (text: Buffer) => (output += text.toString()));
      await eventually('the server', async () => output.includes('Serving on'));
      const url = /Serving on (https:\S+)/.exec(output)?.[1] ?? '';
      const other = { url };
      const now = await list(other);
      const names = new Set(now.items.map(({ metadata }) => metadata.name));
      const expected = taken.items.filter(({ metadata }) => names.has(metadata.name));
      expect(names.size).toBeGreaterThan(COUNT);
      expect(comparable(now.items)).toEqual(comparable(expected));
      const seen = Number(taken.metadata.resourceVersion);
      expect(Number(now.metadata.resourceVersion)).toBeGreaterThan(seen + 1_000_000);
      const watch = await fetchFrom(`${url}${SECRETS}?watch=1&resourceVersion=${seen}&timeoutSeconds=5`);
      expect([watch.status === 410 || watch.text.includes('"code":410'), watch.text]).toEqual([
        true,
        expect.anything(),
      ]);
      expect(await create(other, 'after')).toBe(201);
      const [first] = taken.items as [Item];
      const stale = JSON.stringify({ ...first, apiVersion: 'v1', kind: 'Secret' });
      const put = await fetchFrom(`${url}${SECRETS}/${first.metadata.name}`, {
        method: 'PUT',
        body: stale,
        headers: JSON_TYPE,
      });
      expect(put.status).toBe(409);
    } finally {
      copy.kill('SIGTERM');
      await once(copy, 'close');
    }
  });

  testOfFiles('keeps the newest of a directory', async () => {
    const directory = join(server.directory, 'backups');
    mkdirSync(directory);
    writeFileSync(join(directory, 'management-20200101T000000Z.backup'), '');
    const { code, output } = await run('backup', 'create', directory, '--retain=1', ...from);
    expect([code, output]).toEqual([0, expect.stringContaining('removed 1 that were older')]);
    const [made = '', ...more] = readdirSync(directory);
    expect(more).toEqual([]);
    expect((await run('backup', 'verify', join(directory, made), keys)).code).toBe(0);
  });

  testOfFiles(
    'tells in a metric when it was backed up',
    async () => {
      await server.restart();
      await eventually('the metric', async () => {
        const { text } = await fetchFrom(`${server.url}/metrics`);
        const at = /^management_apiserver_last_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1];
        return at !== undefined && Math.abs(Date.now() / 1000 - Number(at)) < 600;
      });
    },
    30_000,
  );

  test('is copied whole to another store', async () => {
    await server.stop();
    const place = join(server.directory, 'copied');
    const { code, output } = await run('store', 'copy', ...from, `--to-data-dir=${place}`);
    expect([code, output]).toEqual([0, expect.stringMatching(/copied \d+ records/)]);
    expect(existsSync(join(place, 'store', 'data.mdb'))).toBe(true);
    chmodSync(place, 0o700);
    const onto = from
      .filter((option) => /^--(data-dir|etcd)/.test(option))
      .map((option) => option.replace('--', '--to-'));
    symlinkSync(server.directory, join(server.directory, 'link'));
    const linked = onto.map((option) => option.replace(server.directory, join(server.directory, 'link')));
    for (const target of [onto, linked])
      expect(await run('store', 'copy', ...from, ...target)).toEqual({
        code: 1,
        output: expect.stringMatching(/^[^\n]*this is the store that is to be copied; name an empty one\n$/),
      });
    expect(await run('store', 'copy', ...from, '--to-etcd-servers=http://127.0.0.1:1')).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^[^\n]*the store cannot be opened \(etcd at http:\/\/127.0.0.1:1\)[^\n]*\n$/,
      ),
    });
    await server.restart();
  });
});
