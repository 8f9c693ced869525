import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { ALGORITHM, publicPart, type TokenKeys } from '../keys.js';

/** A new private key. */
export async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: ALGORITHM, use: 'sig', kid: randomUUID() };
}

/** Keys that do not change; the first signs. */
export function fixedKeys(...keys: readonly JWK[]): TokenKeys {
  const published = keys.map(publicPart);
  return {
    signing: () => Promise.resolve(keys[0]!),
    find: (kid) => published.find((key) => key.kid === kid),
    published: () => published,
  };
}
