/**
 * What readers see of the store: each resource's objects in memory, as the bytes that go to clients.
 *
 * A store key is `<resource prefix><namespace>/<name>` (cluster-scoped: `<resource prefix><name>`), the resource
 * prefix being `registry/<group or "core">/<plural>/`. `path` below is the part after the resource prefix; order is
 * by the bytes of UTF-8.
 */
import type { KubeObject } from '../../api/resource.js';
import type { Undecryptable } from '../storage/encryption/interface.js';

/** One object at one revision. Immutable. `T`: what its kind's objects are. */
export interface Entry<T extends KubeObject = KubeObject> {
  /** `namespace/name`, or `name`. */
  readonly path: string;
  /** `''` for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** The length of `bytes`. */
  readonly byteLength: number;
  /**
   * Compact JSON of the object with its resourceVersion, no newline at the end: what GET sends. Each use makes a new
   * view of memory that is never written again: take it once, and never change it.
   */
  readonly bytes: Buffer;
  /**
   * Parsed on first use and shared: never change it; copy with `structuredClone`. Kept while memory for parsed
   * objects lasts, parsed again after.
   */
  object(): T;
  /**
   * Parsed for the caller alone, who may change it, and not kept: for what is about to be replaced, whose parsed form
   * would only fill memory.
   */
  parse(): T;
}

/** A change to one object as watchers of the resource see it. Shared by all of them. */
export interface CacheEvent<T extends KubeObject = KubeObject> {
  readonly revision: number;
  /**
   * The object after the change; of a delete the last state, with the revision of the delete as its
   * resourceVersion.
   */
  readonly entry: Entry<T>;
  readonly deleted: boolean;
  /** The object before the change; absent for a create. */
  readonly previous: Entry<T> | undefined;
  /**
   * Results per representation, kept on the event for about a second so that one event is framed once for all
   * watchers. `make` must depend on nothing but the event and the representation.
   */
  frame(representation: string, make: (event: CacheEvent) => Buffer): Buffer;
}

/** What entries can be found by: a label, or a field that the kind declares. */
export interface IndexKey {
  readonly by: 'label' | 'field';
  /** `app.kubernetes.io/name`, `status.phase`. */
  readonly name: string;
}

/** Entries in order; unchanging. */
export interface EntryRange<T extends KubeObject = KubeObject> {
  /**
   * Entries whose path begins with `prefix` (`''`, or `namespace/`), in order, from `start` (inclusive; absent: from
   * the first).
   */
  entries(prefix: string, start?: string): Iterable<Entry<T>>;
  /** How many entries begin with `prefix`, from `start` on. */
  count(prefix: string, start?: string): number;
}

/** An unchanging view of a resource. Taking one is O(1). */
export interface Snapshot<T extends KubeObject = KubeObject> extends EntryRange<T> {
  /** Everything up to this revision is in it, nothing after. */
  readonly revision: number;
  readonly size: number;
  get(path: string): Entry<T> | undefined;
  /**
   * The entries that have this value, from an index; undefined when there is none for this state (it is past, or the
   * index is being built): then look at all. Ask in the turn in which the snapshot was taken.
   */
  select(key: IndexKey, value: string): EntryRange<T> | undefined;
}

export interface Subscriber<T extends KubeObject = KubeObject> {
  /**
   * Called with the events of a batch that lie under the subscription's prefix, in order; the events of one commit
   * come in one call. The array is shared: never change it. A subscriber that throws is ended.
   */
  events(events: readonly CacheEvent<T>[]): void;
  /**
   * Everything up to `revision` has been delivered. Called at most about once a second, when the revision moved
   * since; {@link ResourceCache.revision} says the same at any time.
   */
  progress(revision: number): void;
  /** No more will come: the cache was rebuilt, or the server stops. */
  end(): void;
}

export interface Subscription {
  cancel(): void;
}

export interface SubscribeOptions {
  /** Events after this revision. One that is not reached yet waits. */
  readonly after: number;
  /** `''`, `namespace/`, or the whole path of one object: a subscription costs only what happens under it. */
  readonly prefix: string;
}

/** Why a subscription from a revision cannot begin: the oldest start that still can. */
export interface TooOld {
  readonly oldest: number;
}

