import { membersOf } from '../../apimachinery/encoding/members.js';
import type { JWK, JWTPayload, importJWK } from 'jose';
import { bearerToken, digest } from '../bearer.js';
import { NONE, REFUSED, type Authentication, type Authenticator, type KeyFingerprint } from '../interface.js';
import { hasClaim } from './claim.js';
import { ALGORITHM, type TokenKeys } from './keys.js';
import { readMadeWith } from './madewith.js';
import { parseJson } from '../../apimachinery/encoding/depth.js';

/** Maximum number of tokens with a cached signature check; others are verified again. */
const MAX_VERIFIED = 10_000;

/** A token whose signature was right. Times in ms since the epoch. */
export interface Verified<Content> {
  readonly content: Content;
  /** Of the token. */
  readonly digest: string;
  readonly audiences: readonly string[];
  readonly id: string;
  /** The access key that it ends with. */
  readonly madeWith?: KeyFingerprint;
  readonly notBefore: number;
  readonly expires: number;
}

/** A kind of our tokens, identified by its own claim. */
export interface TokenKind<Content> {
  readonly claim: string;
  /** The content of a token with a valid signature; undefined if it is of another kind. */
  read(payload: JWTPayload): Content | undefined;
  /** Asked for each request, of a token that has neither ended nor has yet to begin. */
  authenticate(token: Verified<Content>, audiences: readonly string[]): Authentication;
  /** When a key ends that a token was made with, or has ended, in ms since the epoch. */
  readonly madeWithEnd: (key: KeyFingerprint) => number;
}

/**
 * Verifies the signature of a token once, and its validity for each request. The key identifies the issuer: servers
 * that share keys may have different issuer URLs. Synchronous for a cached token.
 */
export function issuedTokenAuthenticator<Content>(
  keys: TokenKeys,
  kind: TokenKind<Content>,
  now: () => number = Date.now,
): Authenticator {
  const verify = verifier(keys, kind);
  const seen = new Map<string, Verified<Content>>();
  const authenticateVerified = (token: Verified<Content>, audiences: readonly string[]): Authentication => {
    const at = now();
    if (at >= token.expires || at < token.notBefore) return REFUSED;
    const end = token.madeWith === undefined ? Infinity : kind.madeWithEnd(token.madeWith);
    if (at >= end) return REFUSED;
    const answer = kind.authenticate(token, audiences);
    return answer.outcome === 'user' ? { ...answer, expires: Math.min(token.expires, end) } : answer;
  };
  return {
    authenticate({ authorization, audiences = [] }) {
      const token = bearerToken(authorization);
      if (token === undefined) return NONE;
      const key = digest(token);
      const known = seen.get(key);
      if (known !== undefined) return authenticateVerified(known, audiences);
      if (!hasClaim(token, kind.claim)) return NONE;
      return verify(token, key).then((verified) => {
        if (verified === undefined) return REFUSED;
        if (seen.size >= MAX_VERIFIED) seen.delete(seen.keys().next().value!);
        seen.set(key, verified);
        return authenticateVerified(verified, audiences);
      });
    },
  };
}

/** The package is loaded when the first token comes. */
function verifier<Content>(
  keys: TokenKeys,
  kind: TokenKind<Content>,
): (token: string, digest: string) => Promise<Verified<Content> | undefined> {
  const imported = new WeakMap<JWK, ReturnType<typeof importJWK>>();
  return async (token, tokenDigest) => {
    const jose = await import('jose');
    try {
      const { kid = '' } = jose.decodeProtectedHeader(token);
      const key = keys.find(kid);
      if (key === undefined) return undefined;
      const usable = imported.get(key) ?? jose.importJWK(key, ALGORITHM);
      imported.set(key, usable);
      // Expiry and audience are checked for each request.
      const { payload } = await jose.compactVerify(token, await usable, { algorithms: [ALGORITHM] });
      return verifiedOf(membersOf(parseJson(Buffer.from(payload).toString('utf8'))), tokenDigest, kind);
    } catch {
      return undefined;
    }
  };
}

function verifiedOf<Content>(
  payload: JWTPayload,
  tokenDigest: string,
  kind: TokenKind<Content>,
): Verified<Content> | undefined {
  const content = kind.read(payload);
  if (content === undefined || typeof payload.exp !== 'number') return undefined;
  const madeWith = readMadeWith(payload);
  return {
    content,
    digest: tokenDigest,
    ...(madeWith !== undefined && { madeWith }),
    audiences: [payload.aud ?? []].flat(),
    id: payload.jti ?? '',
    notBefore: (payload.nbf ?? 0) * 1000,
    expires: payload.exp * 1000,
  };
}
