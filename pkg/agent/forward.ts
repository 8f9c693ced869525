/** Forwards a request and its response as streams, with back-pressure. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { constants } from 'node:http2';
import { StatusError } from '../apimachinery/errors.js';
import type { Exchange } from '../server/httpexchange.js';
import { endSoon } from '../server/listener/rejectearly.js';
import { requestHeaders, responseHeaders } from './forwardedheaders.js';
import { framingHeaders, framingOf, type Framing } from './framing.js';
import type { Admitted } from './interface.js';
import { unavailable } from './refuse.js';
import { codeOf } from '../apimachinery/caught.js';

/** A client that has its response stops sending, or is cut off after this time. */
const LINGER_MS = 1_000;
/**
 * A pooled connection may be closed when it is used: requests that change nothing are then sent again (RFC
 * 9110, 9.2.2).
 */
const GONE: readonly string[] = ['ECONNRESET', 'EPIPE'];
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export const targetPath = ({ path, query }: Pick<Admitted, 'path' | 'query'>): string =>
  query === '' ? path : `${path}?${query}`;

/**
 * Resolves with the status when the response has begun; 0: the client was gone before. Rejects with
 * StatusError 503 if the API server does not answer, and with the error of refused headers.
 */
export async function forward(exchange: Exchange, admitted: Admitted): Promise<number> {
  const { request, response, end } = exchange;
  const method = request.method ?? 'GET';
  const framing = framingOf(request);
  const headers = [
    ...requestHeaders(request),
    'X-Forwarded-For',
    request.socket.remoteAddress ?? 'unknown',
    ...admitted.identity,
    ...framingHeaders(framing, method),
  ];
  end.lasting = admitted.lasting;
  const sent = { method, path: targetPath(admitted), headers, lasting: admitted.lasting };
  const answer = await answerTo(exchange, framing, () => admitted.upstream.open(sent));
  if (answer === undefined) return 0;
  const status = answer.statusCode ?? 502;
  refuseAnswer(answer, admitted);
  const passed = responseHeaders(answer, admitted);
  answer.once('error', () => end.cut());
  answer.once('aborted', () => end.cut());
  answer.once('end', () => {
    if (framing.body !== 'none' && !request.complete) leaveRest(exchange);
  });
  if (answer.complete) {
    sendWhole(exchange, answer, { status, passed });
    return status;
  }
  response.writeHead(status, passed);
  // A watch has no data at first.
  response.flushHeaders();
  answer.pipe(response);
  return status;
}

/** Throws the error that the client gets instead of a response. */
export function refuseAnswer(answer: IncomingMessage, { refusal }: Admitted): void {
  const refused = refusal?.(answer.statusCode ?? 502);
  if (refused === undefined) return;
  answer.destroy();
  throw refused;
}

/** Sends a short response, which was received completely with its headers, in one piece. */
function sendWhole(
  { request, response }: Exchange,
  answer: IncomingMessage,
  { status, passed }: { readonly status: number; readonly passed: ReturnType<typeof responseHeaders> },
): void {
  const read: unknown = answer.read();
  const body = Buffer.isBuffer(read) ? read : Buffer.alloc(0);
  const hasNone = request.method === 'HEAD' || status === 204 || status === 304;
  // The body was chunked, or extended to the end of the connection.
  if (!hasNone) passed['content-length'] ??= String(body.length);
  response.writeHead(status, passed);
  response.end(body);
  // Readers of the response get its end.
  answer.resume();
}

/** Drops the rest of a request body after the response: ends its stream, or its HTTP/1.1 connection. */
function leaveRest({ request, response }: Exchange): void {
  const { stream } = request;
  if (stream === undefined) return void response.once('finish', () => endSoon(request.socket));
  // Node reports the end of a response over HTTP/2 only when its stream is closed.
  stream.once('finish', () => {
    // Delayed, as a reset overtakes the response, and Go's clients then report a broken stream.
    const cut = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), LINGER_MS);
    stream.once('close', () => clearTimeout(cut));
  });
}

/** Undefined: the client is gone. */
async function answerTo(
  { request, end }: Exchange,
  framing: Framing,
  open: () => Promise<ClientRequest>,
): Promise<IncomingMessage | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const upstream = await open().catch((error: unknown) => {
      if (error instanceof StatusError) throw error;
      throw unavailable('the agent cannot read its credentials for the cluster');
    });
    if (end.over) {
      upstream.destroy();
      return undefined;
    }
    const cut = (): void => void upstream.destroy();
    end.after(cut);
    try {
      const answer = await begin(request, upstream, framing);
      answer.once('end', () => {
        if (!upstream.writableFinished) return;
        end.forget(cut);
        endLater(upstream);
      });
      return answer;
    } catch (error) {
      end.forget(cut);
      if (end.over) return undefined;
      const code = codeOf(error) ?? '';
      const again = upstream.reusedSocket && attempt === 1 && GONE.includes(code);
      if (!again || framing.body !== 'none' || !SAFE_METHODS.includes(request.method ?? ''))
        throw unavailable(`the API server of the cluster does not answer: ${code || 'it broke off'}`);
    }
  }
}

/**
 * The other end closes or pools a connection after the exchange. A stream of a tunnel is not reset before, as
 * nghttp2 ends the whole tunnel after more than 33 resets a second.
 */
function endLater(upstream: ClientRequest): void {
  const cut = setTimeout(() => upstream.destroy(), LINGER_MS);
  upstream.once('close', () => clearTimeout(cut));
}

function begin(
  request: IncomingMessage,
  upstream: ClientRequest,
  framing: Framing,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    upstream.on('error', reject);
    upstream.once('response', resolve);
    // Refused, as it was not requested.
    upstream.once('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('it changed the protocol'));
    });
    if (framing.body === 'none') return void upstream.end();
    request.once('error', () => upstream.destroy());
    request.once('aborted', () => upstream.destroy());
    request.pipe(upstream);
  });
}
