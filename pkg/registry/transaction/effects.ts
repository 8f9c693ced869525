/** What belongs into the commit of an object beside it: writes to objects of other kinds, and preconditions. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import type { Entry } from '../../cache/interface.js';
import type { Guard, StoredRecord, Write } from '../../storage/interface.js';
import type { Settings } from '../settings.js';
import type { Requester } from '../requester.js';

/** A write of one object, as its effects see it: admitted and validated, about to be committed. */
export interface Change<T extends KubeObject = KubeObject> {
  /** The object as it will be, with uid and namespace; undefined when it is removed. Not to be changed. */
  readonly next: T | undefined;
  /** Undefined when it is created. Shared: never change it. */
  readonly previous: T | undefined;
  readonly requester: Requester;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** Nothing will be written; what effects throw is still the answer. */
  readonly dryRun: boolean;
}

/** Further writes and guards that belong into the commit of the object itself. */
export interface Effects {
  readonly writes: readonly Write[];
  readonly guards: readonly Guard[];
  /** Whether the object itself gives rights: its write is answered once this server decides by it. */
  readonly decidesAccess?: boolean;
}

/** The objects of other kinds, to make writes to them. */
export interface TransactionObjects {
  readonly settings: Settings;
  /** RangeError when the kind is not served. `group`: `''` for core. */
  kind(this: void, group: string, plural: string): TransactionKind;
  /** A private record, as the store has it now. */
  record(this: void, key: string): Promise<StoredRecord | undefined>;
  /** What is in a namespace, as {@link contentsOf}. */
  contents(this: void, namespace: string): Promise<readonly Content[]>;
}

/**
 * The objects of one kind. Writes are made by the server itself: neither admitted nor validated, with no owner of their
 * fields. A write whose expectation fails makes the effects be asked again, with the state that was met.
 */
export interface TransactionKind {
  /** As last known: from the cache, or from the store where an attempt before met another state. */
  cached(namespace: string, name: string): Entry | undefined;
  /** As the store has it now. */
  read(namespace: string, name: string): Promise<Entry | undefined>;
  /**
   * Those whose names begin so, as last known, of a kind that another API server has: there a removal may have failed
   * after its commit. Of other kinds none.
   */
  orphans(namespace: string, beginning: string): Iterable<Entry>;
  /**
   * Makes `object` (its name, labels, owners and members; not changed) what is there, in the place of `current`, whose
   * uid, creation time and managed fields it keeps; with none `current`, a new object. No write where it is so already,
   * unless another API server has it and it `becomes` so by this change: it may be so by another commit under way, which
   * must not take it back when it fails.
   */
  ensure(
    namespace: string,
    object: KubeObject,
    current: Entry | undefined,
    becomes?: boolean,
  ): readonly Write[];
  /** Removes it at once, whatever its finalizers. */
  remove(current: Entry): Write;
}

/** What a rule requires of the commit of a write: further writes, and what must be unchanged. */
export interface Requirements {
  /** As errors name it: the admission plugin. */
  readonly rule: string;
  readonly writes?: readonly Write[];
  readonly preconditions?: readonly Guard[];
}

/** An object of a namespace, and the kind that it is of. */
export interface Content {
  readonly definition: ResourceDefinition;
  readonly object: KubeObject;
}
