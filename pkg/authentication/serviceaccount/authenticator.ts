import type { JWK, JWTPayload, createLocalJWKSet } from 'jose';
import type { KubeObject } from '../../../api/resource.js';
import { bearerToken, digest } from '../bearer.js';
import { AUTHENTICATED } from '../groups.js';
import type { Authentication, Authenticator, User } from '../interface.js';
import type { BoundObject, ServiceAccountToken } from './token.js';
import { ALGORITHM, CLAIM, ISSUER, accountGroups, accountName, readClaim } from './token.js';

/** So many tokens are known to be genuine at a time; others are verified again. */
const MOST_VERIFIED = 10_000;
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** The newest object that is known, in memory. `path`: `namespace/name`. */
export type ReadObject = (resource: 'serviceaccounts' | 'secrets', path: string) => KubeObject | undefined;

/** A token whose signature was right. Times in ms since the epoch. */
interface Verified {
  readonly token: ServiceAccountToken;
  readonly audiences: readonly string[];
  readonly id: string;
  readonly notBefore: number;
  readonly expires: number;
}

const NONE: Authentication = { outcome: 'none' };
const REFUSED: Authentication = { outcome: 'refused', message: 'Unauthorized' };

/**
 * Knows tokens of service accounts by their signature, once; whether they have expired, and whether the account and the
 * Secret that they are bound to are still the same, is asked each time. Synchronous for a token that it has seen.
 */
export function serviceAccountAuthenticator(keys: readonly JWK[], read: ReadObject): Authenticator {
  const verify = verifier(keys);
  const seen = new Map<string, Verified>();
  return {
    authenticate({ authorization, audiences = [] }) {
      const token = bearerToken(authorization);
      if (token === undefined) return NONE;
      const asked = audiences.length > 0 ? audiences : [ISSUER];
      const key = digest(token);
      const known = seen.get(key);
      if (known !== undefined) return judge(known, asked, read);
      if (!isOurs(token)) return NONE;
      return verify(token).then((verified) => {
        if (verified === undefined) return REFUSED;
        if (seen.size >= MOST_VERIFIED) seen.delete(seen.keys().next().value as string);
        seen.set(key, verified);
        return judge(verified, asked, read);
      });
    },
  };
}

function publicPart({ kty, crv, x, y, kid, alg, use }: JWK): JWK {
  return { kty, crv, x, y, kid, alg, use } as JWK;
}

/** Says that it comes from here: nothing is known of it yet. */
function isOurs(token: string): boolean {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return false;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return (claims as { iss?: unknown } | null)?.iss === ISSUER;
  } catch {
    return false;
  }
}

/** The package is loaded when the first token comes. */
function verifier(keys: readonly JWK[]): (token: string) => Promise<Verified | undefined> {
  let keySet: ReturnType<typeof createLocalJWKSet> | undefined;
  return async (token) => {
    const jose = await import('jose');
    keySet ??= jose.createLocalJWKSet({ keys: keys.map(publicPart) });
    try {
      const { payload } = await jose.jwtVerify(token, keySet, {
        issuer: ISSUER,
        algorithms: [ALGORITHM],
        requiredClaims: ['exp', 'sub', 'aud'],
      });
      return read(payload);
    } catch {
      return undefined;
    }
  };
}

function read(payload: JWTPayload): Verified | undefined {
  const token = readClaim(payload[CLAIM]);
  if (token === undefined || payload.exp === undefined) return undefined;
  if (payload.sub !== accountName(token.namespace, token.serviceAccount.name)) return undefined;
  return {
    token,
    audiences: ([] as string[]).concat(payload.aud ?? []),
    id: payload.jti ?? '',
    notBefore: (payload.nbf ?? 0) * 1000,
    expires: payload.exp * 1000,
  };
}

function judge(verified: Verified, asked: readonly string[], read: ReadObject): Authentication {
  const { token, expires, notBefore } = verified;
  const now = Date.now();
  if (now >= expires || now < notBefore) return REFUSED;
  const { namespace, serviceAccount, secret } = token;
  const isThere = (resource: 'serviceaccounts' | 'secrets', { name, uid }: BoundObject): boolean =>
    read(resource, `${namespace}/${name}`)?.metadata.uid === uid;
  if (!isThere('serviceaccounts', serviceAccount)) return REFUSED;
  if (secret !== undefined && !isThere('secrets', secret)) return REFUSED;
  const audiences = asked.filter((audience) => verified.audiences.includes(audience));
  if (audiences.length === 0) return REFUSED;
  return { outcome: 'user', user: userOf(verified), audiences };
}

function userOf({ token: { namespace, serviceAccount }, id }: Verified): User {
  return {
    name: accountName(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: [...accountGroups(namespace), AUTHENTICATED],
    extra: id === '' ? {} : { [CREDENTIAL_ID]: [`JTI=${id}`] },
  };
}
