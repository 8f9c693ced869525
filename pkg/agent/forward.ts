/** A request and its answer, passed on as they come: neither is held, and neither goes faster than its reader. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { constants } from 'node:http2';
import { StatusError } from '../apimachinery/errors.js';
import type { Exchange } from '../server/httpexchange.js';
import { endSoon } from '../server/listener/rejectearly.js';
import { requestHeaders, responseHeaders } from './forwardedheaders.js';
import type { Framing } from './framing.js';
import { framingHeaders, framingOf } from './framing.js';
import type { Admitted } from './interface.js';
import { unavailable } from './refuse.js';
import { codeOf } from '../apimachinery/caught.js';

/** Who has their answer stops sending; who does not is cut off after so long. */
const LINGER_MS = 1_000;
/** A connection that was kept may be gone when it is used: what changes nothing is sent once more (RFC 9110, 9.2.2). */
const GONE: readonly string[] = ['ECONNRESET', 'EPIPE'];
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export const targetPath = ({ path, query }: Pick<Admitted, 'path' | 'query'>): string =>
  query === '' ? path : `${path}?${query}`;

/**
 * Resolves with the status when the answer has begun; 0: the client was gone before. Rejects with StatusError 503 where
 * the API server does not answer, and with what the headers are refused for.
 */
export async function forward(exchange: Exchange, admitted: Admitted): Promise<number> {
  const { request, response, end } = exchange;
  const method = request.method ?? 'GET';
  const framing = framingOf(request);
  const headers = [
    ...requestHeaders(request),
    ...['X-Forwarded-For', request.socket.remoteAddress ?? 'unknown'],
    ...admitted.identity,
    ...framingHeaders(framing, method),
  ];
  end.lasting = admitted.lasting;
  const sent = { method, path: targetPath(admitted), headers, lasting: admitted.lasting };
  const answer = await answerTo(exchange, framing, () => admitted.upstream.open(sent));
  if (answer === undefined) return 0;
  const status = answer.statusCode ?? 502;
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
  // A watch begins with nothing.
  response.flushHeaders();
  answer.pipe(response);
  return status;
}

/** A short answer has come whole with its headers, and goes on in one piece with them. */
function sendWhole(
  { request, response }: Exchange,
  answer: IncomingMessage,
  { status, passed }: { readonly status: number; readonly passed: ReturnType<typeof responseHeaders> },
): void {
  const read: unknown = answer.read();
  const body = Buffer.isBuffer(read) ? read : Buffer.alloc(0);
  const hasNone = request.method === 'HEAD' || status === 204 || status === 304;
  // It was in chunks, or until the end of the connection.
  if (!hasNone) passed['content-length'] ??= String(body.length);
  response.writeHead(status, passed);
  response.end(body);
  // Its end is told to whoever reads it.
  answer.resume();
}

/** Nobody waits for the rest of a body that is answered: its stream ends, or its connection where it is HTTP/1.1. */
function leaveRest({ request, response }: Exchange): void {
  const { stream } = request;
  if (stream === undefined) return void response.once('finish', () => endSoon(request.socket));
  // Node tells the end of an answer over HTTP/2 when its stream is closed, and not before.
  stream.once('finish', () => {
    // Not at once: a reset overtakes the answer, and Go's clients then report a broken stream in its place.
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
 * The other end is about to end a connection on which all was said, or to keep it. A stream of a tunnel is not reset before: where
 * more than 33 a second are, nghttp2 ends the whole tunnel.
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
    // Never asked for: it would be another protocol's.
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
