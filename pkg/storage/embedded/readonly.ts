/** Reads the store of a directory that another process may have open: for commands beside a server that runs. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Storage } from '../interface.js';
import { StorageError } from '../interface.js';
import { openScans } from './scans.js';
import { readAt } from './state.js';
import type { Tables } from './tables.js';
import { META, openTables, readCounter } from './tables.js';

const MAP_BYTES = 65_600 * 1024 * 1024;

export type ReadOnlyStorage = Pick<Storage, 'get' | 'scan' | 'close'>;

/**
 * Reads at the newest revision, or at an earlier one for as long as its history is there (`compacted` else). No snapshot of
 * LMDB is held between pages, so that the file of whoever writes does not grow. Undefined where there is no store. Rejects with
 * Error for files that cannot be read.
 */
export async function readEmbedded(directory: string): Promise<ReadOnlyStorage | undefined> {
  if (!existsSync(path.join(directory, 'data.mdb'))) return undefined;
  const tables = openTables(directory, MAP_BYTES, true);
  const newest = (): number => readCounter(tables, META.revision) ?? 0;
  return {
    get: async (key, { revision = newest() } = {}) => {
      checkReadable(tables, revision);
      return { revision, record: readAt(tables, key, revision) };
    },
    scan: (range, { limit = Infinity, revision = newest() } = {}) =>
      openScans(tables, () => checkReadable(tables, revision)).scan(range, revision, limit),
    close: () => tables.root.close(),
  };
}

/** In the turn of the loop, and so in the snapshot, of what is read. Throws StorageError. */
function checkReadable(tables: Tables, revision: number): void {
  const oldest = readCounter(tables, META.oldest) ?? 0;
  if (revision < oldest) throw new StorageError({ code: 'compacted', revision, oldest });
}
