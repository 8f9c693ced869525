/** Reading: one key, a range, the current revision; now, or as of an old revision. */
import { StorageError } from '../interface.js';
import type {
  GetResult,
  KeyRange,
  ReadOptions,
  ScanOptions,
  ScanResult,
  StorageEvent,
  StoredRecord,
} from '../interface.js';
import type { EtcdClient } from './client.js';
import { classify, unavailable } from './failure.js';
import type { History } from './history.js';
import { inByteRange } from './keyspace.js';
import type { ByteRange, KeySpace } from './keyspace.js';
import { rangeReader } from './ranges.js';
import { LAST_POSITION, POSITIONS, etcdRevisionOf, newestOf, positionOf } from './revision.js';

export interface Reader {
  get(key: string, options?: ReadOptions): Promise<GetResult>;
  scan(range: KeyRange, options?: ScanOptions): Promise<ScanResult>;
}

export function reader(client: EtcdClient, keys: KeySpace, history: History): Reader {
  const readRange = rangeReader(client, keys);

  async function scanNewest(bytes: ByteRange, limit: number): Promise<ScanResult> {
    const { etcdRevision, records, more } = await readRange(bytes, limit);
    history.note(newestOf(etcdRevision));
    return { revision: newestOf(etcdRevision), records, more };
  }

  /** The state inside an etcd revision is that of the one before it and the events up to the position. */
  async function scanInside(bytes: ByteRange, limit: number, revision: number): Promise<ScanResult> {
    const etcdRevision = etcdRevisionOf(revision);
    const before = await readRange(bytes, limit + POSITIONS, etcdRevision - 1);
    const events = await history.eventsOf(etcdRevision);
    const state = new Map(before.records.map((record) => [record.key, record]));
    const lastKey = before.more ? before.records.at(-1)?.key : undefined;
    const end = lastKey === undefined ? undefined : keys.dataKey(lastKey);
    for (const event of events) {
      if (event.revision > revision) break;
      const key = keys.dataKey(event.key);
      const seen = inByteRange(bytes, key) && (end === undefined || Buffer.compare(key, end) <= 0);
      if (seen) applyEvent(state, event);
    }
    const records = [...state.values()].sort(byKeyBytes);
    const more = before.more || records.length > limit;
    return { revision, records: records.slice(0, limit), more };
  }

  async function scanBytes(bytes: ByteRange, options: ScanOptions): Promise<ScanResult> {
    const { revision, limit = Infinity } = options;
    if (revision === undefined) return scanNewest(bytes, limit);
    history.checkReadable(revision);
    const etcdRevision = etcdRevisionOf(revision);
    // Revision 1 of etcd is the empty store.
    if (positionOf(revision) === LAST_POSITION || etcdRevision === 1) {
      const { records, more } = await readRange(bytes, limit, etcdRevision);
      return { revision, records, more };
    }
    return scanInside(bytes, limit, revision);
  }

  async function explained<T>(revision: number | undefined, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof StorageError || revision === undefined) throw unavailable(error, 'none');
      const failure = classify(error);
      if (failure === 'compacted') throw await history.compacted(revision);
      if (failure === 'future revision') {
        throw new StorageError({ code: failure, revision, current: await history.current() });
      }
      throw unavailable(error, 'none');
    }
  }

  return {
    scan: (asked, options = {}) =>
      explained(options.revision, async () => {
        const bytes = keys.dataRange(asked);
        if (bytes !== undefined && (options.limit ?? 1) > 0) return scanBytes(bytes, options);
        const probe = await scanBytes(probeRange(keys), { revision: options.revision, limit: 1 });
        return { revision: probe.revision, records: [], more: false };
      }),
    get: (key, { revision } = {}) =>
      explained(revision, async () => {
        const bytes = keys.dataKey(key);
        const only = { key: bytes, range_end: Buffer.concat([bytes, Buffer.of(0)]) };
        const found = await scanBytes(only, { revision, limit: 1 });
        return { revision: found.revision, record: found.records[0] };
      }),
  };
}

/** A range without records: for an answer that needs only the revision. */
function probeRange(keys: KeySpace): ByteRange {
  const key = keys.dataKey('');
  return { key, range_end: Buffer.concat([key, Buffer.of(0)]) };
}

function applyEvent(state: Map<string, StoredRecord>, { key, value, revision }: StorageEvent): void {
  if (value === undefined) state.delete(key);
  else state.set(key, { key, value, revision });
}

function byKeyBytes(left: StoredRecord, right: StoredRecord): number {
  return Buffer.compare(Buffer.from(left.key), Buffer.from(right.key));
}
