import { randomUUID } from 'node:crypto';
import type { JWK, importJWK } from 'jose';
import { ALGORITHM, CLAIM, ISSUER, accountName } from './token.js';
import type { ServiceAccountToken } from './token.js';

/** What a token is made of. Times in seconds since the epoch. */
export interface TokenContent extends ServiceAccountToken {
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Signs tokens of service accounts with the first of `keys` (`k8s.io/kubernetes/pkg/serviceaccount`). */
export function tokenSigner(keys: readonly JWK[]): (content: TokenContent) => Promise<string> {
  const key = keys[0];
  if (key === undefined) throw new Error('there is no key to sign tokens with');
  let imported: ReturnType<typeof importJWK> | undefined;
  return async (content) => {
    const { namespace, serviceAccount, secret, audiences, issuedAt, expiresAt } = content;
    const { SignJWT, importJWK: importKey } = await import('jose');
    imported ??= importKey(key, ALGORITHM);
    const own = { namespace, serviceaccount: serviceAccount, ...(secret !== undefined && { secret }) };
    return new SignJWT({ [CLAIM]: own })
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid })
      .setIssuer(ISSUER)
      .setSubject(accountName(namespace, serviceAccount.name))
      .setAudience([...audiences])
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(expiresAt)
      .setJti(randomUUID())
      .sign(await imported);
  };
}
