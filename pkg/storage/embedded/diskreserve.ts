/**
 * Disk space, reserved before it is needed. LMDB writes copies of pages, also for deletes, and a transaction
 * fails when the disk becomes full during it. So the file always extends past its last used page: by what the
 * next transaction may need, and by a reserve for deletes and compaction.
 */
import { open as openFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Tables } from './tables.js';
import { codeOf } from '../../apimachinery/caught.js';

/** The pages that one write may copy or split: a leaf, its parents and a new page in each of the tables. */
const PAGES_PER_WRITE = 12;
/** The pages that removing one write may copy. Neighbours share pages, and freed pages are reused. */
const PAGES_PER_COMPACTED = 3;
const PAGE_BYTES = 4096;
const MIN_GROWTH_BYTES = 4 * 1024 * 1024;
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;
const ZEROS = Buffer.alloc(1024 * 1024);

/**
 * Returns an upper bound of the bytes of pages that a transaction needs.
 * @param bytes of keys and values written
 * @param compacted superseded writes that are checked
 */
export function roomFor(writes: number, bytes: number, compacted: number): number {
  const pages = writes * (PAGES_PER_WRITE + 1) + compacted * PAGES_PER_COMPACTED + 16;
  return pages * PAGE_BYTES + bytes;
}

export interface DiskReserve {
  /**
   * Whether `bytes` fit without using the reserve (`mayUseReserve`: or with it). Extends the file if that
   * helps. Call it only between transactions.
   */
  take(bytes: number, mayUseReserve: boolean): Promise<boolean>;
  close(): Promise<void>;
}

export interface DiskReserveLimits {
  readonly reserveBytes: number;
  /** The file does not grow past this size, as if the disk were full. */
  readonly maxBytes: number;
}

export async function openDiskReserve(
  directory: string,
  tables: Tables,
  limits: DiskReserveLimits,
): Promise<DiskReserve> {
  const file = await openFile(path.join(directory, 'data.mdb'), 'r+');
  let { size } = await file.stat();
  /** An upper bound of what LMDB can use, counted down by high estimates and then measured again. */
  let free = 0;
  return {
    take: async (bytes, mayUseReserve) => {
      const wanted = bytes + limits.reserveBytes;
      if (free < wanted) free = size - usedBytes(tables);
      if (free < wanted) {
        size = await grow(file, Math.max(wanted - free, growthOf(size)), limits.maxBytes);
        free = size - usedBytes(tables);
      }
      const enough = free >= (mayUseReserve ? bytes : wanted);
      if (enough) free -= bytes;
      return enough;
    },
    close: () => file.close(),
  };
}

/** Large files grow in larger steps. */
function growthOf(size: number): number {
  return Math.min(Math.max(size / 8, MIN_GROWTH_BYTES), MAX_GROWTH_BYTES);
}

/** Appends zeros until the disk or the limit stops it; returns the size of the file. */
async function grow(file: FileHandle, bytes: number, maxBytes: number): Promise<number> {
  const { size } = await file.stat();
  const end = Math.min(size + Math.ceil(bytes), maxBytes);
  let position = size;
  try {
    while (position < end) {
      const part = Math.min(ZEROS.length, end - position);
      position += (await file.write(ZEROS, 0, part, position)).bytesWritten;
    }
  } catch (error) {
    if (!isFull(error)) throw error;
  }
  return position;
}

function isFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}

interface PageCounts {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** The bytes of pages in use, by the sizes of the trees; freed pages are free space. */
function usedBytes(tables: Tables): number {
  // lmdb's types lack these members.
  const rootStats = tables.root.getStats() as PageCounts & { readonly free: PageCounts };
  const tableStats = [tables.log, tables.current, tables.history, tables.meta].map(
    // Nor of these.
    (table) => table.getStats() as PageCounts,
  );
  const metaPages = 2;
  const pages = [rootStats, rootStats.free, ...tableStats].reduce(
    (sum, tree) => sum + tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages,
    metaPages,
  );
  return pages * PAGE_BYTES;
}
