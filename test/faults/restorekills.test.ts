/**
 * Restores and copies are killed with SIGKILL at random moments, and restarted. Servers refuse an incomplete store, and
 * at the end all records are there. `KILLS` times on each engine.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { refuseUnfinished, UnfinishedRestore } from '../../pkg/storage/unfinished.js';
import { openEmbedded } from '../../pkg/storage/embedded/embedded.js';
import { formatKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { openEtcd } from '../../pkg/storage/etcd/open.js';
import type { Storage } from '../../pkg/storage/interface.js';
import { ALL_KEYS } from '../../pkg/storage/pages.js';
import { openTestStore, TEST_DATA_KEY } from '../fixtures/stores/encryptionkeys.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../fixtures/stores/etcd.js';
import { answered, runKilled, runToEnd, wasNotAnswered } from '../fixtures/servers/killedcommand.js';

const KILLS = Number(process.env.KILLS ?? 3);
const RECORDS = 3_000;
/** The approximate duration of the command. */
const LONGEST_MS = Number(process.env.LONGEST_MS ?? 1_500);

let directory: string;
let keys: string;
let before: ReadonlyMap<string, string>;

const contents = async (engine: Pick<Storage, 'scan'>): Promise<ReadonlyMap<string, string>> => {
  const { records } = await engine.scan(ALL_KEYS);
  const all = records.filter(({ key }) => key !== 'encryption/servers');
  return new Map(all.map(({ key, value }) => [key, value.toString('latin1')]));
};

async function stateOf(engine: Storage): Promise<'finished' | 'unfinished'> {
  try {
    await refuseUnfinished(engine);
    return 'finished';
  } catch (error) {
    if (error instanceof UnfinishedRestore) return 'unfinished';
    throw error;
  }
}

/** Runs a command, and returns its result. If it is not to be killed, the function waits for etcd first. */
const command = (killAfterMs: number | undefined, ...argv: string[]): Promise<string> =>
  killAfterMs === undefined ? runToEnd(...argv, keys) : runKilled(killAfterMs, ...argv, keys);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'restorekills-'));
  const keyFile = join(directory, 'encryption.key');
  writeFileSync(keyFile, formatKeyFile([TEST_DATA_KEY]), { mode: 0o600 });
  keys = `--encryption-key-file=${keyFile}`;
  const engine = await openEmbedded({ directory: join(directory, 'data', 'store') });
  const store = await openTestStore(engine);
  await store.begin();
  for (let at = 0; at < RECORDS; at += 50)
    await store.storage.commit(
      Array.from({ length: 50 }, (_, n) => ({
        key: `registry/core/secrets/default/s-${at + n}`,
        value: Buffer.from(JSON.stringify({ metadata: { name: `s-${at + n}` }, data: 'd'.repeat(500) })),
        expect: 'absent' as const,
      })),
    );
  before = await contents(engine);
  await store.storage.close();
  expect(
    await command(undefined, 'backup', 'create', join(directory, 'backup'), `--data-dir=${directory}/data`),
  ).toMatch(/^0 /);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each([['embedded'], ...(etcdIsThere() ? [['etcd']] : [])])('on %s', (name) => {
  test(`a restore that is killed ${KILLS} times leaves a store that is refused until it is whole`, async () => {
    const etcd: EtcdFixture | undefined = name === 'etcd' ? await startEtcd() : undefined;
    const target = join(directory, `target-${name}`);
    // A target in which the restore had not started is used for the next round, too.
    let [killed, unfinished, used] = [0, 0, 0];
    try {
      for (let round = 0; round <= KILLS; round += 1) {
        const prefix = `/place${used}`;
        const [place, to] =
          etcd === undefined
            ? [[`--data-dir=${target}`], [`--to-data-dir=${target}`]]
            : [
                [`--etcd-servers=${etcd.endpoint}`, `--etcd-prefix=${prefix}`],
                [`--to-etcd-servers=${etcd.endpoint}`, `--to-etcd-prefix=${prefix}`],
              ];
        const copies = round % 2 === 1;
        const argv = copies
          ? ['store', 'copy', `--data-dir=${directory}/data`, ...to]
          : ['restore', join(directory, 'backup'), ...place];
        const ended = await command(round === KILLS ? undefined : Math.random() * LONGEST_MS, ...argv);
        if (ended === 'SIGKILL') killed += 1;
        else if (!wasNotAnswered(ended)) expect(ended).toMatch(/^0 /);
        const open = (): Promise<Storage> =>
          etcd === undefined
            ? openEmbedded({ directory: join(target, 'store') })
            : answered(() => openEtcd({ endpoints: [etcd.endpoint], prefix }));
        const engine = await open();
        const state = await answered(() => stateOf(engine));
        const found = await answered(() => contents(engine));
        await engine.close();
        // There is no other state: the restore has not started, is incomplete and refused, or is complete.
        if (state === 'unfinished') unfinished += 1;
        else if (found.size > 0) expect(found).toEqual(before);
        if (round === KILLS) expect(found.size).toBeGreaterThan(0);
        if (state === 'unfinished') {
          expect(await command(undefined, ...argv)).toMatch(/^0 /);
          const again = await open();
          expect(await answered(() => contents(again))).toEqual(before);
          await again.close();
        }
        if (state === 'finished' && found.size === 0) continue;
        used += 1;
        rmSync(target, { recursive: true, force: true });
      }
      if (process.env.KILLS !== undefined)
        console.log(`${name}: ${killed} of ${KILLS} were killed before their end, ${unfinished} half-way`);
    } finally {
      await etcd?.stop();
    }
  });
});
