import type { KeyObject } from 'node:crypto';
import type { TokenLookup } from '../authentication/bearer.js';
import { ADMIN } from '../authentication/administrator.js';
import { hashKey, isKey, sameHash } from '../apimachinery/accesskey.js';

/**
 * Authenticates administrators' keys of earlier releases by their hashes. `current` returns the valid hashes;
 * the digest of the last accepted key is cached with its hash, so repeated requests need no HMAC, and a
 * replaced key is refused at once.
 */
export function adminLookup(pepper: KeyObject, current: () => readonly Buffer[]): TokenLookup {
  let passed: { readonly digest: string; readonly hash: Buffer } | undefined;
  return (token, digest) => {
    const hashes = current();
    if (passed !== undefined && passed.digest === digest && hashes.includes(passed.hash)) return ADMIN;
    if (hashes.length === 0 || !isKey(token)) return undefined;
    const given = hashKey(token, pepper);
    const hash = hashes.find((one) => sameHash(given, one));
    if (hash === undefined) return undefined;
    passed = { digest, hash };
    return ADMIN;
  };
}
