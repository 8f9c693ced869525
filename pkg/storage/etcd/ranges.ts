/** Ranges of keys, read in pages that fit into etcd's responses. */
import type { IKeyValue, IRangeResponse } from 'etcd3';
import type { StoredRecord } from '../interface.js';
import type { EtcdClient } from './client.js';
import { classify } from './failure.js';
import type { ByteRange, KeySpace } from './keyspace.js';
import { recordOf } from './record.js';

/** The number of keys to request at once, so that a response stays far below the message limit. */
const TARGET_BYTES = 8 * 1024 * 1024;
/** As many of the largest values (1.4 MiB) are read in time on a busy machine. */
const FIRST_PAGE = 32;
const LARGEST_PAGE = 5_000;

interface PageSizer {
  size(): number;
  /** Learns from the records of an answer. */
  note(kvs: readonly Pick<IKeyValue, 'key' | 'value'>[]): void;
  /** Call it when the response to `size` keys was too large. False: it cannot shrink further. */
  shrink(size: number): boolean;
}

function pageSizer(): PageSizer {
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

interface RangeRead {
  /** The etcd revision of the state. */
  readonly etcdRevision: number;
  readonly records: StoredRecord[];
  readonly more: boolean;
}

/** Reads at one etcd revision; absent: the newest. Rejects with etcd's error. */
export type ReadRange = (bytes: ByteRange, limit: number, etcdRevision?: number) => Promise<RangeRead>;

export function rangeReader(client: EtcdClient, keys: KeySpace): ReadRange {
  const pages = pageSizer();
  return async (bytes, limit, etcdRevision) => {
    const kvs: IKeyValue[] = [];
    let at = etcdRevision;
    let start = bytes.key;
    for (;;) {
      const request = { key: start, range_end: bytes.range_end, revision: at };
      let size = 0;
      let page: IRangeResponse;
      try {
        page = await client.retried((etcd, options) => {
          // After an attempt that was too late for a page there is time for a part of it.
          if (size > 0) pages.shrink(size);
          size = Math.min(limit - kvs.length, pages.size());
          return etcd.kv.range({ ...request, limit: size }, options);
        });
      } catch (error) {
        if (classify(error) === 'answer too large' && pages.shrink(size)) continue;
        throw error;
      }
      pages.note(page.kvs);
      at ??= Number(page.header.revision);
      for (const kv of page.kvs) kvs.push(kv);
      const last = page.kvs.at(-1);
      if (!page.more || last === undefined || kvs.length >= limit) {
        const records = kvs.map((kv) => recordOf(keys.nameOf(kv.key) ?? '', kv));
        return { etcdRevision: at, records, more: page.more };
      }
      start = Buffer.concat([last.key, Buffer.of(0)]);
    }
  };
}
