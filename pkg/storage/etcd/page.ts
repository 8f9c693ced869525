/** The number of keys to request at once, so that a response stays far below the message limit. */
import type { IKeyValue } from 'etcd3';

const TARGET_BYTES = 8 * 1024 * 1024;
const FIRST_PAGE = 500;
const LARGEST_PAGE = 5_000;

export interface PageSizer {
  size(): number;
  /** Learns from the records of an answer. */
  note(kvs: readonly Pick<IKeyValue, 'key' | 'value'>[]): void;
  /** Call it when the response to `size` keys was too large. False: it cannot shrink further. */
  shrink(size: number): boolean;
}

export function pageSizer(): PageSizer {
  let current = FIRST_PAGE;
  return {
    size: () => current,
    note: (kvs) => {
      if (kvs.length < Math.min(current, 10)) return;
      let bytes = 0;
      for (const { key, value } of kvs) bytes += key.length + value.length;
      current = Math.max(
        1,
        Math.min(LARGEST_PAGE, current * 2, Math.floor(TARGET_BYTES / (bytes / kvs.length))),
      );
    },
    shrink: (size) => {
      current = Math.max(1, Math.floor(Math.min(size, current) / 4));
      return size > 1;
    },
  };
}
