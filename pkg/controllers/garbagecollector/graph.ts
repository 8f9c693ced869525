/** The graph of owners and dependents, from the caches. Objects without either are not in it. */
import type { ObjectKey, OwnerReference } from '../../../api/resource.js';
import type { ResourceClient } from '../interface.js';

/** An object with owners. */
export interface Dependent extends ObjectKey {
  readonly uid: string;
  readonly resource: ResourceClient;
  readonly owners: readonly OwnerReference[];
}

/** An owner, whether it was seen or not. */
interface Owner {
  readonly dependents: ReadonlySet<Dependent>;
  /** The number of dependents that block its deletion in the foreground. */
  readonly blocking: number;
}

interface OwnerNode {
  readonly dependents: Set<Dependent>;
  blocking: number;
}

export interface Graph {
  readonly size: number;
  dependent(uid: string): Dependent | undefined;
  dependents(): Iterable<Dependent>;
  owner(uid: string): Owner | undefined;
  owners(): Iterable<string>;
  /** Returns whether its owners have changed. Forgets an object without owners. */
  set(dependent: Dependent): boolean;
  delete(uid: string): void;
}

export interface GraphRules {
  /** Whether the collector considers the reference. */
  counts(dependent: Dependent, owner: OwnerReference): boolean;
  /** Called when the last dependent that blocked an owner is gone. */
  unblocked(dependent: Dependent, owner: OwnerReference): void;
}

export function createGraph(rules: GraphRules): Graph {
  const dependents = new Map<string, Dependent>();
  const owners = new Map<string, OwnerNode>();

  function link(dependent: Dependent): void {
    for (const reference of dependent.owners) {
      if (!rules.counts(dependent, reference)) continue;
      let owner = owners.get(reference.uid);
      if (owner === undefined) owners.set(reference.uid, (owner = { dependents: new Set(), blocking: 0 }));
      if (owner.dependents.has(dependent)) continue;
      owner.dependents.add(dependent);
      if (reference.blockOwnerDeletion === true) owner.blocking += 1;
    }
  }

  function unlink(dependent: Dependent): void {
    for (const reference of dependent.owners) {
      const owner = owners.get(reference.uid);
      if (owner?.dependents.delete(dependent) !== true) continue;
      if (reference.blockOwnerDeletion === true) owner.blocking -= 1;
      if (owner.dependents.size === 0) owners.delete(reference.uid);
    }
  }

  const tellUnblocked = (previous: Dependent): void => {
    for (const reference of previous.owners) {
      const blocking = owners.get(reference.uid)?.blocking ?? 0;
      if (blocking === 0) rules.unblocked(previous, reference);
    }
  };

  return {
    get size() {
      return dependents.size;
    },
    dependent: (uid) => dependents.get(uid),
    dependents: () => dependents.values(),
    owner: (uid) => owners.get(uid),
    owners: () => owners.keys(),
    set(dependent) {
      const previous = dependents.get(dependent.uid);
      if (previous !== undefined && sameOwners(previous.owners, dependent.owners)) return false;
      if (previous !== undefined) unlink(previous);
      if (dependent.owners.length === 0) dependents.delete(dependent.uid);
      else dependents.set(dependent.uid, dependent);
      link(dependent);
      if (previous !== undefined) tellUnblocked(previous);
      return previous !== undefined || dependent.owners.length > 0;
    },
    delete(uid) {
      const previous = dependents.get(uid);
      if (previous === undefined) return;
      unlink(previous);
      dependents.delete(uid);
      tellUnblocked(previous);
    },
  };
}

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, at) => {
      const other = b[at]!;
      return (
        one.uid === other.uid &&
        one.name === other.name &&
        one.kind === other.kind &&
        one.apiVersion === other.apiVersion &&
        one.blockOwnerDeletion === other.blockOwnerDeletion
      );
    })
  );
}
