/** One watch: a queue of events, and a pump that sends them no faster than the client reads. */
import { beginSlice } from '../../apimachinery/eventloop/slices.js';
import { expired, otherRights } from '../../apimachinery/errors.js';
import type { CacheEvent, Entry, Snapshot, Subscription } from '../../cache/interface.js';
import type { LiveView } from '../../authorization/visibility.js';
import { EVERYTHING } from '../../registry/visibilityfilter.js';
import { scanRange, watchedPrefix } from '../../registry/generic/scanrange.js';
import { deliverSoon, type Delivery } from './deliveries.js';
import { eventType, type EventType, type WatchEncoder } from './watchencoder.js';
import { joinedFrames } from './joinedframes.js';
import { WatchFilter } from './watchfilter.js';
import type { WatchWriter } from './watchwriter.js';
import type { SentEvents, TickedWatch, WatchRegistry } from './watchregistry.js';
import type { WatchPlan } from './watchplan.js';

/** Bytes that are handed to the socket at a time. */
const SLICE_BYTES = 256 * 1024;
/** A client that is this far behind, in bytes of events, is cut off. */
const MAX_BEHIND_BYTES = 64 * 1024 * 1024;
const BOOKMARK_MS = 60_000;
const LAST_BOOKMARK_MS = 2_000;
/** How long a client has to read the last event after its right was revoked, in ms. */
const LOST_MS = 500;

interface Pending {
  readonly event: CacheEvent;
  readonly type: EventType;
}

export class WatchStream implements TickedWatch, Delivery {
  private subscription: Subscription | undefined;
  private watchFilter: WatchFilter | undefined;
  private initial: Iterator<Entry> | undefined;
  private queue: Pending[] = [];
  private sent = 0;
  private behind = 0;
  private scheduled = false;
  private blocked = false;
  private ended = false;
  /** Whether the watch is paused until its request is revalidated. */
  private asking = false;
  private readonly deadline: number;
  private nextBookmark = performance.now() + BOOKMARK_MS;
  private lastBookmark = false;
  private readonly counted: SentEvents;

  constructor(
    private readonly plan: WatchPlan,
    private readonly frames: WatchEncoder,
    private readonly writer: WatchWriter,
    private readonly watches: WatchRegistry,
  ) {
    this.counted = watches.sentTo(plan.store.definition);
    this.deadline = performance.now() + plan.seconds * 1000;
  }

  /** @param state objects to send as ADDED events before all others; released after that. */
  begin(state?: Snapshot): void {
    const { store, after, resourceVersion, view, namespace, selection } = this.plan;
    // The visibility of an object depends on more than its own events.
    const prefix = !('filter' in view)
      ? watchedPrefix(namespace, selection, store.definition.namespaced)
      : this.plan.prefix;
    if ('filter' in view && !view.filter.unchangedSince(after)) return this.fail(otherRights().status);
    if ('filter' in view) this.watchFilter = this.openFilter(view.filter);
    this.initial = state && this.initialEntries(state);
    const result = store.cache.subscribe(
      { after, prefix, repeats: state === undefined && resourceVersion === String(after) },
      {
        events: (events) => {
          if (this.watchFilter === undefined) this.take(events);
          else this.watchFilter.take(events);
        },
        progress: () => undefined,
        end: () => {
          this.end();
        },
      },
    );
    if ('oldest' in result) {
      this.fail(expired(`too old resource version: ${resourceVersion} (${result.oldest})`).status);
      return;
    }
    this.subscription = result;
    if (this.ended) return result.cancel();
    this.watches.add(this);
    this.schedule();
  }

  private openFilter(view: LiveView): WatchFilter {
    const { store, prefix } = this.plan;
    return new WatchFilter({
      view,
      cache: store.cache,
      prefix,
      pass: (events) => this.take(events),
      lost: () => this.fail(otherRights().status),
    });
  }

  private initialEntries(initial: Snapshot): Iterator<Entry> {
    const { prefix, namespace, selection, store } = this.plan;
    const shown = this.watchFilter?.shown ?? EVERYTHING;
    if ('all' in shown) {
      const found = scanRange(initial, namespace, selection, store.definition.namespaced);
      return found.range.entries(found.prefix)[Symbol.iterator]();
    }
    return shown.filter.in(initial, prefix).entries(prefix)[Symbol.iterator]();
  }

