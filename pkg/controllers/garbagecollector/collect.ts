/** Deletes an object whose owners were deleted (`garbagecollector.go`: attemptToDeleteItem). */
import type { KubeObject, ObjectMeta, OwnerReference } from '../../../api/resource.js';
import { StatusError } from '../../apimachinery/errors.js';
import { ignoring } from '../ignorederrors.js';
import type { DeleteRequest, ResourceClient } from '../interface.js';
import type { Dependent, Graph } from './graph.js';
import { metadataOf } from '../metadata.js';
import { FOREGROUND, ORPHAN, waitsForDependents } from './metadata.js';
import type { Owners } from './owners.js';

export interface Collector {
  readonly graph: Graph;
  readonly owners: Owners;
  readonly counts: { deleted: number; orphaned: number };
}

/**
 * Deletes the object when none of its owners exists; removes references to absent owners when another exists.
 * It decides by the cached object and writes with its version as a precondition, so the store need not be
 * read for each object; if the cache is stale, the store is read. Rejects with a StatusError to be retried.
 */
export async function collect(collector: Collector, node: Dependent): Promise<void> {
  const { resource } = node;
  if (collector.owners.allThere(node.namespace, node.owners)) return;
  const cached = resource.cached(node);
  if (cached === undefined) return;
  try {
    await collectVersion(collector, node, cached.object().metadata);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    const live = await resource.live(node);
    if (live !== undefined) await collectVersion(collector, node, live.metadata);
  }
}

/** Looks for owners in the store. Rejects with 409 if the object has changed since `metadata`. */
async function collectVersion(
  { graph, owners, counts }: Collector,
  node: Dependent,
  metadata: ObjectMeta,
): Promise<void> {
  const { resource, namespace, uid } = node;
  // It is being deleted, or waits for its own dependents.
  if (metadata.uid !== uid || metadata.deletionTimestamp !== undefined) return;
  const references = metadata.ownerReferences ?? [];
  if (references.length === 0 || isMisplaced(node, references, owners)) return;
  const { solid, absent, waiting } = await owners.classify(namespace, references);
  const gone = [...absent, ...waiting];
  if (gone.length === 0) return;
  if (solid.length > 0) return dropOwners(node, gone);
  const inForeground = waiting.length > 0 && graph.owner(uid) !== undefined;
  const circular = inForeground && waitsForItself(graph, uid);
  if (circular) await unblockOwners(node);
  // An owner may have been added since, and another object may have the version by then.
  const preconditions = circular ? { uid } : { uid, resourceVersion: metadata.resourceVersion };
  const propagationPolicy = inForeground ? 'Foreground' : policyOf(metadata);
  await ignoring([404], resource.delete(node, { ...preconditions, propagationPolicy }));
  counts.deleted += 1;
}

/** A namespaced object cannot own a cluster-scoped one; such a reference does not cause a deletion. */
function isMisplaced(
  { resource }: Dependent,
  references: readonly OwnerReference[],
  owners: Owners,
): boolean {
  if (resource.definition.namespaced) return false;
  return references.some((reference) => owners.resourceOf(reference)?.definition.namespaced === true);
}

function policyOf({ finalizers = [] }: ObjectMeta): NonNullable<DeleteRequest['propagationPolicy']> {
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}

/** Whether a dependent of the object already waits for it: a cycle, which must be broken. */
function waitsForItself(graph: Graph, uid: string): boolean {
  for (const dependent of graph.owner(uid)?.dependents ?? []) {
    const found = dependent.resource.cached(dependent);
    if (found !== undefined && waitsForDependents(metadataOf(found))) return true;
  }
  return false;
}

/** Removes references to these owners from an object. */
export async function dropOwners(
  {
    resource,
    namespace,
    name,
    uid,
  }: { resource: ResourceClient; namespace: string; name: string; uid: string },
  gone: readonly { readonly uid: string }[],
): Promise<void> {
  const uids = new Set(gone.map((owner) => owner.uid));
  const change = (copy: KubeObject): KubeObject | undefined => {
    const before = copy.metadata.ownerReferences ?? [];
    const ownerReferences = before.filter((reference) => !uids.has(reference.uid));
    if (ownerReferences.length === before.length) return undefined;
    const { ownerReferences: _, ...metadata } = copy.metadata;
    return { ...copy, metadata: ownerReferences.length === 0 ? metadata : { ...metadata, ownerReferences } };
  };
  await ignoring([404], resource.update({ namespace, name, uid }, change));
}

/** Makes the object block none of its owners any more. */
export async function unblockOwners({ resource, namespace, name, uid }: Dependent): Promise<void> {
  const change = (copy: KubeObject): KubeObject => {
    const references = copy.metadata.ownerReferences ?? [];
    const ownerReferences = references.map((one) => ({ ...one, blockOwnerDeletion: false }));
    return { ...copy, metadata: { ...copy.metadata, ownerReferences } };
  };
  await ignoring([404], resource.update({ namespace, name, uid }, change));
}
