/**
 * Room on the disk, held before it is needed. LMDB writes copies of pages, deletes included, and a transaction
 * that finds the disk full half-way fails; so the file always reaches beyond its last used page: by what the next
 * transaction may need, and by a reserve that only deletes and compaction may use.
 */
import { open as openFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Tables } from './tables.js';
import { codeOf } from '../../apimachinery/caught.js';

/** What one write may copy or split: a leaf, its parents and a new page in each of the tables. */
const PAGES_PER_WRITE = 12;
/** What forgetting one write may copy. Neighbours share pages, and what it frees comes back. */
const PAGES_PER_COMPACTED = 3;
const PAGE_BYTES = 4096;
const MIN_GROWTH_BYTES = 4 * 1024 * 1024;
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;
const ZEROS = Buffer.alloc(1024 * 1024);

/**
 * An upper bound of the bytes of pages that a transaction needs.
 *
 * @param bytes of keys and values written.
 * @param compacted superseded writes looked at to be removed.
 */
export function roomFor(writes: number, bytes: number, compacted: number): number {
  const pages = writes * (PAGES_PER_WRITE + 1) + compacted * PAGES_PER_COMPACTED + 16;
  return pages * PAGE_BYTES + bytes;
}

export interface DiskReserve {
  /**
   * Whether a transaction that needs `bytes` has room and leaves the reserve untouched (`mayUseReserve`: or in the
   * reserve). Makes the file longer when that helps. Only while no transaction is under way.
   */
  take(bytes: number, mayUseReserve: boolean): Promise<boolean>;
  close(): Promise<void>;
}

export interface DiskReserveLimits {
  readonly reserveBytes: number;
  /** The file does not grow past this, as if the disk were full. */
  readonly maxBytes: number;
}

export async function openDiskReserve(
  directory: string,
  tables: Tables,
  limits: DiskReserveLimits,
): Promise<DiskReserve> {
  const file = await openFile(path.join(directory, 'data.mdb'), 'r+');
  let { size } = await file.stat();
  /** At most what LMDB can still use; counted down by bounds that are far too high, then measured again. */
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

/** A large file grows in larger steps. */
function growthOf(size: number): number {
  return Math.min(Math.max(size / 8, MIN_GROWTH_BYTES), MAX_GROWTH_BYTES);
}

/** Appends zeros until the disk or the limit ends it; answers the size of the file. */
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

/** Bytes of pages in use, by the sizes of the trees: pages that were freed count as room. */
function usedBytes(tables: Tables): number {
  // lmdb declares no members of these.
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
