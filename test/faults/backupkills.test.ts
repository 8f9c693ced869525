/**
 * Backups are killed with SIGKILL at random moments: a backup file is complete or does not exist, and the store is
 * unchanged. `KILLS` times on each engine.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbedded } from '../../pkg/storage/embedded/embedded.js';
import { formatKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { openEtcd } from '../../pkg/storage/etcd/open.js';
import type { Storage } from '../../pkg/storage/interface.js';
import { ALL_KEYS } from '../../pkg/storage/pages.js';
import { openTestStore, TEST_DATA_KEY } from '../fixtures/stores/encryptionkeys.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../fixtures/stores/etcd.js';
import { answered, runKilled, runToEnd, wasNotAnswered } from '../fixtures/servers/killedcommand.js';

const KILLS = Number(process.env.KILLS ?? 3);
const LAST_BACKUP = 'backup/last';
const RECORDS = 3_000;
/** The approximate duration of the command. */
const LONGEST_MS = Number(process.env.LONGEST_MS ?? 1_500);

let directory: string;
let keys: string;
let etcd: EtcdFixture | undefined;
const at = (name: string): string => join(directory, name);
function command(killAfterMs: number | undefined, ...argv: string[]): Promise<string> {
  const place = etcd === undefined ? `--data-dir=${at('data')}` : `--etcd-servers=${etcd.endpoint}`;
  const all = [...argv, place, keys];
  return killAfterMs === undefined ? runToEnd(...all) : runKilled(killAfterMs, ...all);
}
function opened(): Promise<Storage> {
  if (etcd === undefined) return openEmbedded({ directory: at('data/store') });
  const options = { endpoints: [etcd.endpoint], prefix: '/management' };
  return answered(() => openEtcd(options));
}

/** All records of the store, on etcd including the time of the last backup. */
async function contents(): Promise<readonly string[]> {
  const engine = await opened();
  const { records } = await answered(() => engine.scan(ALL_KEYS));
  await engine.close();
  return records
    .filter(({ key }) => key !== LAST_BACKUP)
    .map(({ key, value, revision }) => `${key} ${revision} ${value.toString('latin1')}`);
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'backupkills-'));
  writeFileSync(at('encryption.key'), formatKeyFile([TEST_DATA_KEY]), { mode: 0o600 });
  keys = `--encryption-key-file=${at('encryption.key')}`;
});
afterEach(async () => {
  await etcd?.stop();
  etcd = undefined;
  rmSync(directory, { recursive: true, force: true });
});

async function fill(): Promise<void> {
  const engine = await opened();
  const store = await openTestStore(engine);
  await store.begin();
  for (let first = 0; first < RECORDS; first += 50)
    await store.storage.commit(
      Array.from({ length: 50 }, (_, n) => ({
        key: `registry/core/secrets/default/s-${first + n}`,
        value: Buffer.from(JSON.stringify({ data: 'd'.repeat(500) })),
        expect: 'absent' as const,
      })),
    );
  await store.storage.close();
}

describe.each([['embedded'], ...(etcdIsThere() ? [['etcd']] : [])])('on %s', (name) => {
  test(`backups that are killed ${KILLS} times are whole or not there`, async () => {
    etcd = name === 'etcd' ? await startEtcd() : undefined;
    await fill();
    const before = await contents();
    let [killed, whole] = [0, 0];
    for (let round = 0; round < KILLS; round += 1) {
      const file = at(`backup-${round}`);
      const ended = await command(Math.random() * LONGEST_MS, 'backup', 'create', file);
      if (ended === 'SIGKILL') killed += 1;
      else if (!wasNotAnswered(ended)) expect(ended).toMatch(/^0 /);
      if (existsSync(file)) {
        whole += 1;
        expect(await runKilled(undefined, 'backup', 'verify', file, keys)).toMatch(/^0 /);
      } else expect(ended).toMatch(/^(SIGKILL$|1 )/);
    }
    if (process.env.KILLS !== undefined)
      console.log(`${name}: ${killed} of ${KILLS} were killed before their end, ${whole} backups are whole`);
    const after = await contents();
    // Compares only differing records, as Jest takes minutes to format the difference of so many.
    expect(after.filter((record, at) => record !== before[at])).toEqual([]);
    expect(after).toHaveLength(before.length);
    expect(await command(undefined, 'backup', 'create', at('last'))).toMatch(/^0 /);
    expect(await runKilled(undefined, 'backup', 'verify', at('last'), keys)).toMatch(/^0 /);
    expect(readdirSync(directory).filter((name) => name.includes('last'))).toEqual(['last']);
  });
});
