/**
 * A command of this release opens files of the embedded store from before checksums, and is killed with SIGKILL while
 * it converts them to the new format: after each kill they can be opened, with all records. `KILLS` times.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ALL_KEYS } from '../../pkg/storage/pages.js';
import { runKilled } from '../fixtures/servers/killedcommand.js';
import { compiledServer } from '../fixtures/servers/server.js';
import { TEST_DATA_KEY, writeKeyFile } from '../fixtures/stores/encryptionkeys.js';
import { withStore } from '../fixtures/stores/fulldisk.js';

const KILLS = Number(process.env.KILLS ?? 5);
/** The maximum delay after the first write to the files, in ms. */
const LONGEST_MS = Number(process.env.LONGEST_MS ?? 60);
const FILES = gunzipSync(readFileSync(join(import.meta.dirname, '../fixtures/stores/embedded.mdb.gz')));

let directory: string;
let flags: readonly string[];
const dataDir = (): string => join(directory, 'data');

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'filesraise-'));
  flags = [`--data-dir=${dataDir()}`, `--encryption-key-file=${writeKeyFile(directory)}`];
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function putFiles(): void {
  rmSync(dataDir(), { recursive: true, force: true });
  mkdirSync(join(dataDir(), 'store'), { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDir(), 'store', 'data.mdb'), FILES, { mode: 0o600 });
}

/** The records that servers of any release use, without the record of the keys of this process. */
const contents = (): Promise<readonly string[]> =>
  withStore(dataDir(), [TEST_DATA_KEY], async ({ storage }) => {
    const { records } = await storage.scan(ALL_KEYS);
    return records
      .filter(({ key }) => !key.startsWith('encryption/'))
      .map(({ key, value, undecryptable }) => `${key} ${undecryptable ?? ''} ${value.toString()}`);
  });

/** Returns whether the command was killed before it exited. */
async function killedAtFirstWrite(delayMs: number): Promise<boolean> {
  const argv = [compiledServer(), 'encryption', 'migrate', ...flags];
  const writes = watch(join(dataDir(), 'store', 'data.mdb'));
  const child = spawn(process.execPath, argv, { env: { ...process.env, NODE_OPTIONS: '' }, stdio: 'ignore' });
  const closed = once(child, 'close');
  await Promise.race([once(writes, 'change'), closed]);
  writes.close();
  await sleep(delayMs);
  child.kill('SIGKILL');
  await closed;
  return child.signalCode === 'SIGKILL';
}

test(`files of an earlier format that are raised, and killed ${KILLS} times, are whole`, async () => {
  putFiles();
  const before = await contents();
  expect(before.length).toBeGreaterThan(50);
  let killed = 0;
  for (let round = 0; round < KILLS; round += 1) {
    putFiles();
    // Every second command is killed immediately after its first write.
    if (await killedAtFirstWrite(round % 2 === 0 ? 0 : Math.random() * LONGEST_MS)) killed += 1;
    expect(await contents()).toEqual(before);
  }
  if (process.env.KILLS !== undefined) console.log(`${killed} of ${KILLS} were killed before their end`);
  expect(killed).toBeGreaterThan(0);
  expect(await runKilled(undefined, 'encryption', 'migrate', ...flags)).toMatch(
    /^0 [^]*done: all is encrypted/,
  );
  expect(await contents()).toEqual(before);
});
