/** Interface of kinds with write-only fields; `writeonlyfields.ts` calls it. */
import type { KeyObject } from 'node:crypto';
import type { FieldError } from '../../apimachinery/errors.js';
import type { KubeObject } from '../../../api/resource.js';
import type { StoredRecord, Write } from '../../storage/interface.js';

/** Values of write-only fields by path: `spec.key`. */
export type WriteOnlyValues = Readonly<Record<string, string>>;

export interface PrivateWrite {
  readonly name: string;
  readonly sent: WriteOnlyValues;
  /** The current private record; undefined for a new object. */
  readonly privateRecord: StoredRecord | undefined;
  readonly isNew: boolean;
  readonly dryRun: boolean;
  /** The HMAC key for hashes of access keys. */
  readonly pepper: KeyObject;
}

/** The change of an object's private record. */
export interface PrivateChange {
  readonly writes: readonly Write[];
  /** Whether the record has a new value. */
  readonly changes: boolean;
  /** Values that only the response to this write shows. */
  readonly shown: WriteOnlyValues;
}

/** Stores the write-only fields of a kind. */
export interface WriteOnlyFields {
  /** Extracts the fields from `object`, or from a change of it; empty values count as absent. */
  take(object: Readonly<Record<string, unknown>>): WriteOnlyValues;
  /** Returns a copy of `object` with these values. */
  put(object: KubeObject, sent: WriteOnlyValues): KubeObject;
  validate(sent: WriteOnlyValues): FieldError[];
  /** The values of `sent` that match the private record. */
  same(sent: WriteOnlyValues, privateRecord: StoredRecord | undefined, pepper: KeyObject): WriteOnlyValues;
  recordKey(name: string): string;
  keep(write: PrivateWrite): PrivateChange;
  /** Deletes the private record. */
  forget(privateRecord: StoredRecord): readonly Write[];
  /** The error if a record exists that must not; undefined if the key is not of this kind's records. */
  taken(key: string): FieldError | undefined;
}
