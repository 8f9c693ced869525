/**
 * Headers between a client and an API server: headers of one connection and of identity are not forwarded.
 */
import type { IncomingMessage } from 'node:http';
import { badRequest, failure } from '../apimachinery/errors.js';
import type { Admitted } from './interface.js';

/** RFC 9110, 7.6.1, and headers for proxies. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);
/** Headers that the agent sets itself, or has acted upon. */
const OWN = new Set(['authorization', 'host', 'content-length', 'expect', 'forwarded', 'x-real-ip']);
/** Headers of front proxies and load balancers, some of which API servers trust and record. */
const OF_PROXIES = /^x-(remote-|forwarded-)/;
const IMPERSONATION = /^impersonate-/;
/** Headers that `Connection` cannot declare hop-by-hop. */
const NEVER_NAMED = new Set(['content-type', 'accept', 'content-encoding', 'sec-websocket-protocol']);
/** Node silently drops headers beyond this number. */
const MAX_HEADERS = 1_500;
const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/**
 * The headers of a request to the API server; names and values alternate. Throws StatusError 400 and 403 for
 * headers that must not be dropped silently.
 */
export function requestHeaders({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): string[] {
  if (rawHeaders.length / 2 >= MAX_HEADERS)
    throw badRequest(`the request has too many headers: at most ${MAX_HEADERS - 1} are taken`);
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

/** The headers of a response to the client. `prefix`: prepended to the path of a redirect. */
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

/**
 * The headers that `Connection` declares hop-by-hop, without those that would change the meaning of the
 * request.
 */
function namedBy(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return NONE;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  const wrong = names.find((name) => NEVER_NAMED.has(name));
  if (wrong !== undefined) throw badRequest(`the Connection header must not name ${wrong}`);
  return new Set(names);
}

const NONE: ReadonlySet<string> = new Set();

/** Browsers send the token as one of the protocols. */
const withoutToken = (protocols: string): string =>
  protocols
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(BEARER_PROTOCOL))
    .join(', ');
