import type { TokenLookup } from '../../authentication/bearer.js';
import { AUTHENTICATED, MASTERS } from '../../authentication/groups.js';
import type { User } from '../../authentication/interface.js';
import { hashKey, isKey, sameHash } from './adminkey.js';

/** Who holds the administrator's key. */
export const ADMIN: User = { name: 'admin', uid: 'admin', groups: [MASTERS, AUTHENTICATED], extra: {} };

/**
 * Knows the administrator's key by its hash. `current` gives the hash in force; the digest of the last key that passed
 * is remembered with that very hash, so repeated requests cost no HMAC and a replaced key stops working at once.
 */
export function adminLookup(pepper: Buffer, current: () => Buffer | undefined): TokenLookup {
  let passed: { readonly digest: string; readonly hash: Buffer } | undefined;
  return (token, digest) => {
    const hash = current();
    if (hash === undefined) return undefined;
    if (passed !== undefined && passed.hash === hash && passed.digest === digest) return ADMIN;
    if (!isKey(token) || !sameHash(hashKey(token, pepper), hash)) return undefined;
    passed = { digest, hash };
    return ADMIN;
  };
}
