import { hash } from 'node:crypto';
import type { Authentication, Authenticator, User } from './interface.js';

/** The token of an `Authorization: Bearer` header, undefined where it is another or none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const match = /^bearer +([^ ]+) *$/i.exec(authorization);
  return match?.[1];
}

/** What tokens are looked up by: looking up a digest takes a time that tells nothing about the tokens. */
export function digest(token: string): string {
  return hash('sha256', token, 'base64');
}

/** Who holds a token. Called with the token and its {@link digest}; undefined: unknown here. */
export type TokenLookup = (token: string, digest: string) => User | undefined;

const NONE: Authentication = { outcome: 'none' };
const REFUSED: Authentication = { outcome: 'refused', message: 'Unauthorized' };

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
