import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';

const HOUR_MS = 3_600_000;

/**
 * Expiry of a key, in ms since 1970; undefined: never. `lastUsed`: the last observed use, in addition to that of the
 * status, in ms; 0: never. A key that ends after its last activity and was never used ends after its creation.
 */
export function keyEnd(
  { metadata, spec = {}, status = {} }: Pick<OwnedAccessKey, 'metadata' | 'spec' | 'status'>,
  lastUsed: number,
): number | undefined {
  const { ttl = 0, ttlAfterLastActivity = false } = spec;
  if (ttl <= 0) return undefined;
  const created = Date.parse(metadata.creationTimestamp ?? '');
  const recorded = status.lastActivity === undefined ? 0 : Date.parse(status.lastActivity);
  const from = ttlAfterLastActivity ? Math.max(created, recorded, lastUsed) : created;
  return from + ttl * 1000;
}

/** The maximum delay of `status.lastActivity` after a use, in ms: an hour, or a tenth of the time to live. */
export function activityPause({ spec = {} }: Pick<OwnedAccessKey, 'spec'>): number {
  const { ttl = 0, ttlAfterLastActivity = false } = spec;
  return ttlAfterLastActivity && ttl > 0 ? Math.min(HOUR_MS, ttl * 100) : HOUR_MS;
}
