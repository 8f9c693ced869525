/**
 * Where roles and bindings are on other lines of revisions than the objects that they are about: what their caches had
 * reached when ours reached a revision, as far as this server noted it.
 */
import type { CacheEvent, ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import type { RbacCaches } from '../rbac/policy.js';

/** Of roles and bindings, when a revision of ours was new. */
export interface PastRights {
  /** Everybody saw what came before these; `own`: what we had then. */
  readonly surely: { readonly own: number; readonly of: ReadonlyMap<ResourceCache, number> };
  /** Nobody saw at the revision what came after these. */
  readonly atMost: ReadonlyMap<ResourceCache, number>;
}

export interface RevisionMap {
  /** Undefined where it cannot be told any more. */
  past(revision: number): PastRights | undefined;
  /**
   * Whether roles and bindings are as they were when this server reached the revision. False of one that it had reached
   * before the first note.
   */
  unchangedSince(revision: number): boolean;
  /** Makes the first note; until then it is tried every now and then. Throws `CacheUnavailable` before a cache is loaded. */
  begin(): void;
  /** Told of each change, in the turn in which it comes in. */
  onChange(this: void, listener: () => void): void;
  close(): void;
}

export interface HostLinesOptions {
  /** Of our own store. */
  readonly own: { revision(): number };
  readonly caches: RbacCaches;
  /** How far another server may be behind with roles and bindings, in ms. */
  readonly lagMs?: number;
  /** How long notes are kept, in ms. */
  readonly keepMs?: number;
  /** How often a note is made, in ms. */
  readonly everyMs?: number;
  /** ms, monotonic. */
  readonly now?: () => number;
}

interface Note {
  readonly at: number;
  readonly own: number;
  readonly of: ReadonlyMap<ResourceCache, number>;
  /** How many changes of roles and bindings had come in. */
  readonly changes: number;
}

/** `caches` may be unloaded at first. */
export function revisionMap(options: HostLinesOptions): RevisionMap {
  const { own, lagMs = 5_000, keepMs = 90_000, everyMs = 1_000, now = () => performance.now() } = options;
  const caches = Object.values<ResourceCache>({ ...options.caches });
  const listeners: (() => void)[] = [];
  const notes: Note[] = [];
  let changes = 0;
  /** What ours had come to by the first note. */
  let begun: number | undefined;
  const push = (of: ReadonlyMap<ResourceCache, number>): void => {
    begun ??= own.revision();
    notes.push({ at: now(), own: own.revision(), of, changes });
    const old = notes.findIndex(({ at }) => now() - at < keepMs);
    if (old > 1) notes.splice(0, old - 1);
  };
  const revisions = (): Map<ResourceCache, number> =>
    new Map(caches.map((cache) => [cache, cache.revision()]));
  const tell = (): void => {
    changes += 1;
    for (const listener of listeners) listener();
  };
  const rebuilt = (): void => {
    if (notes.length > 0) tell();
  };
  const changed = (cache: ResourceCache, events: readonly CacheEvent[]): void => {
    // What ours has come to came before the change.
    const [{ revision = 1 } = {}] = events;
    if (notes.at(-1)?.own !== own.revision()) push(revisions().set(cache, revision - 1));
    tell();
  };
  const following = caches.map((cache) => onChanges(cache, (events) => changed(cache, events), rebuilt));

  function note(): void {
    for (const follow of following) follow();
    const last = notes.at(-1);
    const moved = last?.own !== own.revision() || last.changes !== changes;
    if (moved || now() - last.at >= everyMs) push(revisions());
  }
  /** The first note at which ours had come so far. */
  const reached = (revision: number): number => notes.findIndex((one) => one.own >= revision);

  const timer = setInterval(() => {
    try {
      note();
    } catch {
      // Not loaded: there is nothing to note.
    }
  }, everyMs).unref();

  return {
    past(revision) {
      note();
      const at = reached(revision);
      const [first, before] = [notes[at], notes[at - 1]];
      // What was reached before the first note was reached at an unknown time.
      if (first === undefined || before === undefined) return undefined;
      const surely = notes.findLast((one) => one.at <= before.at - lagMs) ?? notes[0];
      return surely && { surely, atMost: first.of };
    },
    unchangedSince(revision) {
      note();
      return revision > (begun ?? revision) && notes[reached(revision)]?.changes === changes;
    },
    begin: note,
    onChange: (listener) => void listeners.push(listener),
    close: () => clearInterval(timer),
  };
}
