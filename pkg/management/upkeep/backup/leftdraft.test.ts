import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { writeWhole } from './draft.js';
import { removeLeftDraft } from './leftdraft.js';

const LONG_MS = 600_000;
const HOUR_MS = 3_600_000;

let directory: string;
let file: string;
let draft: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'leftdraft-'));
  file = join(directory, 'segment');
  draft = `${file}.partial`;
});
afterEach(() => rmSync(directory, { recursive: true }));

const signal = (): AbortSignal => new AbortController().signal;
const touch = (at: number): void => utimesSync(draft, new Date(at), new Date(at));

test('the file may be written if there is no draft', async () => {
  expect(await removeLeftDraft(file, signal(), LONG_MS)).toBe(true);
});

test('an old draft is removed at once, a new one when it was not touched for a while', async () => {
  writeFileSync(draft, 'left');
  touch(Date.now() - HOUR_MS);
  expect(await removeLeftDraft(file, signal(), LONG_MS)).toBe(true);
  writeFileSync(draft, 'left');
  expect([await removeLeftDraft(file, signal(), 1), existsSync(draft)]).toEqual([true, false]);
});

test('a draft dated in the future is removed like any other', async () => {
  writeFileSync(draft, 'left');
  touch(Date.now() + HOUR_MS);
  expect([await removeLeftDraft(file, signal(), 1), existsSync(draft)]).toEqual([true, false]);
});

test('a draft that is touched belongs to a live process', async () => {
  writeFileSync(draft, 'alive');
  const waiting = removeLeftDraft(file, signal(), LONG_MS);
  // Repeatedly, as the first time may be before the first check.
  let at = Date.now();
  const touching = setInterval(() => touch((at += 1_000)), 20);
  await expect(waiting).rejects.toThrow('segment cannot be written: another process writes it');
  clearInterval(touching);
});

test('a draft that is renamed belongs to a live process', async () => {
  writeFileSync(draft, 'alive');
  const waiting = removeLeftDraft(file, signal(), LONG_MS);
  setTimeout(() => rmSync(draft), 1_500);
  await expect(waiting).rejects.toThrow('segment cannot be written: another process writes it');
});

test('a draft is kept if the wait is aborted', async () => {
  writeFileSync(draft, 'left');
  const ending = new AbortController();
  const waiting = removeLeftDraft(file, ending.signal, LONG_MS);
  ending.abort();
  expect([await waiting, existsSync(draft)]).toEqual([false, true]);
});

test('a writer whose draft was taken over fails and leaves the other draft', async () => {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from('mine');
    rmSync(draft);
    writeFileSync(draft, 'of the other');
  }
  await expect(writeWhole(file, chunks())).rejects.toThrow('another process took it over');
  expect([existsSync(file), readFileSync(draft, 'utf8')]).toEqual([false, 'of the other']);
});
