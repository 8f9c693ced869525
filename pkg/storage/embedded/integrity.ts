/**
 * What is looked at before LMDB maps the file: it does not check what it maps, so that a damaged file ends the process
 * without a word, and takes an empty one for a new store.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const DATA = 'data.mdb';
/** Says that there was a store: without it an empty directory is a new one. */
const MARKER = 'store-exists';

/** Offsets in the two meta pages of LMDB's data format 2, in bytes. */
const META = {
  magic: 24,
  version: 28,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
} as const;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
/** Pages that a transaction took and gave back are not written: the file may be so many shorter. */
const UNWRITTEN_PAGES = 256n;

/** @throws Error that names the file, and what to do, when the store of `directory` is damaged, cut short or gone. */
export function checkFiles(directory: string): void {
  const file = path.join(directory, DATA);
  const fault = faultOf(file, existsSync(path.join(directory, MARKER)));
  if (fault === undefined) return;
  throw new Error(
    `${file} ${fault}; restore it from a backup, or move ${directory} away to begin with a new, empty store`,
  );
}

/** From now on the store is missed when it is gone. */
export function markStore(directory: string): void {
  const marker = path.join(directory, MARKER);
  if (!existsSync(marker))
    writeFileSync(marker, `${DATA} beside this file holds a store.\n`, { mode: 0o600 });
}

function faultOf(file: string, expected: boolean): string | undefined {
  if (!existsSync(file)) return expected ? 'is missing' : undefined;
  const descriptor = openSync(file, 'r');
  try {
    const size = fstatSync(descriptor).size;
    if (size === 0) return expected ? 'is empty' : undefined;
    const first = readMeta(descriptor, 0);
    const metas = [first, readMeta(descriptor, first?.pageSize ?? 4096)].filter((meta) => meta !== undefined);
    const newest = metas.sort((a, b) => Number(b.transaction - a.transaction))[0];
    if (newest === undefined) return 'is damaged: it does not begin as a store does';
    const pages = BigInt(Math.floor(size / newest.pageSize));
    const needed = newest.roots.reduce((most, root) => (root >= most ? root + 1n : most), 0n);
    if (pages >= needed && pages + UNWRITTEN_PAGES > newest.lastPage) return undefined;
    return `is cut short: it has ${size} bytes of ${(newest.lastPage + 1n) * BigInt(newest.pageSize)}`;
  } finally {
    closeSync(descriptor);
  }
}

interface Meta {
  readonly pageSize: number;
  readonly roots: readonly bigint[];
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

function readMeta(descriptor: number, at: number): Meta | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(descriptor, bytes, 0, META_BYTES, at) < META_BYTES) return undefined;
  if (bytes.readUInt32LE(META.magic) !== MAGIC || bytes.readUInt32LE(META.version) !== VERSION)
    return undefined;
  const pageSize = bytes.readUInt32LE(META.pageSize);
  if (pageSize < 256 || pageSize > 65_536) return undefined;
  const roots = [META.freeRoot, META.mainRoot].map((offset) => bytes.readBigUInt64LE(offset));
  return {
    pageSize,
    roots: roots.filter((root) => root !== NO_PAGE),
    lastPage: bytes.readBigUInt64LE(META.lastPage),
    transaction: bytes.readBigUInt64LE(META.transaction),
  };
}
