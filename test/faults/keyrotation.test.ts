/**
 * Key rotations, and the encryption of a store that was not encrypted, are killed with SIGKILL at random moments, and
 * restarted. After each kill, all records are unchanged. `KILLS` times on each engine; at the end the old keys are
 * removed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openEmbedded } from '../../pkg/storage/embedded/embedded.js';
import { hkdfAesGcm } from '../../pkg/storage/encryption/hkdfaesgcm.js';
import { formatKeyFile, newDataKey, parseKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { dataKeyring, noKeys } from '../../pkg/storage/encryption/keyring.js';
import { openEncrypted } from '../../pkg/storage/encryption/openencrypted.js';
import { formatServers, readServers, SERVERS_KEY } from '../../pkg/storage/encryption/serversrecord.js';
import { openEtcd } from '../../pkg/storage/etcd/open.js';
import { prefixEnd, type Storage } from '../../pkg/storage/interface.js';
import { etcdctl, etcdIsThere, startEtcd, type EtcdFixture } from '../fixtures/stores/etcd.js';
import { answered, runKilled, runToEnd, wasNotAnswered } from '../fixtures/servers/killedcommand.js';
import { SECRET_RECORDS } from '../../pkg/management/secretrecords.js';

const KILLS = Number(process.env.KILLS ?? 3);
const RECORDS = 600;
const SECRETS = 'registry/core/secrets/default/';
/** For each kill: a round in which the command exits before its kill does not count. */
const MAX_ROUNDS = 3;
/** The approximate duration of the command. */
const LONGEST_MS = Number(process.env.LONGEST_MS ?? 1_500);
const ALL = { start: '\u0001', end: '\u{10ffff}' };

let directory: string;
let keyFile: string;
let etcd: EtcdFixture | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rotation-'));
  keyFile = join(directory, 'encryption.key');
});
afterEach(async () => {
  rmSync(directory, { recursive: true });
  await etcd?.stop();
  etcd = undefined;
});

const keys = (): readonly Buffer[] => parseKeyFile(readFileSync(keyFile, 'utf8'));
const engine = (): Promise<Storage> =>
  etcd === undefined
    ? openEmbedded({ directory: join(directory, 'data', 'store') })
    : openEtcd({ endpoints: [etcd.endpoint], prefix: '/management' });

async function withEngine<T>(step: (opened: Storage) => Promise<T>): Promise<T> {
  const opened = await answered(engine);
  try {
    return await step(opened);
  } finally {
    await opened.close();
  }
}

/** The decrypted content of the store, read with only the keys of its servers. */
const contents = (): Promise<readonly string[]> => answered(() => withEngine(readAll));

async function readAll(opened: Storage): Promise<readonly string[]> {
  const { storage } = await openEncrypted(opened, dataKeyring(keys(), SECRET_RECORDS), 'the file');
  const { records } = await storage.scan(ALL);
  return records
    .filter(({ key }) => !key.startsWith('encryption/'))
    .map(({ key, value, undecryptable }) => `${key} ${undecryptable ?? ''} ${value.toString()}`);
}

/**
 * What an operator does after each kill: removes unneeded keys from the file. Servers that were killed are removed,
 * too.
 */
const tidy = (): Promise<void> => answered(() => withEngine(tidyKeys));

async function tidyKeys(opened: Storage): Promise<void> {
  const { revision, used } = await readServers(opened);
  if (revision !== undefined)
    await opened.commit([
      { key: SERVERS_KEY, value: formatServers({ used, servers: {} }), expect: revision },
    ]);
  const [first, ...others] = keys();
  const needed = others.filter((key) => used.includes(hkdfAesGcm(key).header.toString()));
  if (first !== undefined) writeFileSync(keyFile, formatKeyFile([first, ...needed]), { mode: 0o600 });
}

