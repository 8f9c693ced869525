/**
 * The watch cache: the objects of each resource in memory, as the bytes that clients get.
 *
 * A store key is `<resource prefix><namespace>/<name>` (cluster-scoped: `<resource prefix><name>`), the resource
 * prefix being `registry/<group or "core">/<plural>/`. `path` below is the part after the resource prefix; order is
 * by the bytes of UTF-8.
 */
import type { KubeObject, ObjectKey } from '../../api/resource.js';
import type { Undecryptable } from '../storage/encryption/interface.js';

/** Every key of an object in the store begins with it. */
export const REGISTRY_PREFIX = 'registry/';

/** One object at one revision. Immutable. `T`: the type of its kind. */
export interface Entry<T extends KubeObject = KubeObject> extends ObjectKey {
  /** `namespace/name`, or `name`. */
  readonly path: string;
  readonly revision: number;
  /** The length of `bytes`. */
  readonly byteLength: number;
  /** Whether the object is not stored, but follows from another one ({@link Derivation}). */
  readonly derived?: true;
  /**
   * Compact JSON of the object with its resourceVersion, without a final newline, as GET sends it. Each access creates
   * a new view of shared memory: read it once, and never modify it.
   */
  readonly bytes: Buffer;
  /**
   * Parsed at the first call and shared: never modify it; copy it with `structuredClone`. The parsed object is cached
   * within a memory bound, and parsed again after its eviction.
   */
  object(): T;
  /**
   * A parsed copy that the caller may modify, not cached. For objects about to be replaced, and for scans of all
   * objects.
   */
  parse(): T;
}

/** A change to one object as watchers of the resource see it. Shared by all of them. */
export interface CacheEvent<T extends KubeObject = KubeObject> {
  readonly revision: number;
  /**
   * The object after the change. For a delete, the last state with the revision of the delete as its
   * resourceVersion.
   */
  readonly entry: Entry<T>;
  readonly deleted: boolean;
  /** The object before the change; absent for a create. */
  readonly previous: Entry<T> | undefined;
  /**
   * Encodings per representation, cached on the event for about a second, so that one event is encoded once for all
   * watchers. `make` may depend only on the event and the representation.
   */
  frame(representation: string, make: (event: CacheEvent) => Buffer): Buffer;
}

/** An index key: a label, or a field that the kind declares as selectable. */
export interface IndexKey {
  readonly by: 'label' | 'field';
  /** `app.kubernetes.io/name`, `status.phase`. */
  readonly name: string;
}

/** Entries in order. Immutable. */
export interface EntryRange<T extends KubeObject = KubeObject> {
  /**
   * Entries whose path starts with `prefix` (`''`, or `namespace/`), in order, from `start` (inclusive; absent: from
   * the first).
   */
  entries(prefix: string, start?: string): Iterable<Entry<T>>;
  /** The number of entries with `prefix`, from `start` on. */
  count(prefix: string, start?: string): number;
}

/** An immutable snapshot of a resource. Taking one is O(1). */
export interface Snapshot<T extends KubeObject = KubeObject> extends EntryRange<T> {
  /** The snapshot has all changes up to this revision, and none after. */
  readonly revision: number;
  readonly size: number;
  get(path: string): Entry<T> | undefined;
  /**
   * The entries with this value, from an index. Undefined if no index exists for this snapshot (it is old, or the index
   * is being built): then scan all entries. Call it in the same turn of the event loop in which the snapshot was taken.
   */
  select(key: IndexKey, value: string): EntryRange<T> | undefined;
}

export interface Subscriber<T extends KubeObject = KubeObject> {
  /**
   * Called with the events of a batch under the subscription's prefix, in order. The events of one commit
   * come in one call. The array is shared: never modify it. If a subscriber throws, its subscription ends.
   */
  events(events: readonly CacheEvent<T>[]): void;
  /**
   * All events up to `revision` have been delivered. Called at most about once a second, if the revision has
   * changed; {@link ResourceCache.revision} has the same value at any time.
   */
  progress(revision: number): void;
  /** The subscription has ended: the cache was rebuilt, or the server stops. */
  end(): void;
}

export interface Subscription {
  cancel(): void;
}

export interface SubscribeOptions {
  /** Deliver events after this revision, which may be in the future. */
  readonly after: number;
  /**
   * `''`, `namespace/`, or the whole path of one object. The cost of a subscription is that of the matching events.
   */
  readonly prefix: string;
  /**
   * Whether several events at exactly `after` are delivered again: a client that was cut off may have the first of them
   * only. Absent: no.
   */
  readonly repeats?: boolean;
}

/** A subscription cannot start from the revision (410 Gone). `oldest`: the oldest possible start. */
export interface TooOld {
  readonly oldest: number;
}

/** The objects of one resource. */
export interface ResourceCache<T extends KubeObject = KubeObject> {
  /**
   * Records that cannot be decrypted, by path. They are in no snapshot, and in no event but that of their deletion, unless
   * the source has a placeholder for them.
   */
  undecryptable(): ReadonlyMap<string, Undecryptable>;
  /** Whether objects of this name are derived ({@link Derivation}): they are not in the store. */
  isDerived(name: string): boolean;
  /**
   * The revisions of stored records that are not served because objects of their names are derived, by path: an earlier
   * release left them.
   */
  shadowed(): ReadonlyMap<string, number>;
  /** `management.svc.example/sharedsecrets`, `core/namespaces`. */
  readonly resource: string;
  /** The snapshot at the newest applied revision. Throws {@link CacheUnavailable} before the first load. */
  latest(): Snapshot<T>;
  /** The snapshot at exactly this revision, or undefined if the cache no longer (or not yet) has it. */
  at(revision: number): Snapshot<T> | undefined;
  /**
   * Waits until the cache is at least at `revision`. Resolves with false after `timeoutMs`. Resolves at once, without
   * a timer, if it already is.
   */
  reach(revision: number, timeoutMs: number): Promise<boolean>;
  /**
   * The newest applied revision. In any turn of the event loop all events up to it have been delivered to every
   * subscriber (except those that start later). 0 before the first load.
   */
  revision(): number;
  /**
   * Past events are delivered from the ring, synchronously within the call. Throws {@link CacheUnavailable} before
   * the first load.
   */
  subscribe(options: SubscribeOptions, subscriber: Subscriber<T>): Subscription | TooOld;
}

