/** Passes the visible events of a watch, and notifies when the visible objects change otherwise. */
import type { CacheEvent, Entry, ResourceCache } from '../../cache/interface.js';
import type { LiveView } from '../../authorization/visibility.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { Shown, VisibilityFilter } from '../../registry/visibilityfilter.js';
import { onEndOfTurn, type EndOfTurn } from '../ticks.js';

export interface WatchFilterOptions {
  readonly view: LiveView;
  /** Of the kind. */
  readonly cache: ResourceCache;
  /** `''`, or `namespace/`. */
  readonly prefix: string;
  readonly pass: (events: readonly CacheEvent[]) => void;
  /** Called when objects became visible or invisible without being created or deleted. No more events are passed. */
  readonly lost: () => void;
}

/**
 * Events are filtered at the end of their turn, when all caches have the whole commit: rights that came with a new
 * object, or ended with a deleted one, then do not affect other objects.
 */
export class WatchFilter implements EndOfTurn {
  /** The current filter. */
  shown: Shown<VisibilityFilter>;
  private waiting: CacheEvent[] = [];
  private changed = false;
  private asked = false;
  private closed = false;
  private readonly following: { cancel(): void };

  constructor(private readonly options: WatchFilterOptions) {
    this.shown = options.view.current();
    this.following = options.view.follow((what) => {
      if (what === 'identity') this.lose();
      this.changed = true;
      this.ask();
    });
  }

  take(events: readonly CacheEvent[]): void {
    this.waiting.push(...events);
    this.ask();
  }

  private ask(): void {
    if (this.asked || this.closed) return;
    this.asked = true;
    onEndOfTurn(this);
  }

  atEndOfTurn(): void {
    this.asked = false;
    if (this.closed) return;
    const events = this.waiting;
    this.waiting = [];
    const before = this.shown;
    if (this.changed) {
      this.changed = false;
      this.shown = this.options.view.current();
      if (this.differs(before, events)) return this.lose();
    }
    const after = this.shown;
    if ('all' in before && 'all' in after) return this.options.pass(events);
    const begun = new Map<string, Entry>();
    const seen = events.filter(({ entry, previous }) => {
      if (previous === undefined && !begun.has(entry.path)) begun.set(entry.path, entry);
      const shown = begun.has(entry.path) ? after : before;
      return 'all' in shown || shown.filter.sees(entry);
    });
    if (seen.some((event) => isAnother(event, begun.get(event.entry.path)))) return this.lose();
    if (seen.length > 0) this.options.pass(seen);
  }

  /** Whether the visibility of existing objects, except those just created, has changed. */
  private differs(before: Shown<VisibilityFilter>, events: readonly CacheEvent[]): boolean {
    const after = this.shown;
    if ('all' in before || 'all' in after) return 'filter' in before || 'filter' in after;
    const { cache, prefix } = this.options;
    const begun = new Set(
      events.filter(({ previous }) => previous === undefined).map(({ entry }) => entry.path),
    );
    const state = cache.latest();
    const news = (one: VisibilityFilter, other: VisibilityFilter): boolean => {
      for (const entry of one.in(state, prefix).entries(prefix))
        if (!begun.has(entry.path) && !other.sees(entry)) return true;
      return false;
    };
    return news(before.filter, after.filter) || news(after.filter, before.filter);
  }

  private lose(): void {
    if (this.closed) return;
    this.close();
    this.options.lost();
  }

  close(): void {
    this.closed = true;
    this.waiting = [];
    this.following.cancel();
  }
}

/**
 * Whether an object created in the same turn as `first` has another owner or other rights by now: then its earlier
 * events were not for every watcher.
 */
function isAnother({ entry, deleted }: CacheEvent, first: Entry | undefined): boolean {
  if (first === undefined || entry === first || deleted) return false;
  return !sameJson(entry.object().spec, first.object().spec);
}
