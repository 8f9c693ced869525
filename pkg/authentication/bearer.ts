import { hash } from 'node:crypto';
import type { Authenticator, User } from './interface.js';
import { NONE, REFUSED } from './interface.js';

/** The token of an `Authorization: Bearer` header, undefined where it is another or none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const match = /^bearer +([^ ]+) *$/i.exec(authorization);
  return match?.[1];
}

/** Clients send the same tokens again and again: so many digests are remembered, of tokens up to this long. */
const MOST_DIGESTS = 1024;
const LONGEST_TOKEN = 4096;

const digests = new Map<string, string>();

/**
 * What tokens are looked up by: looking up a digest takes a time that tells nothing about the tokens. That one was seen
 * before, good or bad, is all that the time of this may tell, and only to who has it.
 */
export function digest(token: string): string {
  const known = digests.get(token);
  if (known !== undefined) return known;
  const made = hash('sha256', token, 'base64');
  if (token.length > LONGEST_TOKEN) return made;
  if (digests.size >= MOST_DIGESTS) digests.clear();
  digests.set(token, made);
  return made;
}

/** Who holds a token. Called with the token and its {@link digest}; undefined: unknown here. */
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
