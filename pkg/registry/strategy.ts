import type { JsonValue, KubeObject } from '../../api/resource.js';
import type { FieldError } from '../apimachinery/errors.js';
import type { Column } from '../apimachinery/table.js';
import type { Change, TransactionObjects, Effects } from './transaction/effects.js';
import type { DerivedObjects } from './object/derivedobjects.js';
import type { WriteOnlyFields } from './object/interface.js';
import type { Requester } from './requester.js';

/** The context of a write. */
interface WriteContext {
  readonly requester: Requester;
  /** `''` for the object itself. */
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

export interface TableColumn<T extends KubeObject = KubeObject> extends Column {
  /** The cell of an object. `now`: milliseconds since the epoch. */
  cell(object: T, now: number): JsonValue;
}

/**
 * The strategy of a kind (`k8s.io/apiserver/pkg/registry/rest`); `T`: its objects. Every member is optional; the
 * generic store does the rest. `prepare*` modify the object; `validate*` only read it. Both get only objects that match
 * the kind's schema, so the schema cannot require a field that `prepare*` sets.
 */
export interface Strategy<T extends KubeObject = KubeObject> {
  /** Table columns after Name, unless Name is one of them. Absent: only Age. */
  readonly columns?: readonly TableColumn<T>[];
  /** Whether authorization depends on these objects. A write is then acknowledged when this server authorizes by it. */
  readonly decidesAccess?: boolean;
  /**
   * Whether lists and watches have an object whose record cannot be read, with its name alone, instead of leaving it out:
   * for objects whose absence would grant something.
   */
  readonly listsUnreadable?: boolean;
  /** Objects of other kinds that follow from each object, and are not stored where this server stores those kinds. */
  readonly derived?: DerivedObjects;
  /** The most bytes of an object as JSON; absent: as many as the store takes. Larger writes get 413. */
  readonly maxBytes?: number;
  /** How write-only fields are stored; only for cluster-scoped kinds. */
  readonly writeOnlyFields?: WriteOnlyFields;
  /** Whether metadata.generation is incremented by changes of anything but metadata and status. */
  readonly generation: boolean;
  /** Defaults that a schema cannot express; also rewrites write-only fields. */
  applyDefaults?(object: T): void;
  /** Sets the fields that the server owns, before validation. */
  prepareForCreate?(object: T, context: WriteContext): void;
  prepareForUpdate?(next: T, previous: T, context: WriteContext): void;
  /** Validation in addition to the schema and to metadata. */
  validate?(object: T): FieldError[];
  validateCreate?(object: T): FieldError[];
  validateUpdate?(next: T, previous: T): FieldError[];
  /** `Warning` headers for an accepted write (`WarningsOnCreate`, `WarningsOnUpdate`). */
  warnings?(next: T, previous: T | undefined): string[];
  /**
   * Removes from a copy the fields that the server writes itself: a change of only these fields is no conflict for
   * clients.
   */
  withoutOwnWrites?(copy: T): KubeObject;
  /**
   * Further writes and preconditions of the same commit. Called for every write that changes or deletes the object, and
   * again after a conflict on one of them. May throw a StatusError.
   */
  effects?(change: Change<T>, objects: TransactionObjects): Promise<Effects>;
  /** Repairs the effects that others may have changed since. Called with the current object, and without `previous`. */
  repair?(change: Change<T>, objects: TransactionObjects): Promise<Effects>;
  /** Changes an object that is being marked for deletion (a namespace becomes Terminating). */
  prepareForDelete?(object: T): void;
  /**
   * Whether an object with a deletionTimestamp is kept although metadata.finalizers is empty (`spec.finalizers` of a
   * Namespace).
   */
  holds?(object: T): boolean;
  /** The error of a DELETE whose precondition fails, if it is not the usual one. */
  preconditionFailed?(name: string, which: 'UID' | 'ResourceVersion', wanted: string, found: string): Error;
  /** Whether DELETE returns the deleted object and not a Status. */
  readonly returnsDeleted?: boolean;
  /** Rejects a delete by a StatusError. Called before it is known whether the object exists. */
  checkDelete?(name: string): void;
}
