/** Effects: writes to objects of other kinds, and preconditions, in the commit of an object. */
import type { KubeObject, ObjectKey, ResourceDefinition } from '../../../api/resource.js';
import type { Entry } from '../../cache/interface.js';
import type { Guard, StoredRecord, Write } from '../../storage/interface.js';
import type { Requester } from '../requester.js';

/** A write of one object for which effects are computed, after admission and validation. */
export interface Change<T extends KubeObject = KubeObject> {
  /** The object after the write, with uid and namespace; undefined for a delete. Read-only. */
  readonly next: T | undefined;
  /** Undefined for a create. Shared: read-only. */
  readonly previous: T | undefined;
  readonly requester: Requester;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** Whether nothing is written; errors of effects are still returned. */
  readonly dryRun: boolean;
}

/** Further writes and guards of the object's commit. */
export interface Effects {
  readonly writes: readonly Write[];
  readonly guards: readonly Guard[];
  /** Whether the object grants rights: the response then waits until this server authorizes by it. */
  readonly decidesAccess?: boolean;
}

/** Access to the objects of other kinds. */
export interface TransactionObjects {
  readonly settings: object;
  /** The stored kinds, here or in another API server. */
  readonly definitions: readonly ResourceDefinition[];
  /** Throws RangeError if the kind is not served. `group`: `''` for core. */
  kind(this: void, group: string, plural: string): TransactionKind;
  /** Reads a private record from the store. */
  record(this: void, key: string): Promise<StoredRecord | undefined>;
  /** The contents of a namespace. */
  contents(this: void, namespace: string): Promise<readonly Content[]>;
}

/**
 * The objects of one kind. Their writes bypass admission and validation, and their fields have no manager. If an
 * expectation fails, effects are computed again with the state that was found.
 */
export interface TransactionKind {
  /** From the cache, or from the store if an earlier attempt found another state there. */
  cached(key: ObjectKey): Entry | undefined;
  /** Reads from the store. */
  read(key: ObjectKey): Promise<Entry | undefined>;
  /**
   * Cached objects with this name prefix, of a kind that another API server stores: a removal there may have failed
   * after its commit. Empty for other kinds.
   */
  orphans(namespace: string, beginning: string): Iterable<Entry>;
  /**
   * Writes `object` (its name, labels, owners and members; not modified) in place of `current`, whose uid, creation
   * time and managedFields it keeps; without `current`, as a new object. Nothing is written if it is unchanged,
   * unless another API server stores it and this change `becomes` it: a concurrent commit may have written the same,
   * and must not undo it when it fails.
   */
  ensure(
    namespace: string,
    object: KubeObject,
    current: Entry | undefined,
    becomes?: boolean,
  ): readonly Write[];
  /** Removes it at once, regardless of finalizers. */
  remove(current: Entry): Write;
}

/** The requirements of a rule for the commit of a write: further writes, and preconditions. */
export interface Requirements {
  /** The name of the admission plugin, for errors. */
  readonly rule: string;
  readonly writes?: readonly Write[];
  readonly preconditions?: readonly Guard[];
}

/** An object of a namespace, with its kind. */
export interface Content {
  readonly definition: ResourceDefinition;
  readonly object: KubeObject;
}
