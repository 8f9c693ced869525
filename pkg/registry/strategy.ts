import type { Scope } from '../../api/management.svc.example/v1/scope.js';
import type { KubeObject } from '../../api/resource.js';
import type { FieldError } from '../apimachinery/errors.js';
import type { Column } from '../apimachinery/table.js';
import type { Change, CommitObjects, Effects } from './transaction/effects.js';
import type { WriteOnlyFields } from './object/writeonlyfields.js';

/** Who writes. `User` of pkg/authentication is one. */
export interface Requester {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** What the credential is for; absent: everything. */
  readonly scope?: Scope;
  /** `Credential` of pkg/authentication: what bounds the life of credentials that the writer makes. */
  readonly credential?: { readonly accessKey?: string; readonly expires?: number };
  /** A loop of this server, and nobody who came with a request, whatever their name. */
  readonly internal?: true;
}

/** What a strategy may know of the write. */
export interface WriteContext {
  readonly requester: Requester;
  /** `''` for the object itself. */
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

export interface TableColumn<T extends KubeObject = KubeObject> extends Column {
  /** The cell of an object. `now`: milliseconds since the epoch. */
  cell(object: T, now: number): unknown;
}

/**
 * What is special about a kind; `T`: its objects. Every member is optional; the generic store does the rest.
 * `prepare*` change the object that they are given; `validate*` only read. Both see only objects that fit the kind's
 * schema, so what `prepare*` fills cannot be required there.
 */
export interface Strategy<T extends KubeObject = KubeObject> {
  /** Columns of a Table after Name, unless Name is one of them. Absent: Age alone. */
  readonly columns?: readonly TableColumn<T>[];
  /** Whether access is decided by these objects: a write is answered once this server decides by it. */
  readonly decidesAccess?: boolean;
  /** How members are kept that are only ever written; cluster-scoped kinds alone may have such. */
  readonly writeOnlyFields?: WriteOnlyFields;
  /** Whether metadata.generation counts changes of everything but metadata and status. */
  readonly generation: boolean;
  /** Defaults that a schema cannot say; also rewrites members that are only ever written. */
  applyDefaults?(object: T): void;
  /** Fills what the server owns before validation. */
  prepareForCreate?(object: T, context: WriteContext): void;
  prepareForUpdate?(next: T, previous: T, context: WriteContext): void;
  /** Findings beyond those of the schema and of metadata. */
  validate?(object: T): FieldError[];
  validateCreate?(object: T): FieldError[];
  validateUpdate?(next: T, previous: T): FieldError[];
  /** What the writer of an object that is taken is told beside the answer (`Warning` headers). */
  warnings?(next: T, previous: T | undefined): string[];
  /** Takes out of a copy what the server writes by itself: a change of nothing else makes no client's version stale. */
  withoutOwnWrites?(copy: T): KubeObject;
  /**
   * What belongs into the same commit. Asked for every write that changes or removes the object, and again where another
   * writer comes first to one of its writes or guards. Refuses with a StatusError.
   */
  effects?(change: Change<T>, objects: CommitObjects): Promise<Effects>;
  /** Of the effects what others may have undone since: makes it good. Asked with the object as it is, and no `previous`. */
  repair?(change: Change<T>, objects: CommitObjects): Promise<Effects>;
  /** Changes an object that is being marked for deletion (a namespace becomes Terminating). */
  prepareForDelete?(object: T): void;
  /** Whether an object marked for deletion stays although metadata.finalizers is empty. */
  holds?(object: T): boolean;
  /** The answer to a DELETE whose precondition fails, where it is not the usual one. */
  preconditionFailed?(name: string, which: 'UID' | 'ResourceVersion', wanted: string, found: string): Error;
  /** Whether DELETE answers the object that is gone and not a Status. */
  readonly returnsDeleted?: boolean;
  /** Refuses a delete by throwing a StatusError; asked before it is known whether the object exists. */
  checkDelete?(name: string): void;
}
