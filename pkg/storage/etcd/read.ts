/** Reading: one key, a range, the current revision; now, or as of an old revision. */
import {
  StorageError,
  type GetResult,
  type KeyRange,
  type ReadOptions,
  type ScanOptions,
  type ScanResult,
  type StorageEvent,
  type StoredRecord,
} from '../interface.js';
import type { EtcdClient } from './client.js';
import { classify, unavailable } from './failure.js';
import type { History } from './history.js';
import { inByteRange, type ByteRange, type KeySpace } from './keyspace.js';
import { rangeReader, type ReadRange } from './ranges.js';
import { LAST_POSITION, POSITIONS, etcdRevisionOf, newestOf, positionOf } from './revision.js';

export class Reader {
  private readonly readRange: ReadRange;

  constructor(
    client: EtcdClient,
    private readonly keys: KeySpace,
    private readonly history: History,
  ) {
    this.readRange = rangeReader(client, keys);
  }

  async get(key: string, { revision }: ReadOptions = {}): Promise<GetResult> {
    const bytes = this.keys.dataKey(key);
    const only = { key: bytes, range_end: Buffer.concat([bytes, Buffer.of(0)]) };
    const found = await this.scanBytes(only, { revision, limit: 1 });
    return { revision: found.revision, record: found.records[0] };
  }

  async scan(range: KeyRange, options: ScanOptions = {}): Promise<ScanResult> {
    const bytes = this.keys.dataRange(range);
    if (bytes !== undefined && (options.limit ?? 1) > 0) return this.scanBytes(bytes, options);
    const probe = await this.scanBytes(probeRange(this.keys), { revision: options.revision, limit: 1 });
    return { revision: probe.revision, records: [], more: false };
  }

  private async scanBytes(
    bytes: ByteRange,
    { revision, limit = Infinity }: ScanOptions,
  ): Promise<ScanResult> {
    try {
      if (revision === undefined) return await this.scanNewest(bytes, limit);
      return await this.scanAt(bytes, limit, revision);
    } catch (error) {
      throw await this.explained(error, revision);
    }
  }

  private async scanNewest(bytes: ByteRange, limit: number): Promise<ScanResult> {
    const { etcdRevision, records, more } = await this.readRange(bytes, limit);
    this.history.note(newestOf(etcdRevision));
    return { revision: newestOf(etcdRevision), records, more };
  }

  private async scanAt(bytes: ByteRange, limit: number, revision: number): Promise<ScanResult> {
    this.history.checkReadable(revision);
    const etcdRevision = etcdRevisionOf(revision);
    // Revision 1 of etcd is the empty store.
    if (positionOf(revision) === LAST_POSITION || etcdRevision === 1) {
      const { records, more } = await this.readRange(bytes, limit, etcdRevision);
      return { revision, records, more };
    }
    return this.scanInside(bytes, limit, revision);
  }

  /** Computes the state inside an etcd revision from the previous one and the events up to the position. */
  private async scanInside(bytes: ByteRange, limit: number, revision: number): Promise<ScanResult> {
    const { keys } = this;
    const etcdRevision = etcdRevisionOf(revision);
    const before = await this.readRange(bytes, limit + POSITIONS, etcdRevision - 1);
    const events = await this.history.eventsOf(etcdRevision);
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

  private async explained(error: unknown, revision: number | undefined): Promise<StorageError> {
    if (error instanceof StorageError || revision === undefined) return unavailable(error, 'none');
    const failure = classify(error);
    if (failure === 'compacted') return this.history.compacted(revision);
    if (failure === 'future revision') {
      return new StorageError({ code: failure, revision, current: await this.history.current() });
    }
    return unavailable(error, 'none');
  }
}

/** A range without records, for a response that needs only the revision. */
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
