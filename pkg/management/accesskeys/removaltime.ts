/** The removal time of expired access keys. */
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { activityPause, keyEnd } from './keyend.js';
import { isKind } from '../../../api/resource.js';
import type { Expiry } from '../../controllers/reaper/expiry.js';

/** How long a use takes to reach the status, besides the interval of its writes. */
const ON_ITS_WAY_MS = 30_000;
const TTL = Buffer.from('"ttl":');

/** `retentionMs`: how long expired keys stay. */
export const accessKeyExpiry = (retentionMs: number): Expiry => ({
  kind: OwnedAccessKey,
  mark: TTL,
  moves: true,
  endOf(_metadata, object) {
    const key = object();
    return isKind(OwnedAccessKey, key) ? removalOfKey(key, retentionMs) : undefined;
  },
});

/**
 * In ms since 1970; undefined for a key without expiry. For a key that expires after its last use the
 * possible delay of its status is added.
 */
export function removalOfKey(key: OwnedAccessKey, retentionMs: number): number | undefined {
  const end = keyEnd(key, 0);
  if (end === undefined) return undefined;
  const statusDelayMs = key.spec?.ttlAfterLastActivity === true ? activityPause(key) + ON_ITS_WAY_MS : 0;
  return end + statusDelayMs + retentionMs;
}
