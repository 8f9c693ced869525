/**
 * Checks that a file is complete before LMDB maps it: every page of the newest commit exists and matches the
 * others, no page is used twice or both used and free, and the puts in the log are those that the tables of
 * current and earlier records name. Values are not checked, as each has a checksum (../logentry.ts).
 */
import { crc32 } from 'node:zlib';
import { decodeLogEntry, isDelete, keyIn } from '../logentry.js';
import { DamagedFile, Pages, type FileOfPages, type Tree } from './pages.js';
import { FIRST_REVISION } from '../../interface.js';
import { decodeRevision, META } from '../tables.js';
import { asNumbers, readTables, visitTree, type Visit } from './trees.js';

export interface Roots {
  readonly free: Tree;
  readonly main: Tree;
}

const REVISION_BYTES = 8;

/** Throws DamagedFile. */
export function checkWhole(file: FileOfPages, roots: Roots): void {
  const counted = countPuts(file, roots, false);
  if (counted.inLog === counted.named) return;
  // The content of a damaged write is ignored; readers of the record report it.
  const without = countPuts(file, roots, true);
  if (without.inLog !== without.named)
    throw new DamagedFile('is damaged: its tables do not name the records that it has');
}

interface Puts {
  /** A sum over the keys and revisions of puts in the log. */
  readonly inLog: number;
  /** The same sum over the puts that the other tables name. */
  readonly named: number;
}

/** @param verify ignores writes with wrong checksums */
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

/** Reads a counter from an entry of the table `meta`. */
function readMeta(name: string, value: Buffer, counters: Map<string, number>): void {
  if (name !== META.owner && name !== META.marks) counters.set(name, revisionIn(value));
  else if (name === META.marks && !isJson(value))
    throw new DamagedFile('is damaged: its history has no times');
}

/** @param newest the newest revision in the log, which compaction may have emptied */
function checkCounters(counters: ReadonlyMap<string, number>, newest: number): void {
  const revision = counters.get(META.revision) ?? FIRST_REVISION;
  const compacted = counters.get(META.compacted) ?? FIRST_REVISION;
  // The counter of the oldest readable revision adds nothing to these (`oldestIn` of ../tables.ts).
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

/**
 * A list of free pages in the format of `lmdb`: the count, then pages, or the negative length of a run and
 * its first page; 0 is none.
 */
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
