/**
 * The host's garbage collector deletes objects whose owner does not exist, and remembers missing owners. It looks as
 * soon as it sees a reference, so an object that is created in the same transaction as its owner gets its owner
 * references only after the owner exists.
 */
import type { KubeObject } from '../../../api/resource.js';
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** The object in a record's value. */
export const objectIn = (value: Buffer): KubeObject => parseStored<KubeObject>(value);

/** The value without owner references and the `annotation` that owners exist. Undefined if it has neither. */
export function withoutOwners(value: Buffer, annotation = ''): Buffer | undefined {
  const object = objectIn(value);
  const { ownerReferences, ...metadata } = object.metadata;
  const { [annotation]: held, ...annotations } = metadata.annotations ?? {};
  if (ownerReferences === undefined && held === undefined) return undefined;
  return encodeObject({ ...object, metadata: held === undefined ? metadata : { ...metadata, annotations } });
}

/** The value as an update of the created object, whose uid is the host's. */
export function asUpdate(value: Buffer): Buffer {
  const object = objectIn(value);
  const { uid: _uid, creationTimestamp: _time, ...metadata } = object.metadata;
  return encodeObject({ ...object, metadata });
}
