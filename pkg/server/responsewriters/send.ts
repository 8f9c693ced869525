/** The last stage: status line, headers, bytes. */
import { takesGzip } from './acceptencoding.js';
import { createGzip, constants } from 'node:zlib';
import { warningHeaders } from '../../apimachinery/warnings.js';
import type { RequestContext } from '../requestcontext.js';
import type { ExchangeEnd } from '../exchangeend.js';
import { releaseChunk } from './bufferpool.js';
import { onEndOfTurn } from '../ticks.js';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';

/** Answers at least this long are compressed for clients that accept it. */
export const GZIP_FROM_BYTES = 128 * 1024;

export type Headers = Record<string, string | string[]>;

/** Stops browsers from guessing the type of an answer; every answer carries it. */
export const NO_SNIFFING = { name: 'X-Content-Type-Options', value: 'nosniff' } as const;

/** Headers that every answer carries. */
export function commonHeaders(call: RequestContext, contentType: string): Headers {
  const headers: Headers = {
    'Audit-Id': call.auditId,
    'Cache-Control': 'no-cache, private',
    'Content-Type': contentType,
    'X-Content-Type-Options': NO_SNIFFING.value,
  };
  if (call.warnings.length > 0) headers.Warning = warningHeaders(call.warnings).map(latin1);
  return headers;
}

/** HTTP headers hold bytes: UTF-8 goes out as its bytes. */
const latin1 = (text: string): string =>
  /[^\x20-\x7e]/.test(text) ? Buffer.from(text).toString('latin1') : text;

export function acceptsGzip(call: RequestContext): boolean {
  return takesGzip(call.exchange.request.headers['accept-encoding']);
}

/**
 * Sends one body of known length. The answers of a turn are sent together: the first write wakes the client, which
 * reads the others as they arrive, so that its next requests arrive together too. HTTP/2 collects the frames of a turn
 * by itself. `done` is called when the body is no longer read, but not if the client disconnects before.
 */
export function sendBytes(
  call: RequestContext,
  code: number,
  body: Buffer,
  headers: Headers,
  done?: () => void,
): Promise<void> | undefined {
  if (body.length > GZIP_FROM_BYTES && acceptsGzip(call)) {
    return sendChunks(call, code, [body], headers, 'here');
  }
  const { request, response } = call.exchange;
  headers['Content-Length'] = String(body.length);
  response.writeHead(code, headers);
  if (request.httpVersionMajor === 2) response.end(body, done);
  else onEndOfTurn({ atEndOfTurn: () => response.end(body, done) });
  return undefined;
}

/**
 * Sends a body of any length in chunks, no faster than the client takes them. `gzip`: `here` compresses the chunks at
 * level 1, off this thread; `done` says that they are compressed. Chunks of {@link takeChunk} are given back.
 */
export async function sendChunks(
  call: RequestContext,
  code: number,
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  headers: Headers,
  gzip: 'none' | 'here' | 'done',
): Promise<void> {
  const { response, end } = call.exchange;
  if (gzip !== 'none') Object.assign(headers, { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
  response.writeHead(code, headers);
  const sink = gzip === 'here' ? compressing(response, end) : response;
  for await (const chunk of chunks) {
    if (end.over) return;
    if (!sink.write(chunk, () => releaseChunk(chunk))) await drained(sink, end);
    else await nextTurn();
  }
  sink.end();
}

function compressing(response: NodeJS.WritableStream, end: ExchangeEnd): NodeJS.WritableStream {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  gzip.pipe(response);
  end.after(() => gzip.destroy());
  return gzip;
}

/** Resolves when `sink` accepts more, or the client has disconnected. */
function drained(sink: NodeJS.EventEmitter, end: ExchangeEnd): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      sink.off('drain', done);
      end.forget(done);
      resolve();
    };
    sink.once('drain', done);
    end.after(done);
  });
}
