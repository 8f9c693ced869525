/** Logs of a server that processes writes, and restores to a point in time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formatKeyFile, newDataKey } from '../../../pkg/storage/encryption/keyfile.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../fixtures/stores/etcd.js';
import { holdsText } from '../../fixtures/stores/holdstext.js';
import { compiledServer, fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Long enough that a search for its middle finds it in base64 at any alignment. */
const planted = (number: number): string => `planted-${number}-${'q'.repeat(24)}`;

interface Ran {
  readonly code: number | null;
  readonly said: string;
}
interface Item {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly data: Readonly<Record<string, string>>;
}

const started = (args: readonly string[]) =>
  spawn(process.execPath, [compiledServer(), ...args], { env: { ...process.env, NODE_OPTIONS: '' } });

async function run(...args: string[]): Promise<Ran> {
  const child = started(args);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (said += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

/** The result of a command that prints one line and changes nothing. */
const refusal = (why: string): unknown => ({
  code: 1,
  said: expect.stringMatching(new RegExp(`^management-apiserver: [^\\n]*${why}[^\\n]*\\n$`)),
});

async function put(url: string, name: string, password: string): Promise<Item> {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { password } };
  const found = await fetchFrom(`${url}${SECRETS}/${name}`);
  const { status, text } = await fetchFrom(
    found.status === 404 ? `${url}${SECRETS}` : `${url}${SECRETS}/${name}`,
    { method: found.status === 404 ? 'POST' : 'PUT', body: JSON.stringify(object), headers: JSON_TYPE },
  );
  expect([status, text]).toEqual([found.status === 404 ? 201 : 200, expect.anything()]);
  return JSON.parse(text) as Item;
}

async function secretsOf(url: string): Promise<readonly Item[]> {
  const { status, text } = await fetchFrom(`${url}${SECRETS}`);
  expect(status).toBe(200);
  return (JSON.parse(text) as { readonly items: readonly Item[] }).items;
}
const passwords = (items: readonly Item[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    items.map(({ metadata, data }) => [metadata.name, Buffer.from(data.password ?? '', 'base64').toString()]),
  );

describe.each(ENGINES)('a log of a server on %s', (name, start) => {
  /** Files of logs do not depend on the engine: one is sufficient. */
  const testOfFiles = name === 'embedded' ? test : () => undefined;
  let engine: EngineServer;
  let server: ServerFixture;
  let target: EtcdFixture | undefined;
  let directory: string;
  let keys: string;
  let from: string[];
  let restores = 0;
  /** The secret that is deleted. */
  let lost: Item;
  /** A time before its deletion, and one after it. */
  const times: { there: string; gone: string } = { there: '', gone: '' };
  const at = (file: string): string => join(server.directory, file);
  const now = (): string => new Date().toISOString();
  /**
   * Expects that no backup and no segment contains a value up to this number. Names of records are not encrypted, and
   * may appear.
   */
  function expectNone(upTo: number): void {
    const files = paths().map((path) => readFileSync(path));
    expect(files.some((bytes) => holdsText(bytes, 'registry/core/secrets/default/stays'))).toBe(true);
    const values = Array.from({ length: upTo }, (_, nth) => planted(nth + 1));
    expect(values.filter((value) => files.some((bytes) => holdsText(bytes, value)))).toEqual([]);
  }
  const names = (): string[] => readdirSync(directory).sort();
  const segments = (): string[] => names().filter((one) => one.includes('.log.'));
  const paths = (): string[] => names().map((one) => join(directory, one));
  const log = (...flags: string[]): Promise<Ran> => run('backup', 'log', directory, ...flags, ...from);
  /** The flags of a new empty store of the other engine. */
  const empty = (): string[] => {
    restores += 1;
    return target === undefined
      ? [`--data-dir=${at(`new${restores}`)}`, keys]
      : [`--etcd-servers=${target.endpoint}`, `--etcd-prefix=/new${restores}`, keys];
  };

  beforeAll(async () => {
    engine = await start();
    ({ server } = engine);
    keys = `--encryption-key-file=${at('encryption.key')}`;
    from = [engine.etcd === undefined ? `--data-dir=${at('data')}` : `--etcd-servers=${engine.etcd}`, keys];
    directory = at('backups');
    mkdirSync(directory);
    if (name === 'embedded' && etcdIsThere()) target = await startEtcd();
  });
  afterAll(async () => {
    await engine?.remove();
    await target?.stop();
  });

  test('begins with a backup', async () => {
    expect(await log()).toEqual(refusal('has no backup: run backup create'));
    await put(server.url, 'stays', planted(1));
    const { code, said } = await run('backup', 'create', `${directory}/`, ...from);
    expect([code, said]).toEqual([0, expect.anything()]);
  });

  test('has what is written after it, without secrets', async () => {
    lost = await put(server.url, 'lost', planted(2));
    await put(server.url, 'stays', planted(3));
    const { code, said } = await log();
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/^\d+ changes up to revision \d+, at .*log\.000001\n$/),
    ]);
    times.there = now();
    expect((await fetchFrom(`${server.url}${SECRETS}/lost`, { method: 'DELETE' })).status).toBe(200);
    expect((await log()).code).toBe(0);
    times.gone = now();
    const last = paths().at(-1) ?? '';
    expect(statSync(last).mode & 0o777).toBe(0o600);
    expectNone(3);
  });

  test('goes on while it is followed, over a restart of the server, until it is ended', async () => {
    const child = started(['backup', 'log', directory, '--follow', '--segment-interval=1s', ...from]);
    try {
      await put(server.url, 'later', planted(4));
      const before = segments().length;
      await eventually('two segments', async () => segments().length >= before + 2);
      await server.restart();
      await put(server.url, 'later', planted(5));
      const { length } = segments();
      await eventually('a segment after it', async () => segments().length > length);
    } finally {
      child.kill('SIGTERM');
    }
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(0);
    expect(names().filter((one) => one.endsWith('.partial'))).toEqual([]);
    // A write while no process logs changes.
    await put(server.url, 'latest', planted(6));
    expect((await log()).code).toBe(0);
    expectNone(6);
    const verified = await run('backup', 'verify', directory, keys);
    expect([verified.code, verified.said]).toEqual([
      0,
      expect.stringMatching(/and the log of \d+ segments up to .*Z are whole, and the keys open them\n$/),
    ]);
  });

  testOfFiles(
    'is refused where it is not whole, and nothing is done',
    async () => {
      const [base = '', one = '', two = '', ...more] = paths();
      const other = at('other.key');
      writeFileSync(other, formatKeyFile([newDataKey()]), { mode: 0o600 });
      const half = at('half.log');
      writeFileSync(half, readFileSync(one).subarray(0, 200));
      const to = empty();
      const cases = [
        [[base, half], 'half.log is cut short'],
        [[base, two, ...more], 'is segment 2 of the log, and segment 1 is missing'],
        [[directory], 'before the oldest backup', ['--point-in-time=2020-01-01T00:00:00Z']],
        [[base, one], 'after the end of the log', ['--point-in-time=2099-01-01T00:00:00+01:00']],
        [[directory], 'must be a time in RFC 3339', ['--point-in-time=yesterday']],
        // Date.parse accepts these as March 3, and as the next day.
        [[directory], 'must be a time in RFC 3339', ['--point-in-time=2026-02-31T00:00:00Z']],
        [[directory], 'must be a time in RFC 3339', ['--point-in-time=2026-02-01T24:00:00Z']],
        [[directory], 'give the keys that it was made with', [`--encryption-key-file=${other}`]],
      ] as const;
      const ran = cases.map(async ([files, , flags = []]) => run('restore', ...files, ...to, ...flags));
      expect(await Promise.all(ran)).toEqual(cases.map(([, why]) => refusal(why)));
      restores -= 1;
    },
    120_000,
  );

  test('is restored as it was at a time: what was deleted comes back, with its uid', async () => {
    const to = empty();
    const restored = await run('restore', directory, `--point-in-time=${times.there}`, ...to);
    expect(restored).toEqual({
      code: 0,
      said: expect.stringMatching(/^restored \d+ records of .*Z, at revision \d+\n/),
    });
    const seen = (await secretsOf(server.url)).map(({ metadata }) => Number(metadata.resourceVersion));
    const copy = started([
      '--secure-port=0',
      `--token-auth-file=${at('tokens.csv')}`,
      ...to,
      ...(target === undefined ? [] : [`--data-dir=${at('copy')}`]),
      '--controllers=*,-namespace-controller',
    ]);
    try {
      let said = '';
      for (const stream of [copy.stdout, copy.stderr])
        stream.on('data', (text: Buffer) => (said += text.toString()));
      await eventually('the server', async () => said.includes('Serving on'));
      const url = /Serving on (https:\S+)/.exec(said)?.[1] ?? '';
      const items = await secretsOf(url);
      expect(passwords(items)).toEqual({ stays: planted(3), lost: planted(2) });
      expect(items.find(({ metadata }) => metadata.name === 'lost')?.metadata.uid).toBe(lost.metadata.uid);
      for (const { metadata } of items)
        expect(Number(metadata.resourceVersion)).toBeGreaterThan(Math.max(...seen) + 1_000_000);
      const watch = await fetchFrom(
        `${url}${SECRETS}?watch=1&resourceVersion=${Math.max(...seen)}&timeoutSeconds=5`,
      );
      expect(watch.status === 410 || watch.text.includes('"code":410')).toBe(true);
      await put(url, 'after', planted(7));
    } finally {
      copy.kill('SIGTERM');
      await once(copy, 'close');
    }
  });

  test.each([
    ['after the delete', () => [`--point-in-time=${times.gone}`], { stays: planted(3) }],
    ['at the end', () => [], { stays: planted(3), later: planted(5), latest: planted(6) }],
  ])('is restored as it was %s', async (_, flags, expected) => {
    const to = empty();
    expect((await run('restore', ...paths(), ...flags(), ...to)).code).toBe(0);
    const found = await run('backup', 'create', at('found'), ...to);
    expect([found.code, found.said]).toEqual([0, expect.anything()]);
    const bytes = readFileSync(at('found'));
    const has = ['stays', 'lost', 'later', 'latest'].filter((one) =>
      bytes.includes(`registry/core/secrets/default/${one}`),
    );
    expect(has).toEqual(Object.keys(expected));
  });

  testOfFiles(
    'begins anew with the next backup, and of another store not at all',
    async () => {
      const { code } = await run('backup', 'create', `${directory}/`, ...from);
      expect(code).toBe(0);
      const { said } = await log();
      // The log of the former backup ends after the new backup.
      expect(said.trim().split('\n')).toEqual([expect.anything(), expect.stringMatching(/\.log\.000001$/)]);
      const to = empty();
      expect((await run('restore', directory, ...to)).code).toBe(0);
      expect(await run('backup', 'log', directory, ...to)).toEqual(
        refusal('make a new backup with backup create'),
      );
      const lonely = at('lonely');
      mkdirSync(lonely);
      const [base = ''] = names();
      copyFileSync(join(directory, base), join(lonely, base));
      copyFileSync(join(directory, names().at(-1) ?? ''), join(lonely, segments()[0] ?? ''));
      expect(await run('restore', lonely, ...empty())).toEqual(refusal('is of the log of another backup'));
      rmSync(lonely, { recursive: true });
      const removed = await run('backup', 'create', `${directory}/`, '--retain=1', ...from);
      expect(removed.code).toBe(0);
      expect(names()).toHaveLength(1);
    },
    120_000,
  );
});
