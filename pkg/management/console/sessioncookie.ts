/** The cookie of a browser session, and the origin of a request. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { textIn } from '../../apimachinery/encoding/members.js';
import type { SessionCredentials } from '../../authentication/interface.js';

/** Its prefix makes browsers take it from this host alone, over TLS, for all of it (RFC 6265bis, section 4.1.3.2). */
const SESSION_COOKIE = '__Host-console';
/** Lower case, as Node has it. */
export const CSRF_HEADER = 'x-csrf-token';
const RULES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const SAFE = ['GET', 'HEAD'];

/** `Set-Cookie`. */
export const keepSession = (cookie: string, seconds: number): string =>
  `${SESSION_COOKIE}=${cookie}; Max-Age=${Math.max(0, Math.floor(seconds))}; ${RULES}`;
export const FORGET_SESSION = `${SESSION_COOKIE}=; Max-Age=0; ${RULES}`;

/** Undefined if there is none, or more than one: it is unknown which of them this server set. */
export function sessionCookie(headers: IncomingHttpHeaders): string | undefined {
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`));
  const [only] = found;
  return only === undefined || found.length > 1 ? undefined : only.slice(SESSION_COOKIE.length + 1);
}

export function sessionCredentials(request: IncomingMessage, upgrade: boolean): SessionCredentials {
  const { headers, method = '' } = request;
  const csrf = headers[CSRF_HEADER];
  return {
    cookie: sessionCookie(headers),
    csrf: typeof csrf === 'string' ? csrf : undefined,
    writes: !SAFE.includes(method),
    crossSite: isCrossSite(headers),
    otherCredentials: headers.authorization !== undefined,
    upgrade,
  };
}

/**
 * Whether the browser's headers exclude a script of this origin (Fetch Metadata, RFC 6454). Pages cannot change these
 * headers. A client without them is not a browser, or a very old one, and still needs the CSRF token.
 */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined && destination !== 'empty') return true;
  const { origin } = headers;
  // The browser knows the host it connected to; a proxy may have passed another one on.
  if (site !== undefined || origin === undefined) return false;
  // HTTP/2 has the host as `:authority`; its compatibility API does not always copy it.
  const host = headers.host ?? textIn(headers, ':authority');
  return host === undefined || origin.toLowerCase() !== `https://${host}`.toLowerCase();
}