  private take(events: readonly CacheEvent[]): void {
    for (const event of events) {
      const type = eventType(event, this.plan.selection);
      if (type === undefined) continue;
      this.queue.push({ event, type });
      this.behind += event.entry.byteLength;
    }
    if (this.behind > MAX_BEHIND_BYTES) return this.cut();
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.blocked || this.asking || this.ended) return;
    this.scheduled = true;
    deliverSoon(this);
  }

  get connection(): number {
    return this.writer.connection;
  }

  deliver(): void {
    this.scheduled = false;
    if (this.ended || this.blocked || !this.mayGoOn()) return;
    const slice = this.slice();
    if (slice !== undefined && !this.writer.write(slice)) {
      this.blocked = true;
      this.writer.drained(() => {
        this.blocked = false;
        this.schedule();
      });
    } else if (!this.idle()) this.schedule();
  }

  /** Whether the next event may be sent; if not known yet, the watch pauses until the request is revalidated. */
  private mayGoOn(): boolean {
    const { open } = this.plan;
    if (open === undefined || open.isCurrent()) return true;
    const outcome = open.revalidate('event');
    if (outcome === 'valid') return true;
    this.asking = !this.ended;
    if (outcome instanceof Promise) void outcome.then((late) => late === 'valid' && this.resume());
    return false;
  }

  /** The request was revalidated: continues the watch. */
  resume(): void {
    if (!this.asking) return;
    this.asking = false;
    this.schedule();
  }

  private idle(): boolean {
    return this.initial === undefined && this.sent === this.queue.length;
  }

  /** The next frames, joined; undefined when none of the objects looked at gave one. */
  private slice(): Buffer | undefined {
    const frames: Buffer[] = [];
    let size = 0;
    const isOver = beginSlice();
    while (size < SLICE_BYTES && !this.idle()) {
      const frame = this.initial === undefined ? this.nextEvent() : this.nextInitial(this.initial);
      if (frame !== undefined) {
        frames.push(frame);
        size += frame.length;
      }
      if (isOver()) break;
    }
    this.counted.events += frames.length;
    this.counted.bytes += size;
    return frames.length > 1 ? joinedFrames(frames, size) : frames[0];
  }

  /** Current objects in key order, then the bookmark that ends them. */
  private nextInitial(entries: Iterator<Entry>): Buffer | undefined {
    const { done, value } = entries.next();
    if (done !== true) return this.plan.selection.matches(value) ? this.frames.ofInitial(value) : undefined;
    this.initial = undefined;
    if (!this.plan.bookmarks) return undefined;
    return this.frames.bookmark(this.plan.after, { 'k8s.io/initial-events-end': 'true' });
  }

  private nextEvent(): Buffer {
    const { event, type } = this.queue[this.sent]!;
    this.sent += 1;
    this.behind -= event.entry.byteLength;
    if (this.sent === this.queue.length) {
      this.queue = [];
      this.sent = 0;
    }
    return this.frames.ofEvent(event, type);
  }

  tick(now: number): void {
    const last = !this.lastBookmark && now >= this.deadline - LAST_BOOKMARK_MS;
    if (this.plan.bookmarks && (last || now >= this.nextBookmark) && this.idle() && !this.blocked) {
      this.lastBookmark = last;
      this.nextBookmark = now + BOOKMARK_MS;
      const revision = this.plan.store.cache.revision();
      if (revision > this.plan.after && this.mayGoOn()) this.writer.write(this.frames.bookmark(revision));
    }
    if (now >= this.deadline) this.end();
  }

  /**
   * Ends the watch: its credential has expired or its right was revoked. Unread events are dropped with the connection.
   */
  revoke(status: object): void {
    if (this.ended) return;
    if (this.blocked) return this.cut();
    this.fail(status);
    setTimeout(() => this.writer.destroy(), LOST_MS).unref();
  }

  private fail(status: object): void {
    this.writer.write(this.frames.error(status));
    this.end();
  }

  /** Ends the stream cleanly. */
  end(): void {
    if (this.ended) return;
    this.stop();
    this.writer.end();
  }

  private cut(): void {
    this.stop();
    this.writer.destroy();
  }

  /** Releases everything when the connection is closed or about to be. */
  stop(): void {
    this.ended = true;
    this.queue = [];
    this.subscription?.cancel();
    this.watchFilter?.close();
    this.watches.remove(this);
  }
}
