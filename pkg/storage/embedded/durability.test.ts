import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { DirectoryInUseError } from './directorylock.js';
import { openEmbedded } from './embedded.js';
import { transpileEngine, WRITER } from './testing/transpile.js';

const run = promisify(execFile);

let engine = '';
let parent = '';
beforeAll(async () => {
  engine = await transpileEngine();
  parent = await mkdtemp(path.join(tmpdir(), 'embedded-'));
});
afterAll(async () => {
  await rm(engine, { recursive: true });
  await rm(parent, { recursive: true });
});

const hasStrace = spawnSync('strace', ['-V']).status === 0;
const withStrace = hasStrace ? test : test.skip;

/**
 * Runs the writer. Returns its acknowledged commits and its syncs of the data file, in the order of the system calls.
 */
async function traceOf(name: string, writers: number, commits: number): Promise<('answer' | 'sync')[]> {
  const trace = path.join(parent, `${name}.trace`);
  const program = [
    process.execPath,
    WRITER,
    engine,
    path.join(parent, name),
    String(writers),
    String(commits),
  ];
  await run('strace', ['-f', '-e', 'trace=fdatasync,fsync,write', '-o', trace, ...program]);
  const calls = (await readFile(trace, 'utf8')).split('\n');
  // Each line of the program is one write to descriptor 1; a sync counts when it has returned.
  return calls.flatMap((call) => {
    if (/ write\(1, "\d/.test(call)) return ['answer' as const];
    return /(fdatasync|fsync)(\(| resumed).*= 0$/.test(call) ? ['sync' as const] : [];
  });
}

describe(`syncs${hasStrace ? '' : ' (skipped: strace is not installed)'}`, () => {
  withStrace('each commit that stands alone is synced before it is answered', async () => {
    const calls = await traceOf('alone', 1, 40);
    const answers = calls.flatMap((call, index) => (call === 'answer' ? [index] : []));
    expect(answers).toHaveLength(40);
    for (const [turn, index] of answers.entries()) {
      const since = calls.slice(turn === 0 ? 0 : answers[turn - 1], index);
      expect(since).toContain('sync');
    }
  });

  withStrace('concurrent commits share syncs', async () => {
    const calls = await traceOf('together', 32, 20);
    expect(calls.filter((call) => call === 'answer')).toHaveLength(640);
    expect(calls.filter((call) => call === 'sync').length).toBeLessThan(640 / 8);
  });
});

test('refuses a directory that another process has open, until that process has ended', async () => {
  const directory = path.join(parent, 'owned');
  const child = spawn(process.execPath, [WRITER, engine, directory, '1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let refused: unknown;
  for await (const line of createInterface({ input: child.stdout })) {
    if (refused !== undefined || !/^\d/.test(line)) continue;
    refused = await openEmbedded({ directory }).catch((error: unknown) => error);
    child.kill('SIGKILL');
  }
  expect(refused).toBeInstanceOf(DirectoryInUseError);
  expect(String(refused)).toContain(directory);
  const storage = await openEmbedded({ directory });
  expect((await storage.get('a/0')).record).toBeDefined();
  await storage.close();
});

test('only one of many concurrent opens of a directory succeeds', async () => {
  const directory = path.join(parent, 'raced');
  const children = Array.from({ length: 4 }, () =>
    run(process.execPath, [WRITER, engine, directory, '1', '400']).then(
      () => 'opened',
      (error: unknown) => (/DirectoryInUseError/.test(String(error)) ? 'refused' : String(error)),
    ),
  );
  const outcomes = await Promise.all(children);
  expect(outcomes.filter((outcome) => outcome !== 'opened' && outcome !== 'refused')).toEqual([]);
  expect(outcomes).toContain('opened');
});

test('refuses to open a directory twice in one process; the first store stays open', async () => {
  const directory = path.join(parent, 'twice');
  const storage = await openEmbedded({ directory });
  await expect(openEmbedded({ directory })).rejects.toBeInstanceOf(DirectoryInUseError);
  await storage.commit([{ key: 'k', value: Buffer.from('v'), expect: 'absent' }]);
  await storage.close();
});

test('creates files that other users cannot read', async () => {
  const directory = path.join(parent, 'modes');
  await mkdir(directory);
  await chmod(directory, 0o755);
  const storage = await openEmbedded({ directory });
  await storage.commit([{ key: 'k', value: Buffer.from('v'), expect: 'absent' }]);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  for (const file of await readdir(directory)) {
    if (!file.endsWith('.sock')) expect((await stat(path.join(directory, file))).mode & 0o777).toBe(0o600);
  }
  await storage.close();
});
