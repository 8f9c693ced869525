/**
 * Deletes objects whose owners were deleted. The graph comes from the caches; the store is read before
 * anything is deleted.
 */
import type { ObjectKey, OwnerReference } from '../../../api/resource.js';
import {
  resourceOf,
  type BlockingObject,
  type CachedObject,
  type Controller,
  type ControllerContext,
  type Reconciler,
  type ResourceClient,
  type ControllerMetric,
} from '../interface.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { collect, type Collector } from './collect.js';
import { describeGraph } from './describe.js';
import { finish } from './finalizers.js';
import { createGraph, type Dependent, type Graph } from './graph.js';
import { metadataOf } from '../metadata.js';
import { FOREGROUND, ORPHAN, concerns } from './metadata.js';
import { Owners, ownerNamespaceElsewhere, ownerNamespace } from './owners.js';
import { Namespace } from '../../../api/core/v1/namespace.js';
import { keyOf, taskOf, type Task } from './tasks.js';
import { Event } from '../../../api/core/v1/event.js';
import { messageOf } from '../../apimachinery/caught.js';
import { eventOf } from '../event.js';

/** How often an object that waits for its dependents is checked again, besides their deletion. */
const AGAIN_MS = 5_000;
/** The interval of checks whether all objects were loaded, before which nothing is decided. */
const LOADING_MS = 50;
/**
 * As many deletes as a storage engine groups into one commit, or one sync to disk; kube-controller-manager
 * has 20.
 */
const WORKERS = 60;

export const garbageCollectorController: Controller = {
  name: 'garbage-collector-controller',
  user: 'generic-garbage-collector',
  workers: WORKERS,
  start: (context) => new GarbageCollector(context),
};

class GarbageCollector implements Reconciler {
  private readonly resources: readonly ResourceClient[];
  private readonly graph: Graph;
  private readonly collector: Collector;
  /** Indexes of resources. */
  private readonly loading = new Set<number>();
  private readonly loaded = new Set<number>();
  readonly metrics;

  constructor(private readonly context: ControllerContext) {
    const { client, follow } = context;
    const namespaces = resourceOf(client, Namespace);
    const owners = new Owners(client, (namespace, reference, resource) => {
      const found = ownerNamespaceElsewhere(namespaces, resource, reference);
      if (found !== undefined) reportElsewhere(context, namespace, reference, found);
    });
    this.graph = createGraph({
      counts: (dependent, reference) => isHeeded(dependent, reference, owners.resourceOf(reference)),
      unblocked: ({ namespace }, reference) => {
        const resource = owners.resourceOf(reference);
        if (resource === undefined) return;
        const where = ownerNamespace(resource, namespace);
        const owner = resource.cached({ namespace: where, name: reference.name })?.object();
        if (owner?.metadata.deletionTimestamp !== undefined)
          this.finishLater(resource, { namespace: where, name: reference.name });
      },
    });
    this.collector = { graph: this.graph, owners, counts: { deleted: 0, orphaned: 0 } };
    this.metrics = collectorMetrics(this.collector);
    // Events neither own objects nor have owners.
    this.resources = client.resources.filter(({ definition }) => definition.plural !== 'events');
    for (const [at, resource] of this.resources.entries()) this.followOne(resource, at, follow);
  }

  async reconcile(key: string): Promise<void> {
    const task = taskOf(key);
    if (task.kind === 'load') return this.load(task.resource);
    if (this.loading.size > 0) return this.context.enqueue(key, LOADING_MS);
    switch (task.kind) {
      case 'gone':
        return this.lookAtDependents(task.uid);
      case 'finish': {
        const resource = this.resourceAt(task.resource);
        const outcome = await finish(this.collector, this.context.client, resource, task);
        if (outcome === 'again') this.context.enqueue(key, AGAIN_MS);
        return;
      }
      case 'collect': {
        const node = this.graph.dependent(task.uid);
        if (node !== undefined) await collect(this.collector, node);
      }
    }
  }

  *blocking(uid: string): Iterable<BlockingObject> {
    for (const { resource, namespace, name, owners } of this.graph.owner(uid)?.dependents ?? []) {
      const blocks = owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
      if (blocks) yield { definition: resource.definition, namespace, name };
    }
  }

  describe(format: 'json' | 'dot'): Iterable<string> {
    return describeGraph(this.graph, format);
  }

  private followOne(resource: ResourceClient, index: number, follow: ControllerContext['follow']): void {
    follow(resource, {
      replaced: () => {
        this.loading.add(index);
        this.enqueue({ kind: 'load', resource: index });
      },
      changed: (object, previous) => {
        if (concerns(object) || (previous !== undefined && concerns(previous))) this.see(resource, object);
      },
      deleted: (object) => this.forget(metadataOf(object).uid ?? ''),
    });
  }

