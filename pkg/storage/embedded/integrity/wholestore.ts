/**
 * Whether a file is whole, looked at before LMDB maps it. Every page of the newest commit is there and fits the others, no page is in
 * use twice or both in use and free, and each put in the log is the one that the tables of current and of earlier records name.
 * Values are not looked at: each has a checksum of its own (../logentry.ts).
 */
import { crc32 } from 'node:zlib';
import { decodeLogEntry, isDelete, keyIn } from '../logentry.js';
import { DamagedFile, Pages } from './pages.js';
import type { FileOfPages, Tree } from './pages.js';
import { FIRST_REVISION } from '../../interface.js';
import { decodeRevision, META } from '../tables.js';
import { asNumbers, readTables, visitTree } from './trees.js';
import type { Visit } from './trees.js';

export interface Roots {
  readonly free: Tree;
  readonly main: Tree;
}

const REVISION_BYTES = 8;

/** Throws DamagedFile. */
export function checkWhole(file: FileOfPages, roots: Roots): void {
  const counted = countPuts(file, roots, false);
  if (counted.inLog === counted.named) return;
  // What a damaged write said of itself does not count; the record is reported by whoever reads it.
  const without = countPuts(file, roots, true);
  if (without.inLog !== without.named)
    throw new DamagedFile('is damaged: its tables do not name the records that it has');
}

interface Puts {
  /** A sum over the keys and revisions of puts in the log. */
  readonly inLog: number;
  /** The same over those that the other tables name. */
  readonly named: number;
}

/** @param verify leaves out the writes whose checksums are wrong */
function countPuts(file: FileOfPages, { main, free }: Roots, verify: boolean): Puts {
  const pages = new Pages(file);
  const trees = readTables(pages, main);
  const damaged = new Set<number>();
  const puts = { inLog: 0, named: 0 };
  let newest = 0;
  const visit = (table: string, visitor: Visit): void => {
    const tree = trees.get(table);
    if (tree !== undefined) visitTree(pages, tree, `the table ${table}`, visitor);
  };
  const name = (key: Buffer, revision: number): void => {
    if (!damaged.has(revision)) puts.named = add(puts.named, key, revision);
  };
  visit('log', (entry) => {
    const revision = (newest = revisionIn(entry.key));
    if (verify && decodeLogEntry(entry.value(), revision) === undefined) damaged.add(revision);
    else if (!isDelete(entry.start)) puts.inLog = add(puts.inLog, keyIn(entry.start), revision);
  });
  visit('current', ({ key, start }) => name(key, revisionIn(start)));
  visit('history', ({ key, start }) => {
    revisionIn(start);
    name(key.subarray(0, -REVISION_BYTES - 1), revisionIn(key.subarray(-REVISION_BYTES)));
  });
  const counters = new Map<string, number>();
  visit('meta', ({ key, value }) => readMeta(key.toString(), value(), counters));
  checkCounters(counters, newest);
  visitTree(pages, free, 'the list of free pages', ({ value }) => takeFree(pages, value()), asNumbers);
  return puts;
}

const add = (sum: number, key: Buffer, revision: number): number =>
  (sum + crc32(key, revision % 2 ** 32)) % 2 ** 48;

function revisionIn(bytes: Buffer): number {
  const revision = bytes.length === REVISION_BYTES ? decodeRevision(bytes) : -1;
  if (!Number.isSafeInteger(revision) || revision < 0)
    throw new DamagedFile('is damaged: a revision is none');
  return revision;
}

/** Notes the counter in an entry of the table `meta`. */
function readMeta(name: string, value: Buffer, counters: Map<string, number>): void {
  if (name !== META.owner && name !== META.marks) counters.set(name, revisionIn(value));
  else if (name === META.marks && !isJson(value))
    throw new DamagedFile('is damaged: its history has no times');
}

/** @param newest revision in the log, which compaction may have emptied */
function checkCounters(counters: ReadonlyMap<string, number>, newest: number): void {
  const revision = counters.get(META.revision) ?? FIRST_REVISION;
  const compacted = counters.get(META.compacted) ?? FIRST_REVISION;
  // What the oldest readable one is says no more than these (`oldestIn` of ../tables.ts).
  if (newest > revision || compacted > revision)
    throw new DamagedFile('is damaged: its revisions contradict each other');
}

function isJson(value: Buffer): boolean {
  try {
    JSON.parse(value.toString());
    return true;
  } catch {
    return false;
  }
}

/** A list of pages as `lmdb` keeps it: their number, then a page, or the negative length of a run and its first page; 0 is none. */
function takeFree(pages: Pages, list: Buffer): void {
  const at = (index: number): number =>
    (index + 1) * 8 > list.length ? Infinity : Number(list.readBigInt64LE(index * 8));
  const count = at(0);
  for (let index = 1; index <= count; index += 1) {
    const entry = at(index);
    if (entry < 0) pages.take(at((index += 1)), -entry);
    else if (entry > 0) pages.take(entry);
  }
}
