/**
 * Browser sessions: a sealed cookie with the name of a Login key, and proof that the console itself sent the request.
 */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { keyEnd } from '../accesskeys/keyend.js';
import type { ResourceCache } from '../../cache/interface.js';
import { ACCESS_KEY } from '../accesskeys/names.js';
import type { KeyLifetimes } from '../accesskeys/authentication/lifetime.js';
import {
  NONE,
  type Authentication,
  type Authenticator,
  type KeyFingerprint,
  type SessionCredentials,
} from '../../authentication/interface.js';
import { onceKnown } from '../../apimachinery/eventloop/onceknown.js';

/** The opened content of a browser's cookie. */
export interface OpenedSession {
  readonly name: string;
  readonly uid: string;
  /** ms since 1970. */
  readonly expires: number;
  /** The key that the session acts as; without it and without `token` the Login key. */
  readonly origin?: KeyFingerprint;
  /** The token of the host as whose bearer the session acts. */
  readonly token?: string;
}

export interface SessionParts {
  /** Undefined: it was not sealed by a server of this store, or is too old. */
  readonly open: (cookie: string) => OpenedSession | undefined;
  /** Whether `token` is the CSRF token of the session. */
  readonly isCsrfToken: (session: OpenedSession, token: string) => boolean;
  /** The objects of access keys. */
  readonly keys: Pick<ResourceCache<OwnedAccessKey>, 'latest'>;
  /** The current user of a key; `again`: does not count as another use. */
  readonly holder: (name: string, again: boolean) => Authentication;
  readonly lifetimes: Pick<KeyLifetimes, 'madeWithEnd'>;
  /** Authenticates tokens of the host; absent: there is no host. */
  readonly hostTokens?: Authenticator | undefined;
  /** ms since 1970. */
  readonly now?: () => number;
}

const refused = (message: string): Authentication => ({ outcome: 'refused', message });
const NO_SESSION = refused('the session has ended: log in again');
const FORGED = refused('the CSRF token is not that of this session');

/**
 * Authenticates requests with `session` alone; other credentials do not count. Synchronous, unless the host has to
 * review a token.
 */
export function sessionAuthenticator(parts: SessionParts): Authenticator {
  const { open, isCsrfToken, holder, now = Date.now } = parts;
  return {
    authenticate({ session, again, source }) {
      if (session === undefined) return NONE;
      const wrong = wrongWith(session);
      if (wrong !== undefined) return refused(wrong);
      const opened = session.cookie === undefined ? undefined : open(session.cookie);
      if (opened === undefined || sessionEnd(parts, opened) <= now()) return NO_SESSION;
      if (session.writes && !isCsrfToken(opened, session.csrf ?? '')) return FORGED;
      if (opened.token !== undefined) {
        return onceKnown(bearerOf(parts, opened.token, source), (one) => sessionOfBearer(parts, opened, one));
      }
      const answer = holder(opened.origin?.name ?? opened.name, again === true);
      if (answer.outcome !== 'user') return NO_SESSION;
      const expires = Math.min(sessionEnd(parts, opened), answer.expires ?? Infinity);
      // Also counts as a use of the Login key, so that its last use is current.
      if (opened.origin !== undefined && again !== true) holder(opened.name, false);
      // The credential stays that of the key, so that whatever the session creates ends with the key used at login.
      const user = { ...answer.user, extra: { ...answer.user.extra, [ACCESS_KEY]: [opened.name] } };
      return { outcome: 'user', user, expires };
    },
  };
}

/** The user of a token of the host, by its TokenReview; refused if there is no host. */
export function bearerOf(
  { hostTokens }: Pick<SessionParts, 'hostTokens'>,
  token: string,
  source: string | undefined,
): ReturnType<Authenticator['authenticate']> {
  if (hostTokens === undefined) return NO_SESSION;
  return hostTokens.authenticate({
    authorization: `Bearer ${token}`,
    certificate: undefined,
    rawHeaders: [],
    ...(source !== undefined && { source }),
  });
}

/** The user with all groups and extra of the host, as if the request had the token. */
function sessionOfBearer(parts: SessionParts, opened: OpenedSession, answer: Authentication): Authentication {
  if (answer.outcome !== 'user') return NO_SESSION;
  const { user, expires = Infinity } = answer;
  const tokenEnd = Math.min(expires, user.credential?.expires ?? Infinity);
  return { outcome: 'user', user, expires: Math.min(sessionEnd(parts, opened), tokenEnd) };
}

/** When a session ends, in ms since 1970; 0: it has ended, with its Login key or with the key that was logged in with. */
export function sessionEnd(
  { keys, lifetimes }: Pick<SessionParts, 'keys' | 'lifetimes'>,
  { name, uid, expires, origin }: OpenedSession,
): number {
  const key = keys.latest().get(name)?.object();
  if (key === undefined || key.metadata.uid !== uid || key.metadata.deletionTimestamp !== undefined) return 0;
  const { disabled = false, type, ttl = 0 } = key.spec ?? {};
  if (disabled || type !== 'Login' || ttl <= 0) return 0;
  const originEnd = origin === undefined ? Infinity : lifetimes.madeWithEnd(origin);
  return Math.min(expires, keyEnd(key, 0) ?? Infinity, originEnd);
}

/** The sign that another site, or no page at all, sent the request; undefined: none. */
function wrongWith({ crossSite, otherCredentials, upgrade }: SessionCredentials): string | undefined {
  if (crossSite) return 'the request was not sent by the console';
  if (otherCredentials) return 'a request of the console has no Authorization header';
  return upgrade ? 'the console has no WebSockets' : undefined;
}
