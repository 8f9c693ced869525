/** When access keys that ended are removed. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { activityPause, keyEnd } from '../../apimachinery/accesskeyend.js';
import type { CachedObject, ResourceClient } from '../interface.js';

/** A use is on its way to the status for so long, beside the pause between two writes of it. */
const ON_ITS_WAY_MS = 30_000;
const TTL = Buffer.from('"ttl":');

export const isAccessKey = ({ definition }: ResourceClient): boolean => definition.kind === 'OwnedAccessKey';

/** Whether it is a key that may end; told without parsing it. */
export const isEndingKey = (
  resource: ResourceClient,
  object: CachedObject,
): object is CachedObject<OwnedAccessKey> => isAccessKey(resource) && object.bytes.includes(TTL);

/**
 * In ms since 1970; undefined for a key without end. A key that ends after its last activity is given the time that
 * its status may be behind.
 */
export function removalOfKey(key: OwnedAccessKey, retentionMs: number): number | undefined {
  const end = keyEnd(key, 0);
  if (end === undefined) return undefined;
  const behind = key.spec?.ttlAfterLastActivity === true ? activityPause(key) + ON_ITS_WAY_MS : 0;
  return end + behind + retentionMs;
}
