import type { ObjectMeta } from '../../../api/resource.js';
import type { CachedObject } from '../interface.js';

const OWNERS = Buffer.from('"ownerReferences":[');
const DELETED = Buffer.from('"deletionTimestamp":"');

/** The finalizers of the collector. */
export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** Whether the object is relevant for the collector. Checks the bytes, which skips most objects. */
export function concerns(object: CachedObject): boolean {
  const { bytes } = object;
  return bytes.includes(OWNERS) || bytes.includes(DELETED);
}

/** Whether the object is being deleted and waits for its dependents. */
export function waitsForDependents({ deletionTimestamp, finalizers }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined && (finalizers ?? []).includes(FOREGROUND);
}
