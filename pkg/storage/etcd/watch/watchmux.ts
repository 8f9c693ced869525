/**
 * The one watch of etcd, over everything under the prefix, that feeds all watches of the process. A watch
 * that begins in the past first catches up on a watch of its own.
 */
import { StorageError, type StorageWatch, type KeyRange } from '../../interface.js';
import type { EtcdClient } from '../client.js';
import { decodeRevision, type KeyedEvent } from './events.js';
import type { HistoryCompacted, RawRevision, RevisionWatch, RevisionWatchItem } from './revisionwatch.js';
import { rewatch, type RewatchSteps } from './rewatch.js';
import type { History } from '../history.js';
import type { KeySpace } from '../keyspace.js';
import { etcdRevisionOf, firstEtcdRevisionAfter, newestOf } from '../revision.js';
import { Subscription } from './subscription.js';

/** How often progress is requested, and after how much silence the watch is reopened. */
const PROGRESS_MS = 1_000;
const SILENCE_MS = 5_000;
const CATCH_UP_PROGRESS_MS = 50;
const HURRY_AGAIN_MS = 20;

export class WatchMux {
  /** The etcd revision up to which everything was delivered. */
  private delivered: number;
  private closed = false;
  private revisions: RevisionWatch | undefined = undefined;
  /** Whether etcd has confirmed the open watch. */
  private isOpen = false;
  private lastMessageAt = performance.now();
  private hurried = { revision: 0, at: 0 };
  private readonly joined = new Set<Subscription>();
  private readonly all = new Set<Subscription>();
  private readonly closing = new AbortController();
  private readonly ticker: NodeJS.Timeout;
  private readonly running: Promise<void>;

  /** @param from watches after this etcd revision */
  constructor(
    private readonly client: EtcdClient,
    private readonly keys: KeySpace,
    private readonly history: History,
    from: number,
  ) {
    this.delivered = from;
    this.ticker = setInterval(() => this.tick(), PROGRESS_MS).unref();
    this.running = this.run();
  }

  watch(range: KeyRange, after: number, standing?: () => void): StorageWatch {
    const one = new Subscription(this.keys.dataRange(range), after, standing);
    one.onEnd(() => {
      this.joined.delete(one);
      this.all.delete(one);
    });
    if (this.closed) {
      one.end();
      return one.watch;
    }
    this.all.add(one);
    try {
      this.history.checkReadable(after);
      if (firstEtcdRevisionAfter(after) <= this.delivered) void this.deliverHistory(one);
      else {
        this.joined.add(one);
        if (this.isOpen) one.stand();
      }
    } catch (error) {
      // `checkReadable` throws nothing else.
      one.end(error as StorageError);
    }
    return one.watch;
  }

  /** Requests progress from etcd now, unless everything up to `revision` has arrived. */
  hurry(revision: number): void {
    const wanted = etcdRevisionOf(revision);
    const asked = wanted <= this.hurried.revision && performance.now() - this.hurried.at < HURRY_AGAIN_MS;
    if (wanted <= this.delivered || asked) return;
    this.hurried = { revision: wanted, at: performance.now() };
    this.revisions?.requestProgress();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.closing.abort();
    clearInterval(this.ticker);
    for (const one of [...this.all]) one.end();
    this.revisions?.cancel();
    await this.running;
  }

  private tick(): void {
    if (performance.now() - this.lastMessageAt > SILENCE_MS) {
      this.lastMessageAt = performance.now();
      this.revisions?.cancel();
    } else this.revisions?.requestProgress();
  }

  private rewatch(steps: RewatchSteps): Promise<HistoryCompacted | undefined> {
    return rewatch(this.client, this.keys, steps, this.closing.signal);
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      const end = await this.rewatch({
        wanted: () => !this.closed,
        start: () => this.delivered + 1,
        onOpen: (opened) => {
          this.revisions = opened;
          this.lastMessageAt = performance.now();
        },
        onItem: (item) => this.dispatch(item),
        onClose: () => {
          this.isOpen = false;
          this.client.interrupted();
        },
      });
      if (end === undefined) continue;
      this.endAll(newestOf(end.etcdRevision));
      this.delivered = Math.max(this.delivered, end.etcdRevision);
    }
  }

  private dispatch({ revisions, upTo }: RevisionWatchItem): void {
    this.lastMessageAt = performance.now();
    if (!this.isOpen) for (const one of this.joined) one.stand();
    this.isOpen = true;
    if (upTo <= this.delivered) return;
    const events = this.decode(revisions);
    this.delivered = upTo;
    this.history.note(newestOf(upTo));
    for (const one of [...this.joined]) one.push(events, newestOf(upTo));
  }

  /** Decodes new events. Watches end at a revision whose events cannot be distinguished. */
  private decode(revisions: readonly RawRevision[]): KeyedEvent[] {
    const events: KeyedEvent[] = [];
    for (const raw of revisions) {
      if (raw.etcdRevision <= this.delivered) continue;
      const decoded = decodeRevision(this.keys, raw);
      if (decoded === undefined) {
        this.endAll(newestOf(raw.etcdRevision));
        events.length = 0;
      } else for (const event of decoded) events.push(event);
    }
    return events;
  }

  private endAll(oldest: number): void {
    for (const one of [...this.joined]) {
      if (one.pushedRevision() < oldest) one.end(compacted(one, oldest));
    }
  }

  /** Delivers history until it meets the events of the mux. */
  private async deliverHistory(one: Subscription): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let own: RevisionWatch | undefined;
    one.onEnd(() => own?.cancel());
    const end = await this.rewatch({
      wanted: () => !one.ended() && !this.joined.has(one),
      start: () => firstEtcdRevisionAfter(one.pushedRevision()),
      onOpen: (opened) => {
        own = opened;
        clearInterval(timer);
        timer = setInterval(() => opened.requestProgress(), CATCH_UP_PROGRESS_MS);
      },
      onItem: (item) => this.deliverPast(one, item),
    }).finally(() => clearInterval(timer));
    if (end !== undefined) one.end(compacted(one, newestOf(end.etcdRevision)));
  }

  private async deliverPast(one: Subscription, { revisions, upTo }: RevisionWatchItem): Promise<void> {
    one.stand();
    for (const raw of revisions) {
      const decoded = decodeRevision(this.keys, raw);
      if (decoded === undefined) return one.end(compacted(one, newestOf(raw.etcdRevision)));
      one.push(decoded, newestOf(raw.etcdRevision));
      await one.room();
    }
    one.push([], newestOf(upTo));
    if (upTo >= this.delivered && !one.ended()) this.joined.add(one);
  }
}

function compacted(one: Subscription, oldest: number): StorageError {
  return new StorageError({ code: 'compacted', revision: one.pushedRevision(), oldest });
}
