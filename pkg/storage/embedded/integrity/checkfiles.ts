/**
 * Checks before LMDB maps the file: LMDB does not check it, so a damaged file ends the process, and an empty
 * one counts as a new store. To read the whole file through LMDB in a child process is not enough: of 63 flipped bits that
 * are refused here it finds 18, and four of the others end the process at a later write.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DamagedStore } from '../../damagedstore.js';
import { DamagedFile, readTree } from './pages.js';
import { checkWhole, type Roots } from './wholestore.js';

const DATA = 'data.mdb';
/** Marks that a store exists: without it an empty directory is a new store. */
const MARKER = 'store-exists';

/** Offsets in the two meta pages of LMDB's data format 2, in bytes. */
const META = {
  magic: 24,
  version: 28,
  pageSize: 48,
  freeTree: 48,
  mainTree: 96,
  lastPage: 144,
  transaction: 152,
} as const;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
/**
 * Pages that a transaction allocated and freed are not written, so the file may be shorter by this number.
 */
const UNWRITTEN_PAGES = 256;

/**
 * @throws DamagedStore when the store of `directory` is damaged, truncated or
 *   missing
 */
export function checkFiles(directory: string): void {
  const file = path.join(directory, DATA);
  const fault = faultOf(file, existsSync(path.join(directory, MARKER)));
  if (fault !== undefined) throw new DamagedStore(`${file} ${fault}`, directory);
}

/** From now on a missing store is an error. */
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
    checkFile(descriptor, size);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedFile) return error.message;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Throws DamagedFile. */
function checkFile(descriptor: number, size: number): void {
  const first = readMeta(descriptor, 0);
  const second = first && readMeta(descriptor, first.pageSize);
  const noStore = new DamagedFile('is damaged: it does not begin as a store does');
  if (first === undefined || second === undefined || second.pageSize !== first.pageSize) throw noStore;
  const [newest, other] =
    first.transaction > second.transaction ? ([first, second] as const) : ([second, first] as const);
  const { pageSize, lastPage, transaction } = newest;
  // Each transaction writes the meta page that the previous one did not.
  const follows = transaction === other.transaction + 1;
  if (!follows && transaction !== 0) throw noStore;
  if (!Number.isSafeInteger(lastPage) || lastPage + 1 > Math.floor(size / pageSize) + UNWRITTEN_PAGES)
    throw new DamagedFile(`is cut short: it has ${size} bytes of ${(lastPage + 1) * pageSize}`);
  checkWhole({ descriptor, pageSize, size, lastPage, transaction }, newest);
}

interface Meta extends Roots {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
}

function readMeta(descriptor: number, at: number): Meta | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(descriptor, bytes, 0, META_BYTES, at) < META_BYTES) return undefined;
  if (bytes.readUInt32LE(META.magic) !== MAGIC || bytes.readUInt32LE(META.version) !== VERSION)
    return undefined;
  const pageSize = bytes.readUInt32LE(META.pageSize);
  if (pageSize < 256 || pageSize > 65_536) return undefined;
  return {
    pageSize,
    free: readTree(bytes.subarray(META.freeTree)),
    main: readTree(bytes.subarray(META.mainTree)),
    lastPage: Number(bytes.readBigUInt64LE(META.lastPage)),
    transaction: Number(bytes.readBigUInt64LE(META.transaction)),
  };
}
