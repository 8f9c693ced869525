/** Browser sessions: a sealed cookie that names a Login key, and what shows that the console itself sent the request. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { keyEnd } from '../../apimachinery/accesskeyend.js';
import type { ResourceCache } from '../../cache/interface.js';
import { ACCESS_KEY } from '../accesskey/authenticator.js';
import type { KeyLifetimes } from '../accesskey/lifetime.js';
import type { Authentication, Authenticator, KeyFingerprint, SessionCredentials } from '../interface.js';
import { NONE } from '../interface.js';

/** What a browser's cookie says once it was opened. */
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
  /** Whether `token` is what writes of the session have to show. */
  readonly isCsrfToken: (session: OpenedSession, token: string) => boolean;
  /** The objects of access keys. */
  readonly keys: Pick<ResourceCache<OwnedAccessKey>, 'latest'>;
  /** Who the holder of a key is now; `again`: it is no use of its own. */
  readonly holder: (name: string, again: boolean) => Authentication;
  readonly lifetimes: Pick<KeyLifetimes, 'madeWithEnd'>;
  /** Whose the tokens of the host are; absent: there is no host. */
  readonly hostTokens?: Authenticator | undefined;
  /** ms since 1970. */
  readonly now?: () => number;
}

const refused = (message: string): Authentication => ({ outcome: 'refused', message });
const NO_SESSION = refused('the session has ended: log in again');
const FORGED = refused('the CSRF token is not that of this session');

/**
 * Judges requests that have `session` alone, and these whole: nothing else that they show counts. Synchronous, where the host
 * need not be asked about a token.
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
        const answer = bearerOf(parts, opened.token, source);
        const whole = (one: Authentication): Authentication => sessionOfBearer(parts, opened, one);
        return answer instanceof Promise ? answer.then(whole) : whole(answer);
      }
      const answer = holder(opened.origin?.name ?? opened.name, again === true);
      if (answer.outcome !== 'user') return NO_SESSION;
      const expires = Math.min(sessionEnd(parts, opened), answer.expires ?? Infinity);
      // The Login key is used, too: whoever looks at it sees that.
      if (opened.origin !== undefined && again !== true) holder(opened.name, false);
      // The credential stays that of the key: what is made in the session ends with what was logged in with.
      const user = { ...answer.user, extra: { ...answer.user.extra, [ACCESS_KEY]: [opened.name] } };
      return { outcome: 'user', user, expires };
    },
  };
}

/** Who bears a token of the host, as the host says; refused where there is no host. */
export function bearerOf(
  { hostTokens }: Pick<SessionParts, 'hostTokens'>,
  token: string,
  source: string | undefined,
): ReturnType<Authenticator['authenticate']> {
  if (hostTokens === undefined) return NO_SESSION;
  return hostTokens.authenticate({
    ...{ authorization: `Bearer ${token}`, certificate: undefined, rawHeaders: [] },
    ...(source !== undefined && { source }),
  });
}

/** The bearer with all groups and what else the host tells, as if the token were shown. */
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

/** What tells that another site, or no page at all, sent the request; undefined: nothing does. */
function wrongWith({ crossSite, otherCredentials, upgrade }: SessionCredentials): string | undefined {
  if (crossSite) return 'the request was not sent by the console';
  if (otherCredentials) return 'a request of the console has no Authorization header';
  return upgrade ? 'the console has no WebSockets' : undefined;
}
