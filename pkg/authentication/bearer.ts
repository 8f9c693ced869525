import { hash } from 'node:crypto';
import { NONE, REFUSED, type Authenticator, type User } from './interface.js';

/** The token of an `Authorization: Bearer` header, undefined if there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  // A TokenReview may bring a line break behind the token, as files have; Go trims it, too.
  const match = /^bearer +([^ ]+)$/i.exec(authorization.trim());
  return match?.[1];
}

/** Clients repeat their tokens: maximum number of cached digests, and maximum length of their tokens. */
const MAX_DIGESTS = 1024;
const LONGEST_TOKEN = 4096;

const digests = new Map<string, string>();

/**
 * The digest to look tokens up by, so that the time of a lookup reveals nothing about other tokens. Its own time
 * reveals only whether the same token was sent before.
 */
export function digest(token: string): string {
  const known = digests.get(token);
  if (known !== undefined) return known;
  const made = hash('sha256', token, 'base64');
  if (token.length > LONGEST_TOKEN) return made;
  if (digests.size >= MAX_DIGESTS) digests.clear();
  digests.set(token, made);
  return made;
}

/** The user of a token, by the token and its {@link digest}; undefined: unknown here. */
export type TokenLookup = (token: string, digest: string) => User | undefined;

/** Refuses a bearer token that `lookup` does not know. Synchronous. */
export function bearerAuthenticator(lookup: TokenLookup = () => undefined): Authenticator {
  return {
    authenticate({ authorization }) {
      const token = bearerToken(authorization);
      if (token === undefined) return NONE;
      const user = lookup(token, digest(token));
      return user === undefined ? REFUSED : { outcome: 'user', user };
    },
  };
}
