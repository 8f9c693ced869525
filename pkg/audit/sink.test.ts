import { mkdtemp, readFile, readdir, rm, stat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { auditLogFile } from './logfile.js';
import { BatchedSink } from './sink.js';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'audit-'));
  path = join(directory, 'log', 'audit.log');
});
afterEach(() => rm(directory, { recursive: true }));

const fileOf = (limits: { maxBytes?: number; maxBackups?: number } = {}) =>
  auditLogFile({ path, maxBytes: 0, maxBackups: 0, ...limits });
const unexpected = (error: unknown): never => {
  throw error;
};

test('writes lines in order, readable by the owner only', async () => {
  const sink = new BatchedSink(fileOf(), { report: unexpected });
  sink.write('a');
  sink.write('b');
  await sink.flush();
  sink.write('c');
  await sink.close();
  expect(await readFile(path, 'utf8')).toBe('a\nb\nc\n');
  expect((await stat(path)).mode & 0o077).toBe(0);
  expect((await stat(join(directory, 'log'))).mode & 0o077).toBe(0);
});

test('writes lines without a flush', async () => {
  const sink = new BatchedSink(fileOf(), { report: unexpected, waitMs: 1 });
  sink.write('a');
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text === 'a\n') break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await sink.close();
});

test('writes buffered events later, and counts dropped ones', async () => {
  const failures: unknown[] = [];
  const sink = new BatchedSink(fileOf(), {
    report: (error) => failures.push(error),
    waitMs: 3_600_000,
    maxChars: 10,
  });
  await mkdir(path, { recursive: true });
  sink.write('one');
  await expect(sink.flush()).rejects.toThrow('EISDIR');
  sink.write('two');
  sink.write('three');
  await expect(sink.flush()).rejects.toThrow('EISDIR');
  expect(failures).toHaveLength(2);
  expect([sink.taken(), sink.lost()]).toEqual([3, 1]);
  await rm(path, { recursive: true });
  await sink.flush();
  sink.write('four');
  await sink.close();
  expect(await readFile(path, 'utf8')).toBe('one\ntwo\nfour\n');
});

test('rotates a full file, and removes the oldest beyond the limit', async () => {
  const file = fileOf({ maxBytes: 4, maxBackups: 2 });
  for (const text of ['1111', '2222', '3333', '4444']) {
    await file.append(text);
    // The names of rotated files have a precision of a millisecond.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await file.append('5');
  await file.close();
  const names = (await readdir(join(directory, 'log'))).sort();
  const aside = names.filter((name) => name !== 'audit.log');
  expect(aside).toHaveLength(2);
  for (const name of aside) expect(name).toMatch(/^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/);
  const texts = await Promise.all(aside.map((name) => readFile(join(directory, 'log', name), 'utf8')));
  expect(texts).toEqual(['3333', '4444']);
  expect(await readFile(path, 'utf8')).toBe('5');
});
