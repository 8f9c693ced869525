import { randomUUID } from 'node:crypto';
import type { JWK, importJWK } from 'jose';
import { ALGORITHM, type TokenKeys } from './keys.js';

/** The content of a token. Times in seconds since the epoch. */
export interface TokenContent {
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Claims beside the registered ones. */
  readonly claims: Readonly<Record<string, unknown>>;
}

interface SignedToken {
  readonly token: string;
  /** Its `jti`. */
  readonly id: string;
}

export type SignToken = (content: TokenContent) => Promise<SignedToken>;

/** `issuer`: the issuer URL. Rejects with the errors of `keys`. */
export function tokenSigner(keys: TokenKeys, issuer: () => string): SignToken {
  const imported = new WeakMap<JWK, ReturnType<typeof importJWK>>();
  return async ({ subject, audiences, issuedAt, expiresAt, claims }) => {
    const { SignJWT, importJWK: importKey } = await import('jose');
    const key = await keys.signing(expiresAt);
    const usable = imported.get(key) ?? importKey(key, ALGORITHM);
    imported.set(key, usable);
    const id = randomUUID();
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid })
      .setIssuer(issuer())
      .setSubject(subject)
      .setAudience([...audiences])
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(expiresAt)
      .setJti(id)
      .sign(await usable);
    return { token, id };
  };
}
