/** How kinds keep members that clients write and nobody reads; `writeonlyfields.ts` is what does it. */
import type { KeyObject } from 'node:crypto';
import type { FieldError } from '../../apimachinery/errors.js';
import type { KubeObject } from '../../../api/resource.js';
import type { StoredRecord, Write } from '../../storage/interface.js';

/** Values of write-only members by their paths: `spec.key`. */
export type Sent = Readonly<Record<string, string>>;

export interface PrivateWrite {
  readonly name: string;
  readonly sent: Sent;
  /** What is kept now; undefined of a new object. */
  readonly kept: StoredRecord | undefined;
  readonly isNew: boolean;
  readonly dryRun: boolean;
  /** Under which keys are hashed. */
  readonly pepper: KeyObject;
}

/** What becomes of the private record of an object. */
export interface PrivateChange {
  readonly writes: readonly Write[];
  /** Whether something is kept that was not before. */
  readonly changes: boolean;
  /** What the answer to this write shows, and no other. */
  readonly shown: Sent;
}

/** How a kind keeps its write-only members. */
export interface WriteOnlyFields {
  /** Takes them out of `object`, or of a change of it; empty ones count as absent. */
  take(object: Readonly<Record<string, unknown>>): Sent;
  /** A copy of `object` with members put in. */
  put(object: KubeObject, sent: Sent): KubeObject;
  validate(sent: Sent): FieldError[];
  /** Those of `sent` that are kept with the same value. */
  same(sent: Sent, kept: StoredRecord | undefined, pepper: KeyObject): Sent;
  recordKey(name: string): string;
  keep(write: PrivateWrite): PrivateChange;
  /** Removes what is kept. */
  forget(kept: StoredRecord): readonly Write[];
  /** What it means that a record is there already that must not be; undefined where the record is not of this state. */
  taken(key: string): FieldError | undefined;
}
