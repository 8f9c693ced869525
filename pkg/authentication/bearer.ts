import { hash } from 'node:crypto';
import type { Authenticator, User } from './interface.js';
import { NONE, REFUSED } from './interface.js';

/** The token of an `Authorization: Bearer` header, undefined if there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const match = /^bearer +([^ ]+) *$/i.exec(authorization);
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

/** Asks each lookup in turn; a bearer token that none knows is refused. Synchronous. */
export function bearerAuthenticator(lookups: readonly TokenLookup[]): Authenticator {
  return {
    authenticate({ authorization }) {
      const token = bearerToken(authorization);
      if (token === undefined) return NONE;
      const key = digest(token);
      for (const lookup of lookups) {
        const user = lookup(token, key);
        if (user !== undefined) return { outcome: 'user', user };
      }
      return REFUSED;
    },
  };
}
