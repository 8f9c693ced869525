/** Why an object that is being deleted is still there: what it waits for. */
import type { ObjectMeta } from '../../../../api/resource.js';
import type { Form } from '../forms.js';
import { objects } from '../forms.js';
import { pathIn } from '../paths.js';
import type { Resource } from './resources.js';

export interface Target {
  readonly uid: string;
  /** Where it is; empty: in no namespace, and its dependents anywhere. */
  readonly namespace: string;
  /** A namespace that goes with it, and has to be empty first; empty: none. */
  readonly holds: string;
}

/** What may be waited for: of the metadata of an object only what tells that. */
export interface Remaining {
  readonly metadata: ObjectMeta;
  /** Whether it has owners, or is in the namespace that goes. */
  readonly matters: boolean;
}

/** Metadata alone, and that of objects which cannot be waited for not at all. */
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
    // One that came and matters no more takes the place of what it was.
    items: (answer) => form.items(answer).filter(({ matters }) => matters),
  };
}

/** Something that is still there. */
export interface Dependent {
  readonly uid: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Its own path in the API. */
  readonly path: string;
  /** Whether it is being deleted itself. */
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  /** The uid of what waits for it: the target's, that of another dependent, or empty for the namespace that goes. */
  readonly of: string;
  /** Whether that cannot go before it, where it is deleted in the foreground. */
  readonly blocks: boolean;
}

interface Known {
  readonly resource: Resource;
  readonly metadata: ObjectMeta;
}

/** What names the target as its owner, what is in the namespace that goes with it, and what these own, the nearest first. */
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
  // What another one there owns comes below that; what own each other in a circle come after all others.
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
