/**
 * What controllers see of the server: a client that they are given, and one way to write a loop. A loop watches
 * objects, puts keys into its queue, and reconciles one key at a time.
 */
import type { Cluster } from '../../api/management.svc.example/v1/cluster.js';
import type { KubeObject, ObjectOf, ResourceDefinition } from '../../api/resource.js';
import type { ClusterClient } from '../clusterclient/interface.js';
import type { CONTROLLER_NAMES } from './names.js';

type ControllerName = (typeof CONTROLLER_NAMES)[number]['name'];

/** An object in the local cache. */
export interface CachedObject<T extends KubeObject = KubeObject> {
  /** `''` for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** Canonical JSON; a new view with each use. */
  readonly bytes: Buffer;
  /** Shared: never change it. */
  object(): T;
}

/** Told of changes of one kind, in order. Must be quick: it runs where the cache delivers its events. */
export interface EventHandler<T extends KubeObject = KubeObject> {
  /** The cache was built anew, and changes may have been missed: look at everything again. Also called first. */
  replaced(): void;
  changed(object: CachedObject<T>, previous: CachedObject<T> | undefined): void;
  /** `object` in its last state. */
  deleted(object: CachedObject<T>): void;
}

export interface DeleteRequest {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

export interface UpdateTarget {
  readonly namespace: string;
  readonly name: string;
  /** Another object of the name counts as not found. */
  readonly uid?: string;
  /** `status`, `finalize`; absent: the object itself. */
  readonly subresource?: string;
}

/**
 * Objects of one kind. Reads without a promise are of the local cache; writes go the way of every write (admission,
 * validation, managed fields). Promises reject with a StatusError.
 */
export interface ResourceClient<T extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition;
  /** Whether another API server has the objects, and removes them in its own time. */
  readonly foreign?: true;
  /** Whether changes of another API server's objects are coming in, so that the local cache has what is there. */
  readonly followed?: () => boolean;
  cached(namespace: string, name: string): CachedObject<T> | undefined;
  /** As of now, also while later changes come in. `''`: of all namespaces. */
  list(namespace: string): Iterable<CachedObject<T>>;
  count(namespace: string): number;
  /** The object as the store has it. */
  live(namespace: string, name: string): Promise<T | undefined>;
  create(namespace: string, object: KubeObject): Promise<void>;
  /** `change` gets a copy of the object, again when another writer came first; undefined: nothing is to be done. */
  update(target: UpdateTarget, change: (copy: T) => KubeObject | undefined): Promise<void>;
  delete(namespace: string, name: string, request: DeleteRequest): Promise<void>;
  /**
   * Makes good what others did to what the server keeps beside an object. Rejects where the object changes meanwhile, or
   * something of it: try again.
   */
  repair(namespace: string, name: string): Promise<void>;
  follow(follower: EventHandler<T>): { cancel(): void };
}

export interface Client {
  readonly resources: readonly ResourceClient[];
  /** Resolves once the cache shows every write that was answered before the call. */
  current(): Promise<void>;
}

/** The client as a user of this name. */
export type ClientFor = (user: string) => Client;

export interface ControllerLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Numbers that a loop shows; `labels` may be empty. */
export interface ControllerMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly series: () => Iterable<{
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }>;
}

/** Whether a mirror may have the data of its source. `until`: when to ask again unasked, in ms since 1970. */
export type MirrorVerdict =
  | { readonly holds: true; readonly until: number | undefined }
  | { readonly holds: false; readonly why: string; readonly until?: undefined };

/** The rights that mirrors of SharedSecrets rest on. Mirrors by `namespace/name`. */
export interface MirrorRights {
  /** `find`: the source as it is. Rejects where it cannot be known now: try again. */
  judge(
    mirror: KubeObject,
    source: { readonly namespace: string; readonly name: string },
    find: () => KubeObject | undefined,
  ): Promise<MirrorVerdict>;
  /** Calls `changed` when what was judged of a mirror may be otherwise now. */
  follow(changed: (mirror: string) => void): { cancel(): void };
  /** The mirror is none any more. */
  forget(mirror: string): void;
}

/** The rights that kubeconfigs of Clusters are used by. Clusters by their names. */
export interface ClusterRights {
  /** Follows the right; answers when to ask again unasked, in ms since 1970. Rejects where it cannot be known now. */
  watch(cluster: Cluster): Promise<number | undefined>;
  /** Calls `changed` when the right of a watched cluster may have ended, or be there again. */
  follow(changed: (cluster: string) => void): { cancel(): void };
  forget(cluster: string): void;
}