  private see(resource: ResourceClient, object: CachedObject): void {
    const { uid = '', ownerReferences = [], deletionTimestamp, finalizers = [] } = metadataOf(object);
    const { namespace, name } = object;
    const owners = ownerReferences;
    const changed = this.graph.set({ uid, resource, namespace, name, owners });
    if (changed && owners.length > 0 && !this.areThere(namespace, owners))
      this.enqueue({ kind: 'collect', uid });
    if (deletionTimestamp === undefined) return;
    if (finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND)) this.finishLater(resource, object);
  }

  /** Whether the caches have them and are loaded, as when an object is made with what it owns. */
  private areThere(namespace: string, owners: readonly OwnerReference[]): boolean {
    const allLoaded = this.loading.size === 0 && this.loaded.size === this.resources.length;
    return allLoaded && this.collector.owners.allThere(namespace, owners);
  }

  private forget(uid: string): void {
    this.graph.delete(uid);
    if (this.graph.owner(uid) !== undefined) this.enqueue({ kind: 'gone', uid });
  }

  private async load(index: number): Promise<void> {
    const resource = this.resourceAt(index);
    const maybeYield = slices();
    for (const object of resource.list('')) {
      await maybeYield();
      if (!concerns(object)) continue;
      // A change meanwhile was seen already.
      const now = resource.cached(object);
      if (now?.revision === object.revision) this.see(resource, object);
    }
    for (const dependent of this.graph.dependents()) {
      await maybeYield();
      if (dependent.resource !== resource) continue;
      const { uid } = dependent;
      const now = resource.cached(dependent);
      if (now === undefined || metadataOf(now).uid !== uid) this.forget(uid);
      else this.enqueue({ kind: 'collect', uid });
    }
    this.loading.delete(index);
    this.loaded.add(index);
  }

  private async lookAtDependents(owner: string): Promise<void> {
    const maybeYield = slices();
    for (const { uid } of this.graph.owner(owner)?.dependents ?? []) {
      await maybeYield();
      this.enqueue({ kind: 'collect', uid });
    }
  }

  private finishLater(resource: ResourceClient, { namespace, name }: ObjectKey): void {
    this.enqueue({ kind: 'finish', resource: this.resources.indexOf(resource), namespace, name });
  }

  private enqueue(task: Task): void {
    this.context.enqueue(keyOf(task));
  }

  private resourceAt(index: number): ResourceClient {
    const resource = this.resources[index];
    if (resource === undefined) throw new RangeError(`no resource ${index}`);
    return resource;
  }
}

/**
 * Ignores references to kinds that are not served here, to the object itself, and of a cluster-scoped object
 * to a namespaced one.
 */
function isHeeded(
  { uid, resource }: Dependent,
  reference: OwnerReference,
  owner: ResourceClient | undefined,
): boolean {
  if (owner === undefined || reference.uid === uid) return false;
  return resource.definition.namespaced || !owner.definition.namespaced;
}

/** The size of the graph and the number of deletions. */
function collectorMetrics({ graph, owners, counts }: Collector): readonly ControllerMetric[] {
  const one = (
    type: ControllerMetric['type'],
    name: string,
    help: string,
    value: () => number,
  ): ControllerMetric => ({
    type,
    name,
    help,
    series: () => [{ labels: {}, value: value() }],
  });
  return [
    one('gauge', 'garbagecollector_graph_objects', 'Objects with owners.', () => graph.size),
    one('gauge', 'garbagecollector_absent_owners', 'Owners known to be gone.', () => owners.known.size),
    one(
      'counter',
      'garbagecollector_deleted_total',
      'Objects deleted for want of an owner.',
      () => counts.deleted,
    ),
    one(
      'counter',
      'garbagecollector_orphaned_total',
      'Objects that lost a reference to an owner that orphaned them.',
      () => counts.orphaned,
    ),
  ];
}

/** Records that an owner was looked for in a namespace and is in another, where owners do not count. */
function reportElsewhere(
  { client, log }: ControllerContext,
  namespace: string,
  { apiVersion, kind, name, uid }: OwnerReference,
  found: string,
): void {
  const message = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}": it is in namespace "${found}"`;
  const event = eventOf({
    involvedObject: { apiVersion, kind, name, namespace, uid },
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    message,
    component: 'garbage-collector-controller',
  });
  resourceOf(client, Event)
    .create(namespace, event)
    .catch((error: unknown) => {
      log.warn({ namespace, reason: messageOf(error) }, message);
    });
}
