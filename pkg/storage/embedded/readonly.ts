/** Reads the store of a directory that another process may have open: for commands beside a server that runs. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Storage } from '../interface.js';
import { openScans } from './scans.js';
import { readAt } from './state.js';
import { META, openTables, readCounter } from './tables.js';

const MAP_BYTES = 65_600 * 1024 * 1024;

export type ReadOnlyStorage = Pick<Storage, 'get' | 'scan' | 'close'>;

/** At the newest revision alone. Undefined where there is no store. Rejects with Error for files that cannot be read. */
export async function readEmbedded(directory: string): Promise<ReadOnlyStorage | undefined> {
  if (!existsSync(path.join(directory, 'data.mdb'))) return undefined;
  const tables = openTables(directory, MAP_BYTES, true);
  const scans = openScans(tables, () => undefined);
  const newest = (): number => readCounter(tables, META.revision) ?? 0;
  return {
    get: async (key) => {
      const revision = newest();
      return { revision, record: readAt(tables, key, revision) };
    },
    scan: (range, { limit = Infinity } = {}) => scans.scan(range, newest(), limit),
    close: () => tables.root.close(),
  };
}
