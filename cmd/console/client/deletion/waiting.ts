/** Why an object that is being deleted still exists: what the deletion waits for. */
import type { ObjectMeta } from '../../../../api/resource.js';
import { objects, type Form } from '../forms.js';
import { pathIn } from '../paths.js';
import type { Resource } from './resources.js';

export interface Target {
  readonly uid: string;
  /** The namespace of the object; empty: it is cluster-scoped, and its dependents may be in any namespace. */
  readonly namespace: string;
  /** A namespace that is deleted with the object, and must be empty first; empty: none. */
  readonly holds: string;
}

/** An object that a deletion may wait for. Of its metadata, only what decides that is kept. */
export interface Remaining {
  readonly metadata: ObjectMeta;
  /** Whether the object has owners, or is in the namespace that is deleted. */
  readonly matters: boolean;
}

/** Keeps only metadata, and drops objects that no deletion waits for. */
export function remainingForm(holds: string): Form<Remaining> {
  const keep = ({ metadata }: { readonly metadata: ObjectMeta }): Remaining => {
    const { managedFields: _fields, annotations: _annotations, labels: _labels, ...told } = metadata;
    const { ownerReferences = [], namespace = '' } = told;
    return { metadata: told, matters: ownerReferences.length > 0 || (holds !== '' && namespace === holds) };
  };
  const form = objects(keep);
  const how = ';v=v1;g=meta.k8s.io,application/json';
  return {
    ...form,
    accept: `application/json;as=PartialObjectMetadataList${how}`,
    acceptWatch: `application/json;as=PartialObjectMetadata${how}`,
    // An object that is no longer relevant replaces its former state, so a watch must see it.
    items: (answer) => form.items(answer).filter(({ matters }) => matters),
  };
}

/** A dependent that still exists. */
export interface Dependent {
  readonly uid: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** The path of the object in the API. */
  readonly path: string;
  /** Whether the object is being deleted itself. */
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  /**
   * The uid of the object that waits for it: the target, another dependent, or empty for the namespace that is deleted.
   */
  readonly of: string;
  /** Whether a foreground deletion of the owner must wait for it (`blockOwnerDeletion`). */
  readonly blocks: boolean;
}

interface Known {
  readonly resource: Resource;
  readonly metadata: ObjectMeta;
}

/**
 * The objects that name the target as their owner, the objects in the namespace that is deleted with it, and the
 * objects that these own; direct dependents first.
 */
export function dependentsOf(
  target: Target,
  found: readonly (readonly [Resource, readonly Remaining[]])[],
): Dependent[] {
  const all: Known[] = found.flatMap(([resource, items]) =>
    items.filter(({ matters }) => matters).map(({ metadata }) => ({ resource, metadata })),
  );
  const owned = byOwner(all);
  const seen = new Set([target.uid]);
  const dependents: Dependent[] = [];
  const add = (one: Known, of: string, blocks: boolean): void => {
    const { uid = '' } = one.metadata;
    if (seen.has(uid)) return;
    seen.add(uid);
    dependents.push({ ...dependentOf(one), of, blocks });
  };
  const addOwned = (owner: string): void => {
    for (const { one, blocks } of owned.get(owner) ?? []) add(one, owner, blocks);
  };
  let followed = 0;
  const follow = (): void => {
    for (; followed < dependents.length; followed += 1) addOwned(dependents[followed]?.uid ?? '');
  };
  addOwned(target.uid);
  follow();
  const inside = all.filter(
    ({ metadata: { namespace = '' } }) => target.holds !== '' && namespace === target.holds,
  );
  const known = new Set(inside.map(({ metadata }) => metadata.uid));
  // An object that another one in the namespace owns comes below that one. Objects that own each other come last.
  const first = inside.filter(
    ({ metadata: { ownerReferences = [] } }) => !ownerReferences.some(({ uid }) => known.has(uid)),
  );
  for (const one of first) add(one, '', true);
  follow();
  for (const one of inside) add(one, '', true);
  return dependents;
}

function byOwner(all: readonly Known[]): Map<string, { readonly one: Known; readonly blocks: boolean }[]> {
  const owned = new Map<string, { one: Known; blocks: boolean }[]>();
  for (const one of all)
    for (const { uid, blockOwnerDeletion: blocks = false } of one.metadata.ownerReferences ?? []) {
      const others = owned.get(uid) ?? [];
      others.push({ one, blocks });
      owned.set(uid, others);
    }
  return owned;
}

function dependentOf({ resource: { group, resource }, metadata }: Known): Omit<Dependent, 'of' | 'blocks'> {
  const { uid = '', name = '', namespace = '', deletionTimestamp, finalizers = [] } = metadata;
  const path = pathIn(group, resource, namespace, name);
  return { uid, resource, namespace, name, path, deleting: deletionTimestamp !== undefined, finalizers };
}