/** The objects of one resource. */
export interface ResourceCache<T extends KubeObject = KubeObject> {
  /**
   * What the store has and cannot be decrypted, by path; it is in no snapshot, and in no event but of its deletion.
   */
  undecryptable(): ReadonlyMap<string, Undecryptable>;
  /** `management.svc.example/sharedsecrets`, `core/namespaces`. */
  readonly resource: string;
  /** The state at the newest applied revision. Throws {@link CacheUnavailable} before the first load. */
  latest(): Snapshot<T>;
  /** The state at exactly this revision, or undefined when it is no longer (or not yet) known. */
  at(revision: number): Snapshot<T> | undefined;
  /**
   * Resolves with true once everything up to `revision` is applied, with false when that takes longer than
   * `timeoutMs`. Resolves at once (no timer) when it already is.
   */
  reach(revision: number, timeoutMs: number): Promise<boolean>;
  /**
   * The newest applied revision. In any turn of the loop everything up to it has been delivered to every subscriber
   * (that did not ask for a later start). 0 before the first load.
   */
  revision(): number;
  /**
   * Past events are delivered from the ring, synchronously within the call. Throws {@link CacheUnavailable} before
   * the first load.
   */
  subscribe(options: SubscribeOptions, subscriber: Subscriber<T>): Subscription | TooOld;
}

/** Thrown while a cache is not loaded: the server answers 429 `storage is (re)initializing`. */
export class CacheUnavailable extends Error {
  override readonly name = 'CacheUnavailable';
}

/**
 * Turns a stored value into the bytes that are served; the registry supplies it per resource. The value may be memory
 * of the engine: do not keep it. Throws when the value cannot be read.
 */
export type DecodeRecord = (value: Buffer, revision: number) => Buffer;

export interface ResourceSource {
  /** `management.svc.example/sharedsecrets`. */
  readonly resource: string;
  /** `registry/management.svc.example/sharedsecrets/`. Sources of one prefix have the same records, each in its own form. */
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly decode: DecodeRecord;
  /**
   * Puts another resourceVersion into served bytes (a delete carries its own). Absent: what `decode` wrote as
   * `"resourceVersion":"<revision>"` is replaced where it first occurs, which is right when it stands before labels
   * and annotations.
   */
  readonly setResourceVersion?: (bytes: Buffer, from: number, to: number) => Buffer;
  /** What an entry is found by in an index; undefined: by nothing. Absent: the resource has no indexes. */
  readonly indexed?: (entry: Entry, key: IndexKey) => string | undefined;
}

/** How a cache stands with its store. */
export interface CacheHealth {
  /** Whether reads are answered at all. */
  readonly loaded: boolean;
  /** Whether changes are coming in; false while the cache reconnects or is built anew, serving what it has. */
  readonly following: boolean;
  /** Milliseconds since it last became (not) following. */
  readonly sinceMs: number;
  /** Why it does not follow, for people; holds no values. */
  readonly problem: string | undefined;
}

/** All resources of a store, fed by one watch: they move together, within one turn of the loop. */
export interface Cache {
  /** The cache of `<group or "core">/<plural>`. RangeError when no source has that name. */
  resource(name: string): ResourceCache;
  resources(): readonly ResourceCache[];
  /** The newest applied revision; the same for every resource. 0 before the first load. */
  revision(): number;
  /** Resolves after the first load; rejects when it met a record that cannot be read, or after `close()`. */
  readonly ready: Promise<void>;
  /** Loaded and following. */
  healthy(): boolean;
  health(): CacheHealth;
  /** Ends every subscription, answers waiting `reach` with false, leaves the storage open. Idempotent. */
  close(): Promise<void>;
}

export interface CacheOptions {
  /** Past events are kept at least so long (within the limits below). */
  readonly historyMs?: number;
  /** The most events kept for one resource. */
  readonly historyEvents?: number;
  /** The most bytes of superseded objects kept for one resource. */
  readonly historyBytes?: number;
  /** How far before the newest revision a load looks for past events in the store, in revisions. */
  readonly loadHistory?: number;
  /** JSON bytes whose parsed objects are kept, for all resources. */
  readonly parsedBytes?: number;
  /** The first wait after a failure of the store; doubles up to 40 times that. */
  readonly retryMs?: number;
  /** How often subscribers hear of progress. */
  readonly progressMs?: number;
  /**
   * `openCache` gives up at the first failure of the store after so long, with that failure. Absent: never.
   */
  readonly giveUpMs?: number;
  /** Told of what goes wrong behind the readers' backs, for the log. */
  readonly report?: (problem: string, error: unknown) => void;
}
