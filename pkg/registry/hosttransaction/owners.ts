/**
 * The host's garbage collector deletes what is owned by an object that is not there, remembers that it was not, and
 * looks as soon as it sees the reference: an object that is made together with what it owns gets named there after it
 * exists.
 */
import type { KubeObject } from '../../../api/resource.js';
import { PROJECT_HELD_ANNOTATION } from '../../management/projects/names.js';
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Of a record's value. */
export const objectIn = (value: Buffer): KubeObject => parseStored<KubeObject>(value);

/** What a value is before its owner exists. Undefined where it names no owner, nor says that there is one. */
export function withoutOwners(value: Buffer): Buffer | undefined {
  const object = objectIn(value);
  const { ownerReferences, ...metadata } = object.metadata;
  const { [PROJECT_HELD_ANNOTATION]: held, ...annotations } = metadata.annotations ?? {};
  if (ownerReferences === undefined && held === undefined) return undefined;
  return encodeObject({ ...object, metadata: held === undefined ? metadata : { ...metadata, annotations } });
}

/** The value as an update of what was created from it: its uid is the host's. */
export function asUpdate(value: Buffer): Buffer {
  const object = objectIn(value);
  const { uid: _uid, creationTimestamp: _time, ...metadata } = object.metadata;
  return encodeObject({ ...object, metadata });
}