/** Runs a command, and returns its result. If it is not to be killed, the function waits for etcd first. */
function command(killAfterMs: number | undefined, ...argv: string[]): Promise<string> {
  const place = etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`];
  const flags = [`--data-dir=${join(directory, 'data')}`, `--encryption-key-file=${keyFile}`, ...place];
  const all = ['encryption', ...argv, ...flags];
  return killAfterMs === undefined ? runToEnd(...all) : runKilled(killAfterMs, ...all);
}

/** Creates secrets, which are encrypted with the key of the file, or unencrypted as by the provider `identity`. */
async function fill(how: 'encrypted' | 'plain'): Promise<void> {
  writeFileSync(keyFile, formatKeyFile([newDataKey()]), { mode: 0o600 });
  await withEngine(async (opened) => {
    const store = await openEncrypted(
      opened,
      how === 'encrypted' ? dataKeyring(keys(), SECRET_RECORDS) : noKeys,
      'the file',
    );
    await store.begin();
    for (let at = 0; at < RECORDS; at += 50)
      await store.storage.commit(
        Array.from({ length: 50 }, (_, n) => ({
          key: `${SECRETS}s-${at + n}`,
          value: Buffer.from(
            JSON.stringify({ metadata: { name: `s-${at + n}` }, data: `planted-${at + n}` }),
          ),
          expect: 'absent' as const,
        })),
      );
  });
}

/** Removes the store. */
async function empty(): Promise<void> {
  if (etcd === undefined) rmSync(join(directory, 'data'), { recursive: true });
  else etcdctl(etcd, ['del', '--prefix', '/management']);
}

/**
 * Kills the command of each round at a random moment until it was killed often enough before its end, and then runs
 * `migrate` to its end. All records must be unchanged after each round.
 *
 * @param again prepares the store for another round, after a command has completed
 */
async function killedAgainAndAgain(
  name: string,
  verbOf: (round: number) => string,
  again?: () => Promise<void>,
): Promise<void> {
  const before = await contents();
  expect(before).toHaveLength(RECORDS);
  let [round, killed, halfway] = [0, 0, 0];
  for (; killed < KILLS && round < KILLS * MAX_ROUNDS; round += 1) {
    const ended = await command(Math.random() * LONGEST_MS, verbOf(round));
    if (ended === 'SIGKILL') killed += 1;
    else if (!wasNotAnswered(ended)) {
      expect(ended).toMatch(/^0 /);
      expect(await contents()).toEqual(before);
      await again?.();
    }
    if (await withEngine(isHalfway)) halfway += 1;
    expect(await contents()).toEqual(before);
    await tidy();
    expect(await contents()).toEqual(before);
  }
  if (process.env.KILLS !== undefined)
    console.log(`${name}: ${killed} of ${round} were killed before their end, ${halfway} half-way`);
  expect(await command(undefined, 'migrate')).toContain('done: all is encrypted');
  await tidy();
  expect(keys()).toHaveLength(1);
  expect(await contents()).toEqual(before);
}

/** Whether some records are encrypted with the first key of the file, and others are not. */
async function isHalfway(opened: Storage): Promise<boolean> {
  const [first] = keys() as [Buffer];
  const header = hkdfAesGcm(first).header;
  const { records } = await opened.scan({ start: SECRETS, end: prefixEnd(SECRETS) });
  const done = records.filter(({ value }) => value.subarray(0, header.length).equals(header)).length;
  return done > 0 && done < records.length;
}
const CHOSEN: readonly (readonly [string])[] = [['embedded'], ...(etcdIsThere() ? [['etcd'] as const] : [])];

test('a rotation waits for another one that adds its key, or was killed while it did', async () => {
  await fill('encrypted');
  const draft = `${keyFile}.new`;
  writeFileSync(draft, '');
  const seconds = Date.now() / 1_000 - 57;
  utimesSync(draft, seconds, seconds);
  const ended = await command(undefined, 'rotate');
  expect(ended).toMatch(/^0 another command is adding a key[^]*\nadded key [^]*done: all is encrypted/);
  expect([keys().length, existsSync(draft)]).toEqual([2, false]);
});

const begin = async (name: string): Promise<void> => {
  etcd = name === 'etcd' ? await startEtcd() : undefined;
};

test.each(CHOSEN)(`on %s a rotation that is killed ${KILLS} times loses nothing`, async (name) => {
  await begin(name);
  await fill('encrypted');
  // Every second rotation is started by hand: with a new line in the file, and `migrate`.
  const verbOf = (round: number): string => {
    if (round % 2 === 0) return 'rotate';
    if (keys().length === 1) writeFileSync(keyFile, formatKeyFile([newDataKey(), ...keys()]));
    return 'migrate';
  };
  await killedAgainAndAgain(`rotation on ${name}`, verbOf);
});

test.each(CHOSEN)(
  `on %s the first encryption of a store that is killed ${KILLS} times loses nothing`,
  async (name) => {
    await begin(name);
    await fill('plain');
    await killedAgainAndAgain(
      `first encryption on ${name}`,
      () => 'migrate',
      async () => {
        await empty();
        await fill('plain');
      },
    );
    const { records } = await withEngine((opened) => opened.scan(ALL));
    expect(records.filter(({ value }) => value.includes('planted-'))).toEqual([]);
  },
);
