/** Ranges of keys, read in pages that fit into etcd's responses. */
import type { IKeyValue, IRangeResponse } from 'etcd3';
import type { StoredRecord } from '../interface.js';
import type { EtcdClient } from './client.js';
import { classify } from './failure.js';
import type { ByteRange, KeySpace } from './keyspace.js';
import { pageSizer } from './page.js';
import { recordOf } from './record.js';

export interface RangeRead {
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
      const size = Math.min(limit - kvs.length, pages.size());
      const request = { key: start, range_end: bytes.range_end, limit: size, revision: at };
      let page: IRangeResponse;
      try {
        page = await client.retried((etcd, options) => etcd.kv.range(request, options));
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