/** Thrown while a cache is not loaded. Clients get 429 `storage is (re)initializing`. */
export class CacheUnavailable extends Error {
  override readonly name = 'CacheUnavailable';
}

/**
 * Converts a stored value into the bytes that are served; the registry supplies one for each resource. The value may be
 * memory of the engine: do not retain it. Throws if the value is corrupt.
 */
type DecodeRecord = (value: Buffer, revision: number) => Buffer;

export interface ResourceSource {
  /** `management.svc.example/sharedsecrets`. */
  readonly resource: string;
  /**
   * `registry/management.svc.example/sharedsecrets/`. Sources with the same prefix serve the same records, each in its
   * own form.
   */
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly decode: DecodeRecord;
  /**
   * Replaces the resourceVersion in served bytes, for a delete event. Absent: the first occurrence of
   * `"resourceVersion":"<revision>"` is replaced, which is correct if `decode` writes it before labels
   * and annotations.
   */
  readonly setResourceVersion?: (bytes: Buffer, from: number, to: number) => Buffer;
  /** The index values of an entry; undefined: none. Absent: the resource has no indexes. */
  readonly indexed?: (entry: Entry, key: IndexKey) => string | undefined;
  /**
   * A value for `decode` that stands for a record that cannot be read, made from its path. Absent: such records are left
   * out.
   */
  readonly placeholder?: (path: string) => Buffer;
  /** Absent: nothing follows from its objects. */
  readonly derivation?: Derivation;
}

/**
 * Objects of other sources that follow from each object of a source. They are served as if they were stored, at the
 * revision of the object, and in its events. Several then have the same revision.
 */
export interface Derivation {
  /** The resources that get objects, each of every name. Of the same scope as the source. */
  readonly forms: readonly DerivedForm[];
  /** Whether objects of this name are derived: stored records of such a name are not served. */
  readonly owns: (name: string) => boolean;
  /** The beginning of the names of all that follows from the object; no name of another one's begins with it. */
  readonly beginning: (entry: Entry) => string;
  /** What follows from the object; undefined: nothing. Called for each object and each event: must be fast. */
  readonly read: (entry: Entry) => Derived | undefined;
}

interface Derived {
  readonly names: readonly string[];
  /** What the objects are made of when they are read. It is all that is kept in memory. */
  readonly content: string;
}

export interface DerivedForm {
  /** `rbac.authorization.k8s.io/roles`. */
  readonly resource: string;
  /** The bytes of the object, as `ResourceSource.decode` returns them. */
  readonly encode: (content: string, key: ObjectKey, revision: number) => Buffer;
}

/** The health of a cache. */
export interface CacheHealth {
  /** Whether the cache is loaded, so that reads can be served. */
  readonly loaded: boolean;
  /**
   * Whether the watch is established. False while the cache reconnects or is rebuilt; it then serves the state that it
   * has.
   */
  readonly following: boolean;
  /** Milliseconds since `following` last changed. */
  readonly sinceMs: number;
  /** Why the watch is not established, for the log; without values. */
  readonly problem: string | undefined;
}

/** The caches of all resources of a store. One watch updates them together, in one turn of the event loop. */
export interface Cache {
  /** The cache of `<group or "core">/<plural>`. RangeError when no source has that name. */
  resource(name: string): ResourceCache;
  resources(): readonly ResourceCache[];
  /** The newest applied revision; the same for every resource. 0 before the first load. */
  revision(): number;
  /** Resolves after the first load. Rejects if a record is corrupt, or after `close()`. */
  readonly ready: Promise<void>;
  /** Loaded and following. */
  healthy(): boolean;
  health(): CacheHealth;
  /** Ends all subscriptions and resolves pending `reach` calls with false. Does not close the storage. Idempotent. */
  close(): Promise<void>;
}

export interface CacheOptions {
  /** Minimum retention of past events, in milliseconds (within the limits below). */
  readonly historyMs?: number;
  /** Maximum number of retained events of one resource. */
  readonly historyEvents?: number;
  /** Maximum size of the superseded objects in retained events of one resource, in bytes. */
  readonly historyBytes?: number;
  /** How many revisions before the newest one a load reads past events from the store. */
  readonly loadHistory?: number;
  /** Size of the cache of parsed objects of all resources, in bytes of their JSON. */
  readonly parsedBytes?: number;
  /** Initial back-off after a failure of the store, in milliseconds; doubles up to 40 times that. */
  readonly retryMs?: number;
  /** Interval of progress notifications to subscribers, in milliseconds. */
  readonly progressMs?: number;
  /**
   * `openCache` rejects at the first failure of the store after this time, in milliseconds. Absent: it retries forever.
   */
  readonly giveUpMs?: number;
  /** Receives errors of the background watch, for the log. */
  readonly report?: (problem: string, error: unknown) => void;
}
