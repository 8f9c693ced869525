/** What a request must be like before anything is done for it, on both protocols (RFC 9110, 9112 and 9113). */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { duplicatesIn, joinLists } from './duplicates.js';
import { HEADER_FIELDS } from './sessionintake.js';
import { refusalOf } from './sessionrefusals.js';

/** Why a request is refused. */
export interface Fault {
  readonly code: 400 | 417 | 431 | 505;
  readonly message: string;
}

const bad = (message: string): Fault => ({ code: 400, message });

const LARGE: Fault = {
  code: 431,
  message: `the headers are too large: over HTTP/2 all of them have 64 KiB, over HTTP/1.1 1 MiB, and ${HEADER_FIELDS} lines`,
};
const LOST = bad(
  'a header has a name or value that cannot be: a value neither begins nor ends with a blank, and has no control characters',
);

/**
 * The fault of a request; undefined if it has none. A target in absolute form becomes its path, bytes of a target that
 * must be escaped are, and lists have all of their lines. Call it when Node emits the request.
 */
export function faultOf(request: IncomingMessage | Http2ServerRequest): Fault | undefined {
  const stream = streamOf(request);
  const refused = stream && refusalOf(stream, request.headers);
  if (refused !== undefined) return refused === 'large' ? LARGE : LOST;
  if (isOtherProtocol(request))
    return request.httpVersion === '0.9'
      ? bad('the request line has no version')
      : { code: 505, message: `HTTP/${request.httpVersion} is not supported in this form` };
  const { rawHeaders } = request;
  if (rawHeaders.length > 2 * HEADER_FIELDS) return LARGE;
  const { single, lists } = duplicatesIn(rawHeaders);
  if (single !== undefined) return bad(`the header ${single} is there more than once`);
  if (lists) joinLists(request.headers, rawHeaders);
  return targetFault(request, stream !== undefined) ?? hostFault(request) ?? connectionFault(request);
}

/** Whether it is neither of the two protocols: its connection is for nothing else. */
export const isOtherProtocol = (request: IncomingMessage | Http2ServerRequest): boolean =>
  streamOf(request) === undefined && request.httpVersionMajor !== 1;

const streamOf = (request: IncomingMessage | Http2ServerRequest): Http2ServerRequest['stream'] | undefined =>
  'stream' in request ? request.stream : undefined;

/** Forms of targets: RFC 9112, 3.2. */
function targetFault(request: IncomingMessage | Http2ServerRequest, overHttp2: boolean): Fault | undefined {
  const { url = '', method } = request;
  if (url === '*') return method === 'OPTIONS' ? undefined : bad('only OPTIONS is for the target "*"');
  // Refused elsewhere.
  if (method === 'CONNECT') return undefined;
  if (!url.startsWith('/')) {
    const [, authority = '', path = ''] = (!overHttp2 && ABSOLUTE.exec(url)) || [];
    if (authority === '') return bad('the target of the request is neither a path nor a URL');
    request.headers.host = authority;
    request.url = path.startsWith('/') ? path : `/${path}`;
  }
  return pathFault(request);
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

function pathFault(request: IncomingMessage | Http2ServerRequest): Fault | undefined {
  let { url = '' } = request;
  if (NOT_IN_TARGETS.test(url))
    return bad('the target of the request has a fragment, a blank or a control character');
  if (UNESCAPED.test(url)) {
    url = url.replace(EACH_UNESCAPED, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
    request.url = url;
  }
  if (!url.includes('%')) return undefined;
  const mark = url.indexOf('?');
  try {
    decodeURIComponent(mark < 0 ? url : url.slice(0, mark));
    return undefined;
  } catch {
    return bad('the path has an invalid escape, or escapes that are not UTF-8');
  }
}

const NOT_IN_TARGETS = /[#\x00-\x20\x7f]/;
/** Each character is a byte. */
const UNESCAPED = /[\x80-\xff]/;
const EACH_UNESCAPED = /[\x80-\xff]/g;

/** A host, which is not empty, and a port (RFC 9110, 4.2.2, and RFC 3986, 3.2.2 and 3.2.3). */
const AUTHORITY =
  /^(?:\[(?:[0-9a-f:.]+|v[0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+)\]|(?:[a-z0-9\-._~!$&'()*+,;=]|%[0-9a-f]{2})+)(?::\d*)?$/i;

/** RFC 9112, 3.2, and RFC 9113, 8.3.1. */
function hostFault({
  headers,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage | Http2ServerRequest): Fault | undefined {
  const { host } = headers;
  const authority = httpVersionMajor === 2 ? headers[':authority'] : undefined;
  if (host === undefined && httpVersionMajor === 1 && httpVersionMinor > 0)
    return bad('the request has no Host header');
  if (typeof authority === 'string' && !AUTHORITY.test(authority))
    return bad('the authority of the request is none');
  // An empty one is that of a target without a host (RFC 9112, 3.2).
  if (host !== undefined && host !== '' && !AUTHORITY.test(host)) return bad('the Host header is none');
  if (authority !== undefined && host !== undefined && String(authority).toLowerCase() !== host.toLowerCase())
    return bad('the Host header is not the authority of the request');
  return undefined;
}

/** Expectations, codings and upgrades: RFC 9110, 10.1.1 and 7.8; RFC 9112, 6.1. */
function connectionFault({
  headers,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage | Http2ServerRequest): Fault | undefined {
  const { expect, 'transfer-encoding': coding } = headers;
  const before11 = httpVersionMajor === 1 && httpVersionMinor === 0;
  if (expect !== undefined && !before11 && expect.toLowerCase() !== '100-continue')
    return { code: 417, message: 'the only expectation that is met is 100-continue' };
  if (coding !== undefined && (before11 || headers['content-length'] !== undefined))
    return bad('a Transfer-Encoding is not for HTTP/1.0, nor beside a Content-Length');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return bad('the only Transfer-Encoding is chunked');
  if (before11 && headers.upgrade !== undefined) delete headers.upgrade;
  return undefined;
}
