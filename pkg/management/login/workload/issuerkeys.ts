/** The keys of an issuer of tokens, and what is checked of every token before its claims. */
import type * as Jose from 'jose';
import { membersOf } from '../../../apimachinery/encoding/members.js';
import { fetchTrusting } from '../fetch.js';
import { LoginFailure } from '../interface.js';

/** Only signatures by keys that have a public half; none by a shared secret, and not none. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];
const MAX_TOKEN_CHARACTERS = 16 * 1024;
export const CLOCK_SKEW_SECONDS = 30;
/** The issuer's metadata are cached for this time, and discovered again after a failure. */
const KNOWN_MS = 3_600_000;
const FAILED_MS = 5_000;
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export type JosePackage = typeof Jose;

/** `authorities` and `keys`: as of a workload issuer. */
export interface KeyIssuer {
  readonly issuer: string;
  readonly authorities: string | undefined;
  /** The keys, if they are not discovered. */
  readonly keys?: Jose.JSONWebKeySet | undefined;
}

/** Throws LoginFailure 400 for a text that is no signed JWT. */
export function checkForm(token: string): void {
  if (token.length > MAX_TOKEN_CHARACTERS || !COMPACT.test(token) || !isCanonical(token))
    throw refused('The token is not a signed JWT.');
}

export type KeySource = (jose: JosePackage) => Promise<Jose.JWTVerifyGetKey>;

/** The keys of the issuer alone: neither a header of a token nor another issuer brings any. */
export function keySource(issuer: KeyIssuer, now: () => number): KeySource {
  const { keys } = issuer;
  if (keys !== undefined) return (jose) => Promise.resolve(jose.createLocalJWKSet(keys));
  let found: { readonly until: number; readonly keys: Promise<Jose.JWTVerifyGetKey> } | undefined;
  return (jose) => {
    if (found === undefined || now() >= found.until) {
      const asked = discover(jose, issuer);
      const entry = (found = { until: now() + KNOWN_MS, keys: asked });
      asked.catch(() => {
        if (found === entry) found = { ...entry, until: now() + FAILED_MS };
      });
    }
    return found.keys;
  };
}

/** OpenID Connect Discovery 1.0, section 4. */
async function discover(
  jose: JosePackage,
  { issuer, authorities }: KeyIssuer,
): Promise<Jose.JWTVerifyGetKey> {
  const fetching = fetchTrusting(authorities);
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const answer = await fetching(url, { method: 'GET', headers: {}, body: undefined, redirect: 'manual' });
    if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`);
    const { issuer: itself, jwks_uri: uri } = membersOf(await answer.json());
    if (itself !== issuer) throw new Error(`${url} is of another issuer`);
    if (typeof uri !== 'string' || !uri.startsWith('https://'))
      throw new Error(`${url} names no jwks_uri by https`);
    return jose.createRemoteJWKSet(new URL(uri), {
      // Keys are fetched again after a failure, but not for each token with an unknown key.
      cooldownDuration: 30_000,
      cacheMaxAge: 600_000,
      timeoutDuration: 10_000,
      [jose.customFetch]: (asked) =>
        fetching(asked, { method: 'GET', headers: {}, body: undefined, redirect: 'manual' }),
    });
  } catch (error) {
    throw unreachable(error);
  }
}

/** A signature has one spelling (RFC 4648, section 3.5): unused bits are zero, or one token would be several. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

export const refused = (message: string): LoginFailure => new LoginFailure(400, message, 'invalid_grant');
const unreachable = (cause: unknown): LoginFailure =>
  new LoginFailure(502, 'The issuer of the token cannot be asked for its keys.', 'temporarily_unavailable', {
    cause,
  });

/** Errors of `jose` about fetching the keys. */
const OF_THE_KEYS = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'];

/** Why a token was refused. */
export function failureOf(jose: JosePackage, error: unknown): LoginFailure {
  if (error instanceof LoginFailure) return error;
  if (!(error instanceof jose.errors.JOSEError) || OF_THE_KEYS.includes(error.code))
    return unreachable(error);
  if (error instanceof jose.errors.JWTExpired) return refused('The token has expired.');
  if (error instanceof jose.errors.JWTClaimValidationFailed) return refused(claimMessage(error));
  if (error instanceof jose.errors.JWTInvalid) return refused('The token is not a signed JWT.');
  return refused('The token is not signed by its issuer.');
}

/** Contains names of configured claims only, not text of the token. */
const claimMessage = ({ claim }: Jose.errors.JWTClaimValidationFailed): string =>
  `The claim "${claim}" of the token is missing, or not what it must be here.`;
