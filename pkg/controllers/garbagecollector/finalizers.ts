/** Removes the collector's finalizers from objects that are being deleted. */
import type { KubeObject, ObjectKey } from '../../../api/resource.js';
import { ignoring } from '../ignorederrors.js';
import type { Client, ResourceClient } from '../interface.js';
import { inParallel } from '../inparallel.js';
import { collect, dropOwners, unblockOwners, type Collector } from './collect.js';
import type { Dependent, Graph } from './graph.js';
import { metadataOf } from '../metadata.js';
import { targetOf } from '../target.js';
import { FOREGROUND, ORPHAN, waitsForDependents } from './metadata.js';
import { ownerNamespace } from './owners.js';

const PARALLEL = 16;
/** The maximum length of a cycle of owners that is followed. */
const CIRCLE = 1_000;

/**
 * Finishes the deletion of an object: at once with `orphan`, whose dependents lose their references to it;
 * with `foregroundDeletion`, when the dependents that block it are deleted. Returns whether it must be
 * checked again.
 */
export async function finish(
  collector: Collector,
  client: Client,
  resource: ResourceClient,
  key: ObjectKey,
): Promise<'done' | 'again'> {
  const live = await resource.live(key);
  if (live?.metadata.deletionTimestamp === undefined) return 'done';
  const { finalizers = [] } = live.metadata;
  const target = targetOf(live);
  const { uid } = target;
  // The graph now has everything that was created before the deletion.
  await client.current();
  if (finalizers.includes(ORPHAN)) {
    if (!(await orphan(collector, client, resource, target))) return 'again';
    await release(resource, target, ORPHAN);
  }
  if (!finalizers.includes(FOREGROUND)) return 'done';
  const { graph } = collector;
  // Includes dependents that do not block: once the finalizer is removed, nothing would trigger their
  // deletion.
  await inParallel([...(graph.owner(uid)?.dependents ?? [])], PARALLEL, async (dependent) => {
    if (isStuck(graph, dependent, uid)) await unblockOwners(dependent);
    else await collect(collector, dependent);
  });
  await client.current();
  if ((graph.owner(uid)?.blocking ?? 0) > 0) return 'again';
  await release(resource, target, FOREGROUND);
  return 'done';
}

interface Target extends ObjectKey {
  readonly uid: string;
}

/** Returns whether no dependent remains. */
async function orphan(
  { graph, counts }: Collector,
  client: Client,
  resource: ResourceClient,
  { namespace, uid }: Target,
): Promise<boolean> {
  const own = (dependent: Dependent): boolean => ownerNamespace(resource, dependent.namespace) === namespace;
  const left = (): Dependent[] => [...(graph.owner(uid)?.dependents ?? [])].filter(own);
  await inParallel(left(), PARALLEL, async (dependent) => {
    await dropOwners(dependent, [{ uid }]);
    counts.orphaned += 1;
  });
  await client.current();
  return left().length === 0;
}

async function release(resource: ResourceClient, target: Target, finalizer: string): Promise<void> {
  const change = (copy: KubeObject): KubeObject | undefined => {
    const before = copy.metadata.finalizers ?? [];
    const finalizers = before.filter((one) => one !== finalizer);
    if (finalizers.length === before.length) return undefined;
    const { finalizers: _, ...metadata } = copy.metadata;
    return { ...copy, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
  };
  await ignoring([404], resource.update(target, change));
}

/**
 * Whether a dependent that waits for its own dependents waits, through them, for its owner: all objects of
 * the cycle are being deleted in the foreground, and none would be deleted first.
 */
function isStuck(graph: Graph, dependent: Dependent, owner: string): boolean {
  const seen = new Set<Dependent>([dependent]);
  for (const one of seen) {
    if (!isWaiting(one)) continue;
    if (one.uid === owner) return true;
    for (const next of graph.owner(one.uid)?.dependents ?? []) {
      if (seen.size > CIRCLE) return false;
      seen.add(next);
    }
  }
  return false;
}

function isWaiting(dependent: Dependent): boolean {
  const found = dependent.resource.cached(dependent);
  return found !== undefined && waitsForDependents(metadataOf(found));
}
