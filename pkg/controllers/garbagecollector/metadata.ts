import type { ObjectMeta } from '../../../api/resource.js';
import type { CachedObject } from '../interface.js';

const OWNERS = Buffer.from('"ownerReferences":[');
const DELETED = Buffer.from('"deletionTimestamp":"');

/** Finalizers that the collector takes away. */
export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** Whether there is anything in the object that the collector must know. Looks at bytes: most objects are skipped so. */
export function concerns(object: CachedObject): boolean {
  const { bytes } = object;
  return bytes.includes(OWNERS) || bytes.includes(DELETED);
}

/** Whether the object is being deleted and waits for its dependents. */
export function waitsForDependents({ deletionTimestamp, finalizers }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined && (finalizers ?? []).includes(FOREGROUND);
}
