import type { ObjectMeta } from '../../../api/resource.js';
import type { CachedObject } from '../interface.js';

const OWNERS = Buffer.from('"ownerReferences":[');
const DELETED = Buffer.from('"deletionTimestamp":"');
const UID = Buffer.from('"uid":"');

/** The finalizers of the collector. */
export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** Whether the object is relevant for the collector. Checks the bytes, which skips most objects. */
export function concerns({ bytes }: CachedObject): boolean {
  return bytes.includes(OWNERS) || bytes.includes(DELETED);
}

/** Whether the object may be one that is being deleted. Checks the bytes. */
export const isDeleted = ({ bytes }: CachedObject): boolean => bytes.includes(DELETED);

/** Whether this is the object's uid. In its bytes, the first that is called so: before it are only names. */
export function hasUid({ bytes }: CachedObject, uid: string): boolean {
  const start = bytes.indexOf(UID) + UID.length;
  return start >= UID.length && bytes.toString('latin1', start, bytes.indexOf('"', start)) === uid;
}

/** Whether the object is being deleted and waits for its dependents. */
export function waitsForDependents({ deletionTimestamp, finalizers }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined && (finalizers ?? []).includes(FOREGROUND);
}
