/** Long ranges in pages. */
import type { KeyRange, ReadOptions, Storage, StoredRecord } from './interface.js';

/** All keys. */
export const ALL_KEYS: KeyRange = { start: '\u0001', end: '\u{10ffff}' };

export interface PageOptions extends ReadOptions {
  /** The records of a page; of the first page only if `nextLimit` is given. */
  readonly limit: number;
  /** The records of the next page. */
  readonly nextLimit?: (records: readonly StoredRecord[]) => number;
}

/** The records of a range in key order. Each page is read on demand. Rejects with StorageError. */
export async function* pagesOf(
  storage: Pick<Storage, 'scan'>,
  { start, end }: KeyRange,
  { limit: firstLimit, nextLimit, ...options }: PageOptions,
): AsyncGenerator<readonly StoredRecord[]> {
  let [next, limit]: [string | undefined, number] = [start, firstLimit];
  while (next !== undefined) {
    const { records, more } = await storage.scan({ start: next, end }, { ...options, limit });
    yield records;
    const last = records.at(-1);
    // The key right after the last one would end with NUL, which keys cannot contain.
    next = more && last !== undefined ? `${last.key}\u0001` : undefined;
    limit = nextLimit?.(records) ?? limit;
  }
}
