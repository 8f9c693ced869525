/** Long ranges, a page at a time. */
import type { KeyRange, ScanOptions, Storage, StoredRecord } from './interface.js';

/** Every key that a store may have. */
export const ALL_KEYS: KeyRange = { start: '\u0001', end: '\u{10ffff}' };

/** The records of a range in key order. Each page is read when it is asked for. Rejects with StorageError. */
export async function* pagesOf(
  storage: Pick<Storage, 'scan'>,
  { start, end }: KeyRange,
  options: ScanOptions & { readonly limit: number },
): AsyncGenerator<readonly StoredRecord[]> {
  let next: string | undefined = start;
  while (next !== undefined) {
    const { records, more } = await storage.scan({ start: next, end }, options);
    yield records;
    const last = records.at(-1);
    // The least key after the last one would end with NUL, which no key may hold.
    next = more && last !== undefined ? `${last.key}\u0001` : undefined;
  }
}
