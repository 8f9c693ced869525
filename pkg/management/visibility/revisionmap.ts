/**
 * Roles and bindings of the host have other revisions than our objects. This notes which revisions their caches had when
 * our store reached a revision.
 */
import type { CacheEvent, ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { allOf, type RbacCaches } from '../../authorization/rbac/caches.js';

/** The revisions of roles and bindings at the time when one of ours was new. */
export interface PastRights {
  /** Every server had applied events up to these. `own`: our revision at that time. */
  readonly surely: { readonly own: number; readonly of: ReadonlyMap<ResourceCache, number> };
  /** No server had applied events after these. */
  readonly atMost: ReadonlyMap<ResourceCache, number>;
}

export interface RevisionMapOptions {
  /** Our own store. */
  readonly own: { revision(): number };
  readonly caches: RbacCaches;
  /** How far the roles and bindings of another server may lag, in ms. */
  readonly lagMs?: number;
  /** How long notes are kept, in ms. */
  readonly keepMs?: number;
  /** Interval between notes, in ms. */
  readonly everyMs?: number;
  /** In ms, monotonic. */
  readonly now?: () => number;
}

interface Note {
  readonly at: number;
  readonly own: number;
  readonly of: ReadonlyMap<ResourceCache, number>;
  /** The number of changes of roles and bindings so far. */
  readonly changes: number;
}

export class RevisionMap {
  private readonly own: RevisionMapOptions['own'];
  private readonly caches: readonly ResourceCache[];
  private readonly lagMs: number;
  private readonly keepMs: number;
  private readonly everyMs: number;
  private readonly now: () => number;
  private readonly listeners: (() => void)[] = [];
  private readonly notes: Note[] = [];
  private readonly subscriptions: readonly (() => void)[];
  private readonly timer: NodeJS.Timeout;
  private changes = 0;
  /** Our revision at the first note. */
  private begun: number | undefined;

  /** The caches may be empty at first. */
  constructor(options: RevisionMapOptions) {
    const { own, lagMs = 5_000, keepMs = 90_000, everyMs = 1_000, now = () => performance.now() } = options;
    this.own = own;
    this.caches = allOf(options.caches);
    this.lagMs = lagMs;
    this.keepMs = keepMs;
    this.everyMs = everyMs;
    this.now = now;
    this.subscriptions = this.caches.map((cache) =>
      onChanges(
        cache,
        (events) => this.changed(cache, events),
        () => this.rebuilt(),
      ),
    );
    this.timer = setInterval(() => this.noteIfLoaded(), everyMs).unref();
  }

  /** Undefined if the revision is too old, or not noted yet. */
  past(revision: number): PastRights | undefined {
    this.note();
    const at = this.indexAt(revision);
    const [first, before] = [this.notes[at], this.notes[at - 1]];
    // It is not known when the revision of the first note was new.
    if (first === undefined || before === undefined) return undefined;
    const surely = this.notes.findLast((one) => one.at <= before.at - this.lagMs) ?? this.notes[0];
    return surely && { surely, atMost: first.of };
  }

  /**
   * Whether roles and bindings have not changed since this server reached the revision. False for revisions up to that
   * of the first note.
   */
  unchangedSince(revision: number): boolean {
    this.note();
    return (
      revision > (this.begun ?? revision) && this.notes[this.indexAt(revision)]?.changes === this.changes
    );
  }

  /** Makes the first note now rather than by the timer. Throws `CacheUnavailable` if a cache is not loaded. */
  begin(): void {
    this.note();
  }

  /** Calls the listener at each change, before other code sees it. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private noteIfLoaded(): void {
    try {
      this.note();
    } catch {
      // The caches are not loaded.
    }
  }

  private note(): void {
    for (const subscribe of this.subscriptions) subscribe();
    const last = this.notes.at(-1);
    const moved = last?.own !== this.own.revision() || last.changes !== this.changes;
    if (moved || this.now() - last.at >= this.everyMs) this.push(this.revisions());
  }

  private push(of: ReadonlyMap<ResourceCache, number>): void {
    const [now, own] = [this.now(), this.own.revision()];
    this.begun ??= own;
    this.notes.push({ at: now, own, of, changes: this.changes });
    const recent = this.notes.findIndex(({ at }) => now - at < this.keepMs);
    if (recent > 1) this.notes.splice(0, recent - 1);
  }

  private changed(cache: ResourceCache, events: readonly CacheEvent[]): void {
    // Our current revision was reached before the change.
    const [{ revision = 1 } = {}] = events;
    if (this.notes.at(-1)?.own !== this.own.revision()) this.push(this.revisions().set(cache, revision - 1));
    this.notify();
  }

  private rebuilt(): void {
    if (this.notes.length > 0) this.notify();
  }

  private notify(): void {
    this.changes += 1;
    for (const listener of this.listeners) listener();
  }

  private revisions(): Map<ResourceCache, number> {
    return new Map(this.caches.map((cache) => [cache, cache.revision()]));
  }

  /** The index of the first note at which our store had reached the revision. */
  private indexAt(revision: number): number {
    return this.notes.findIndex(({ own }) => own >= revision);
  }
}
