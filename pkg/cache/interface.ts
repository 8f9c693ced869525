/**
 * What readers see of the store: each resource's objects in memory, as the bytes that go to clients.
 *
 * A store key is `<resource prefix><namespace>/<name>` (cluster-scoped: `<resource prefix><name>`), the resource
 * prefix being `registry/<group or "core">/<plural>/`. `path` below is the part after the resource prefix; order is
 * by the bytes of UTF-8.
 */
import type { KubeObject } from '../../api/resource.js';

/** One object at one revision. Immutable; everything derived is computed at most once. */
export interface Entry {
  /** `namespace/name`, or `name`. */
  readonly path: string;
  /** `''` for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** Compact JSON of the object with its resourceVersion, no newline at the end: what GET sends. */
  readonly bytes: Buffer;
  /** Parsed on first use and shared: never change it; copy with `structuredClone`. */
  object(): KubeObject;
}

/** A change to one object as watchers of the resource see it. Shared by all of them. */
export interface CacheEvent {
  readonly revision: number;
  /**
   * The object after the change; of a delete the last state, with the revision of the delete as its
   * resourceVersion.
   */
  readonly entry: Entry;
  readonly deleted: boolean;
  /** The object before the change; absent for a create. */
  readonly previous: Entry | undefined;
  /** Results per representation, kept on the event so that one event is framed once for all watchers. */
  frame(representation: string, make: (event: CacheEvent) => Buffer): Buffer;
}

/** An unchanging view of a resource. Taking one is O(1). */
export interface Snapshot {
  /** Everything up to this revision is in it, nothing after. */
  readonly revision: number;
  readonly size: number;
  get(path: string): Entry | undefined;
  /**
   * Entries whose path begins with `prefix` (`''`, or `namespace/`), in order, from `start` (inclusive; absent: from
   * the first).
   */
  entries(prefix: string, start?: string): Iterable<Entry>;
  /** How many entries begin with `prefix`, from `start` on. */
  count(prefix: string, start?: string): number;
}

export interface Subscriber {
  /** Called with the events of a batch that lie under the subscription's prefix, in order. Must not throw. */
  events(events: readonly CacheEvent[]): void;
  /** Everything up to `revision` has been delivered. Called when the revision moved without events for it. */
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
  /** `''`, or `namespace/`. */
  readonly prefix: string;
}

/** Why a subscription from a revision cannot begin: the oldest start that still can. */
export interface TooOld {
  readonly oldest: number;
}

/** The objects of one resource. */
export interface ResourceCache {
  /** `management.svc.example/sharedsecrets`, `core/namespaces`. */
  readonly resource: string;
  /** The state at the newest applied revision. Throws {@link CacheUnavailable} before the first load. */
  latest(): Snapshot;
  /** The state at exactly this revision, or undefined when it is no longer (or not yet) known. */
  at(revision: number): Snapshot | undefined;
  /**
   * Resolves with true once everything up to `revision` is applied, with false when that takes longer than
   * `timeoutMs`. Resolves at once (no timer) when it already is.
   */
  reach(revision: number, timeoutMs: number): Promise<boolean>;
  /** Past events are delivered from the ring, synchronously within the call. */
  subscribe(options: SubscribeOptions, subscriber: Subscriber): Subscription | TooOld;
}

/** Thrown while a cache is not loaded: the server answers 429 `storage is (re)initializing`. */
export class CacheUnavailable extends Error {
  override readonly name = 'CacheUnavailable';
}

/** Turns a stored value into the bytes that are served; the registry supplies it per resource. */
export type DecodeRecord = (value: Buffer, revision: number) => Buffer;

export interface ResourceSource {
  /** `management.svc.example/sharedsecrets`. */
  readonly resource: string;
  /** `registry/management.svc.example/sharedsecrets/`. */
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly decode: DecodeRecord;
}
