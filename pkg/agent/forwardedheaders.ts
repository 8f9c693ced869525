/** Headers between a client and an API server: what is about one connection, or says who asks, is not passed on. */
import type { IncomingMessage } from 'node:http';
import { badRequest, failure } from '../apimachinery/errors.js';
import type { Admitted } from './interface.js';

/** RFC 9110, 7.6.1, and what is said to proxies alone. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['proxy-authentication-info', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
]);
/** What the agent says itself, or has acted upon. */
const OWN = new Set(['authorization', 'host', 'content-length', 'expect', 'forwarded', 'x-real-ip']);
/** Of front proxies and load balancers: API servers and what they record believe some of them. */
const OF_PROXIES = /^x-(remote-|forwarded-)/;
const IMPERSONATION = /^impersonate-/;
/** What a header cannot be named for being said to this connection alone. */
const NEVER_NAMED = new Set(['content-type', 'accept', 'content-encoding', 'sec-websocket-protocol']);
/** Beyond so many Node drops headers silently. */
export const MOST_HEADERS = 1_500;
const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Of a request: what goes on to the API server, names and values in turn. Throws StatusError 400 and 403 for what must not be passed over in silence. */
export function requestHeaders({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): string[] {
  if (rawHeaders.length / 2 >= MOST_HEADERS)
    throw badRequest(`the request has too many headers: at most ${MOST_HEADERS - 1} are taken`);
  const named = namedBy(headers.connection);
  const passed: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    const lower = name.toLowerCase();
    if (IMPERSONATION.test(lower))
      throw failure('Forbidden', 'impersonation is not supported here: the user is that of the token');
    if (lower.startsWith(':') || HOP_BY_HOP.has(lower) || OWN.has(lower) || OF_PROXIES.test(lower)) continue;
    if (named.has(lower)) continue;
    const value = rawHeaders[at + 1]!;
    const sent = lower === 'sec-websocket-protocol' ? withoutToken(value) : value;
    if (sent !== '') passed.push(name, sent);
  }
  return passed;
}

/** Of an answer: what goes on to the client. `prefix`: what it must put before the path of a redirection. */
export function responseHeaders(
  answer: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  { prefix, answered }: Pick<Admitted, 'prefix' | 'answered'>,
): Record<string, string | string[]> {
  const passed = passedBack(answer, prefix);
  return answered === undefined ? passed : answered(passed);
}

function passedBack(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  prefix: string,
): Record<string, string | string[]> {
  const named = namedBy(headers.connection);
  const passed: Record<string, string | string[]> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (HOP_BY_HOP.has(name) || named.has(name)) continue;
    const value = rawHeaders[at + 1]!;
    const sent = name === 'location' && /^\/(?!\/)/.test(value) ? prefix + value : value;
    const before = passed[name];
    passed[name] = before === undefined ? sent : [before, sent].flat();
  }
  return passed;
}

/** Headers that `Connection` says to be about this connection. What would change the meaning of the request is none. */
function namedBy(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return NONE;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  const wrong = names.find((name) => NEVER_NAMED.has(name));
  if (wrong !== undefined) throw badRequest(`the Connection header must not name ${wrong}`);
  return new Set(names);
}

const NONE: ReadonlySet<string> = new Set();

/** Browsers send the token among the protocols that they speak. */
const withoutToken = (protocols: string): string =>
  protocols
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(BEARER_PROTOCOL))
    .join(', ');
