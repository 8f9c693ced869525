import type { JWK } from 'jose';

export const ALGORITHM = 'ES256';

/** The keys that tokens of this service are signed with: private, for ES256, each with a `kid`. */
export interface TokenKeys {
  /** The key to sign with, which is published at least until `expiresAt` (seconds since the epoch). */
  signing(expiresAt: number): Promise<JWK>;
  /** A published key. From memory. */
  find(kid: string): JWK | undefined;
  /** All that a token may be signed with, without their private parts. */
  published(): readonly JWK[];
}

/** A key as everyone may see it. */
export function publicPart({ kty, crv, x, y, kid, alg, use }: JWK): JWK {
  return { use, kty, kid, crv, alg, x, y };
}
