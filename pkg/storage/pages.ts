/** Long ranges, a page at a time. */
import type { KeyRange, ReadOptions, Storage, StoredRecord } from './interface.js';

/** Every key that a store may have. */
export const ALL_KEYS: KeyRange = { start: '\u0001', end: '\u{10ffff}' };

export interface PageOptions extends ReadOptions {
  /** Records of a page; of the first page alone where `nextLimit` is given. */
  readonly limit: number;
  /** Records of the page that follows these. */
  readonly nextLimit?: (records: readonly StoredRecord[]) => number;
}

/** The records of a range in key order. Each page is read when it is asked for. Rejects with StorageError. */
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
    // The least key after the last one would end with NUL, which no key may hold.
    next = more && last !== undefined ? `${last.key}\u0001` : undefined;
    limit = nextLimit?.(records) ?? limit;
  }
}
