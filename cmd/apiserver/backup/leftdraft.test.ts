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

test('where there is none, the file may be written', async () => {
  expect(await removeLeftDraft(file, signal(), LONG_MS)).toBe(true);
});

test('an old one is removed at once, a new one when nobody has touched it for a while', async () => {
  writeFileSync(draft, 'left');
  touch(Date.now() - HOUR_MS);
  expect(await removeLeftDraft(file, signal(), LONG_MS)).toBe(true);
  writeFileSync(draft, 'left');
  expect([await removeLeftDraft(file, signal(), 1), existsSync(draft)]).toEqual([true, false]);
});

test('one of the future is as any other: clocks differ', async () => {
  writeFileSync(draft, 'left');
  touch(Date.now() + HOUR_MS);
  expect([await removeLeftDraft(file, signal(), 1), existsSync(draft)]).toEqual([true, false]);
});

test('one that is touched meanwhile is of a process that lives', async () => {
  writeFileSync(draft, 'alive');
  const waiting = removeLeftDraft(file, signal(), LONG_MS);
  // Again and again: the first time may be before it is looked at.
  let at = Date.now();
  const touching = setInterval(() => touch((at += 1_000)), 20);
  await expect(waiting).rejects.toThrow('segment cannot be written: another process writes it');
  clearInterval(touching);
});

test('one that becomes the file meanwhile is of a process that lives', async () => {
  writeFileSync(draft, 'alive');
  const waiting = removeLeftDraft(file, signal(), LONG_MS);
  setTimeout(() => rmSync(draft), 1_500);
  await expect(waiting).rejects.toThrow('segment cannot be written: another process writes it');
});

test('whoever is ended meanwhile leaves it', async () => {
  writeFileSync(draft, 'left');
  const ending = new AbortController();
  const waiting = removeLeftDraft(file, ending.signal, LONG_MS);
  ending.abort();
  expect([await waiting, existsSync(draft)]).toEqual([false, true]);
});

test('a writer whose draft was taken over fails, and leaves the draft of the other', async () => {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from('mine');
    rmSync(draft);
    writeFileSync(draft, 'of the other');
  }
  await expect(writeWhole(file, chunks())).rejects.toThrow('another process took it over');
  expect([existsSync(file), readFileSync(draft, 'utf8')]).toEqual([false, 'of the other']);
});
