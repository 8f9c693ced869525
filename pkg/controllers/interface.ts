/**
 * The interface of controllers to the server: a client. A controller watches objects, puts keys into its work
 * queue, and reconciles one key at a time.
 */
import type { KubeObject, ObjectKey, ObjectOf, ResourceDefinition } from '../../api/resource.js';

/** An object in the local cache. */
export interface CachedObject<T extends KubeObject = KubeObject> extends ObjectKey {
  readonly revision: number;
  /** Canonical JSON; each access creates a new view. */
  readonly bytes: Buffer;
  /** Shared: never modify it. */
  object(): T;
}

/** Receives the changes of one kind, in order. Must be fast: it runs in the delivery of cache events. */
export interface EventHandler<T extends KubeObject = KubeObject> {
  /** The cache was rebuilt and changes may have been missed: list everything again. Also called first. */
  replaced(): void;
  changed(object: CachedObject<T>, previous: CachedObject<T> | undefined): void;
  /** `object`: its last state. */
  deleted(object: CachedObject<T>): void;
}

export interface DeleteRequest {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

export interface UpdateTarget extends ObjectKey {
  /** An object of the name with another uid counts as not found. */
  readonly uid?: string;
  /** `status`, `finalize`; absent: the object itself. */
  readonly subresource?: string;
}

/**
 * The objects of one kind. Those that follow from others are found by their key, and followers learn of their end, but they are
 * not listed or counted, and need nothing from a controller. Synchronous reads use the local cache; writes are like those of any client (admission,
 * validation, managed fields). Promises reject with a StatusError.
 */
export interface ResourceClient<T extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition;
  /** Whether the objects are stored in another API server, which deletes them asynchronously. */
  readonly foreign?: true;
  /** Whether the watch of another API server is established, so that the local cache is current. */
  readonly followed?: () => boolean;
  cached(key: ObjectKey): CachedObject<T> | undefined;
  /** A snapshot, unaffected by later changes. `''`: all namespaces. */
  list(namespace: string): Iterable<CachedObject<T>>;
  count(namespace: string): number;
  /** Reads the object from the store. */
  live(key: ObjectKey): Promise<T | undefined>;
  create(namespace: string, object: KubeObject): Promise<void>;
  /** `change` gets a copy of the object, and again after a conflict. It returns undefined if there is nothing to do. */
  update(target: UpdateTarget, change: (copy: T) => KubeObject | undefined): Promise<void>;
  delete(key: ObjectKey, request: DeleteRequest): Promise<void>;
  /**
   * Repairs what others changed in the effects of an object (`Strategy.effects`). Rejects if the object or one of its
   * effects changes meanwhile: retry.
   */
  repair(key: ObjectKey): Promise<void>;
  /**
   * Removes some of the stored records that are not served because objects of their names follow from others: an earlier
   * release left them. Returns whether there may be more.
   */
  removeShadowed(): Promise<boolean>;
  follow(follower: EventHandler<T>): { cancel(): void };
}

export interface Client {
  readonly resources: readonly ResourceClient[];
  /** Resolves when the cache has every write that was acknowledged before the call. */
  current(): Promise<void>;
}

/** The client that acts as this user. */
export type ClientFor = (user: string) => Client;

export interface ControllerLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Metrics of a controller; `labels` may be empty. */
export interface ControllerMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly series: () => Iterable<{
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }>;
}

/** The context of a controller. */
export interface ControllerContext {
  readonly client: Client;
  readonly log: ControllerLog;
  /** Adds a key to the work queue, which has each key once; optionally after a delay in milliseconds. */
  enqueue(this: void, key: string, afterMs?: number): void;
  /** As {@link ResourceClient.follow}, until the controller is stopped. */
  follow<T extends KubeObject>(this: void, resource: ResourceClient<T>, follower: EventHandler<T>): void;
  /** Wall clock time, in milliseconds since 1970; it may jump. */
  now(this: void): number;
  /** Calls `end` when the controller is stopped. */
  onStop(this: void, end: () => void): void;
  /** Calls `work` periodically, until the controller is stopped. */
  every(this: void, milliseconds: number, work: () => void): void;
}

/** An object that blocks the deletion of another (`blockOwnerDeletion`, finalizers). */
export interface BlockingObject {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
}

/** A running controller. */
export interface Reconciler {
  /** Reconciles one key. If it throws, the key is retried with exponential back-off. */
  reconcile(key: string): Promise<void>;
  /**
   * The cluster, or virtual cluster, that the reconciliation of a key contacts; `''`: none. Each has workers and a
   * back-off of its own. Needed by every controller that contacts clusters.
   */
  clusterOf?(this: void, key: string): string;
  readonly metrics?: readonly ControllerMetric[];
  /** JSON of the controller's state, for `/debug`; `dot` in the language of Graphviz. */
  describe?(format: 'json' | 'dot'): Iterable<string>;
  /** The objects that block the deletion of the one with this uid. */
  blocking?(owner: string): Iterable<BlockingObject>;
}

/** `Settings`: what it needs besides its client. */
export interface Controller<Settings = unknown> {
  /** The name in `--controllers`. */
  readonly name: string;
  /** It acts as `system:serviceaccount:kube-system:<user>`. */
  readonly user: string;
  /** Number of workers. */
  readonly workers: number;
  /** Number of workers of each cluster ({@link Reconciler.clusterOf}). */
  readonly clusterWorkers?: number;
  start(context: ControllerContext & Settings): Reconciler;
}

/** The client of a kind. Throws RangeError when there is none. */
export function resourceOf<D extends ResourceDefinition>(
  client: Client,
  { group, plural }: D,
): ResourceClient<ObjectOf<D>> {
  // The objects are of the kind that the client was found by.
  return resourceNamed(client, group, plural) as ResourceClient<ObjectOf<D>>;
}

/** The client of a kind that is only known at run time. Throws RangeError when there is none. */
export function resourceNamed(client: Client, group: string, plural: string): ResourceClient {
  const found = client.resources.find(
    ({ definition }) => definition.group === group && definition.plural === plural,
  );
  if (found === undefined) throw new RangeError(`no resource ${plural} in group "${group}"`);
  return found;
}
