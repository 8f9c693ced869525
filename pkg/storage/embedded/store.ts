/** An open store: reads, watches, and the writer. */
import {
  refuseUnreadable,
  StorageError,
  type CommitResult,
  type GetResult,
  type Guard,
  type KeyRange,
  type ReadOptions,
  type ScanOptions,
  type ScanResult,
  type StorageEvent,
  type StorageWatch,
  type WatchOptions,
  type Write,
} from '../interface.js';
import { checkCommit } from '../commitlimits.js';
import type { DiskReserve } from './diskreserve.js';
import { EventBuffer } from './eventbuffer.js';
import { Retention } from './retention.js';
import { openScans, type Scans } from './scans.js';
import { asEvent, logBetween, readAt } from './state.js';
import { META, type Tables } from './tables.js';
import { openWatch, type EventSource, type OpenWatch } from './watch.js';
import { Writer, type Progress } from './writer.js';

const MIB = 1024 * 1024;

export interface HistoryOptions {
  /** The age up to which old revisions can be read and watches resume. Default 600. */
  readonly historySeconds?: number;
  /** The maximum bytes of keys and values of history, whatever their age. Default 512 MiB. */
  readonly historyBytes?: number;
}

export class EmbeddedStore {
  private readonly buffer: EventBuffer;
  private readonly watches = new Set<OpenWatch>();
  private readonly scans: Scans;
  private readonly source: EventSource;
  private readonly writer: Writer;
  private readonly ticking: NodeJS.Timeout;
  private closed: Promise<void> | undefined = undefined;

  constructor(
    options: HistoryOptions,
    private readonly tables: Tables,
    reserve: DiskReserve,
    private readonly progress: Progress,
    private readonly release: (tables: Tables) => Promise<void>,
  ) {
    const seconds = options.historySeconds ?? 600;
    const limits = { seconds, bytes: options.historyBytes ?? 512 * MIB };
    const retention = new Retention(limits, tables.meta.get(META.marks)?.toString());
    this.buffer = new EventBuffer(progress.newest);
    this.scans = openScans(tables, () => this.checkOpen());
    this.source = {
      newest: () => progress.newest,
      oldest: () => progress.oldest,
      after: (revision) => this.eventsAfter(revision),
    };
    const published = (events: readonly StorageEvent[]): void => this.published(events);
    const { oldestInUse } = this.scans;
    this.writer = new Writer({ tables, reserve, retention, progress, published, oldestInUse });
    const tickMs = Math.min(15_000, Math.max(250, seconds * 100));
    this.ticking = setInterval(() => this.writer.tick(), tickMs).unref();
  }

  async get(key: string, { revision }: ReadOptions = {}): Promise<GetResult> {
    this.checkOpen();
    const at = readable(revision, this.progress);
    const record = readAt(this.tables, key, at);
    refuseUnreadable(record);
    return { revision: at, record };
  }

  async scan(range: KeyRange, { revision, limit = Infinity }: ScanOptions = {}): Promise<ScanResult> {
    this.checkOpen();
    return this.scans.scan(range, readable(revision, this.progress), limit);
  }

  async commit(writes: readonly Write[], guards: readonly Guard[] = []): Promise<CommitResult> {
    this.checkOpen();
    return this.writer.commit({ writes, guards }, checkCommit(writes, guards));
  }

  watch(range: KeyRange, { after = this.progress.newest, standing }: WatchOptions = {}): StorageWatch {
    const { source, watches } = this;
    const watch = openWatch(source, range, after, (ended) => watches.delete(ended));
    watches.add(watch);
    if (this.closed !== undefined) watch.cancel();
    else if (after >= source.oldest()) standing?.();
    return watch;
  }

  revisionNow(): number {
    this.checkOpen();
    return this.progress.newest;
  }

  async currentRevision(): Promise<number> {
    return this.revisionNow();
  }

  async compact(revision: number): Promise<void> {
    this.checkOpen();
    if (revision > this.progress.newest) throw future(revision, this.progress);
    if (revision > this.progress.oldest) await this.writer.forget(revision);
  }

  close(): Promise<void> {
    this.closed ??= this.closeOnce();
    return this.closed;
  }

  private async closeOnce(): Promise<void> {
    clearInterval(this.ticking);
    await this.writer.close();
    for (const watch of this.watches) watch.cancel();
    await this.release(this.tables);
  }

  private checkOpen(): void {
    if (this.closed !== undefined) throw closedError();
  }

  private published(events: readonly StorageEvent[]): void {
    this.buffer.push(events);
    for (const watch of this.watches) watch.wake();
  }

  private eventsAfter(revision: number): Iterable<StorageEvent> {
    return revision >= this.buffer.after ? this.buffer.since(revision) : this.eventsInLog(revision);
  }

  private *eventsInLog(revision: number): Generator<StorageEvent> {
    if (revision < this.progress.oldest) throw compacted(revision, this.progress);
    for (const { revision: at, entry } of logBetween(this.tables, revision, this.progress.newest)) {
      // The change is unknown, so no watch can resume across it.
      if (entry === undefined) throw new StorageError({ code: 'compacted', revision, oldest: at });
      yield asEvent(entry, at);
    }
  }
}

/** The revision to read at. @throws StorageError `compacted`, `future revision` */
function readable(revision: number | undefined, progress: Progress): number {
  if (revision === undefined) return progress.newest;
  if (revision > progress.newest) throw future(revision, progress);
  if (revision < progress.oldest) throw compacted(revision, progress);
  return revision;
}

function compacted(revision: number, { oldest }: Progress): StorageError {
  return new StorageError({ code: 'compacted', revision, oldest });
}

function future(revision: number, { newest }: Progress): StorageError {
  return new StorageError({ code: 'future revision', revision, current: newest });
}

function closedError(): StorageError {
  return new StorageError({ code: 'unavailable', reason: 'the store is closed', outcome: 'none' });
}
