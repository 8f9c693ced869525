/**
 * Sessions of browsers. The sealed cookie names an access key of the type `Login`; it contains no key, except the
 * token after a login with a token of the host. The server stores nothing: a session ends with that Login key, and at
 * the sealed expiry.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyFingerprint } from '../../apimachinery/user.js';
import type { Seal } from './sealedcookie.js';

const PURPOSE = 'console session';

export interface BrowserSession {
  /** Name and uid of the Login key that the session stands for. */
  readonly name: string;
  readonly uid: string;
  /** The token that each write needs beside the cookie (OWASP: synchronizer token). */
  readonly csrf: string;
  /** When it ends, in ms since 1970. */
  readonly expires: number;
  /** The session acts as this key does, and ends with it. */
  readonly origin?: KeyFingerprint;
  /** The session acts as the bearer of this token of the host. Without `origin` and `token` it acts as the Login key itself. */
  readonly token?: string;
}

export interface BrowserSessions {
  /** A new session for a Login key, and its cookie. No two sessions have the same content. */
  begin(
    key: Pick<BrowserSession, 'name' | 'uid' | 'origin' | 'token'>,
    lifeSeconds: number,
  ): { readonly session: BrowserSession; readonly cookie: string };
  /** Undefined: not sealed here, or too old. Whether the Login key is still there is for the caller to ask. */
  open(cookie: string): BrowserSession | undefined;
}

/** `now`: ms since 1970. */
export function browserSessions(seal: Seal, now: () => number = Date.now): BrowserSessions {
  return {
    begin({ name, uid, origin, token }, lifeSeconds) {
      const session: BrowserSession = {
        name,
        uid,
        csrf: randomBytes(32).toString('base64url'),
        expires: now() + lifeSeconds * 1000,
        ...(origin !== undefined && { origin }),
        ...(token !== undefined && { token }),
      };
      return { session, cookie: seal.seal(PURPOSE, session, lifeSeconds * 1000) };
    },
    open: (cookie) => seal.open<BrowserSession>(PURPOSE, cookie),
  };
}

/** Whether a token is that of the session. Takes the same time for every token. */
export function isCsrfToken({ csrf }: Pick<BrowserSession, 'csrf'>, token: string): boolean {
  return timingSafeEqual(digestOf(csrf), digestOf(token));
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