/** A binding inside a virtual cluster whose right has ended. Times in ms since 1970. */
export interface EndedBinding {
  readonly holds: false;
  /** For people: where, and why. */
  readonly what: string;
  readonly why: string;
  /** When a kubeconfig was asked for last. */
  readonly written: number;
  /** When the last certificate ends. */
  readonly end: number;
  /** Whether the instance is still there. */
  readonly hasInstance: boolean;
  /** Rejects with a StatusError while it is not known to be gone. */
  readonly remove: () => Promise<void>;
  /** Forgets it for good, unless a kubeconfig was asked for again. */
  readonly drop: () => Promise<void>;
}

/** What kubeconfigs of virtual clusters bound inside them, by names of records. */
export interface VirtualClusterBindings {
  /** Calls `changed` for new ones, and when what was judged of one may be otherwise now. */
  follow(changed: (binding: string) => void): { cancel(): void };
  /** Throws while they cannot be known. */
  all(): Iterable<string>;
  /** Undefined: there is none any more. Rejects where it cannot be known now: try again. */
  judge(
    binding: string,
  ): Promise<{ readonly holds: true; readonly until: number } | EndedBinding | undefined>;
  forget(binding: string): void;
}

/** What a loop is started with. */
export interface ControllerContext {
  readonly client: Client;
  readonly log: ControllerLog;
  /** PEM of the authority that signs the server's certificate. */
  readonly authority: string;
  /** Connected clusters. */
  readonly clusters: ClusterClient;
  readonly mirrorRights: MirrorRights;
  readonly clusterRights: ClusterRights;
  readonly virtualClusterBindings: VirtualClusterBindings;
  /** What the namespaces of projects begin with. */
  readonly projectNamespacePrefix: string;
  /** How long events stay after they were last written, in milliseconds. */
  readonly eventTtlMs: number;
  /** How long access keys stay after they ended, in milliseconds. */
  readonly accessKeyRetentionMs: number;
  /** Puts a key into the loop's queue, which holds it once; after so many milliseconds. */
  enqueue(this: void, key: string, afterMs?: number): void;
  /** As {@link ResourceClient.follow}, until the loop is stopped. */
  follow<T extends KubeObject>(this: void, resource: ResourceClient<T>, follower: EventHandler<T>): void;
  /** The time, in milliseconds since 1970; it may jump. */
  now(this: void): number;
  /** Calls `end` when the loop is stopped. */
  onStop(this: void, end: () => void): void;
  /** Calls `work` every so often, until the loop is stopped. */
  every(this: void, milliseconds: number, work: () => void): void;
}

/** An object that holds up the deletion of another. */
export interface BlockingObject {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
}

/** A loop that runs. */
export interface Reconciler {
  /** Brings what the key names to where it should be. What it throws is tried again, ever more slowly. */
  reconcile(key: string): Promise<void>;
  readonly metrics?: readonly ControllerMetric[];
  /** JSON of the loop's inner state, for `/debug`; `dot` in the language of Graphviz. */
  describe?(format: 'json' | 'dot'): Iterable<string>;
  /** The objects that hold up the deletion of the one with this uid. */
  blocking?(owner: string): Iterable<BlockingObject>;
}

export interface Controller {
  /** As `--controllers` names it. */
  readonly name: ControllerName;
  /** Whom it acts as: `system:serviceaccount:kube-system:<user>`. */
  readonly user: string;
  /** How many keys are reconciled at the same time. */
  readonly workers: number;
  start(context: ControllerContext): Reconciler;
}

/** The client of a kind. RangeError when there is none. */
export function resourceOf<D extends ResourceDefinition>(
  client: Client,
  { group, plural }: D,
): ResourceClient<ObjectOf<D>> {
  // Its objects are of the kind that the client is found by.
  return resourceNamed(client, group, plural) as ResourceClient<ObjectOf<D>>;
}

/** The client of a kind that is not known before. RangeError when there is none. */
export function resourceNamed(client: Client, group: string, plural: string): ResourceClient {
  const found = client.resources.find(
    ({ definition }) => definition.group === group && definition.plural === plural,
  );
  if (found === undefined) throw new RangeError(`no resource ${plural} in group "${group}"`);
  return found;
}
