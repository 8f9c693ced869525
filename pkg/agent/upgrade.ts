/** Protocol upgrades: WebSockets, and SPDY for exec and port-forward of older clients. */
import { ServerResponse, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest } from '../apimachinery/errors.js';
import { endSoon } from '../server/listener/rejectearly.js';
import type { Exchange } from '../server/httpexchange.js';
import { requestHeaders, responseHeaders } from './forwardedheaders.js';
import { refuseAnswer, targetPath } from './forward.js';
import { framingHeaders } from './framing.js';
import type { Admitted } from './interface.js';
import { unavailable } from './refuse.js';

const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
/** By the name in `Upgrade`, in lower case: the methods that may request it. */
const PROTOCOLS: Readonly<Record<string, readonly string[]>> = {
  websocket: ['GET'],
  'spdy/3.1': ['GET', 'POST'],
};

/**
 * The exchange of a request for an upgrade, for the listener. {@link upgradeOf} checks whether it is
 * permitted.
 */
export function agentUpgrade(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Omit<Exchange, 'end' | 'proved' | 'slot'> {
  socket.on('error', () => undefined);
  socket.setTimeout(0);
  const offered = request.headers['sec-websocket-protocol']?.split(',').map((one) => one.trim()) ?? [];
  const token = offered.find((one) => one.startsWith(BEARER_PROTOCOL))?.slice(BEARER_PROTOCOL.length);
  if (token !== undefined)
    request.headers.authorization ??= `Bearer ${Buffer.from(token, 'base64url').toString('latin1')}`;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => endSoon(socket));
  return { request, response, upgrade: { socket, head } };
}

/**
 * The requested protocol. Throws StatusError 400 unless the API server streams over it and it is requested
 * unambiguously: otherwise one parser would read the following bytes as a request, and another as a stream.
 */
function upgradeOf(
  { method = '', headers, rawHeaders }: Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>,
  lasting: boolean,
): string {
  const protocol = headers.upgrade ?? '';
  const asked = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'upgrade').length;
  if (asked !== 1 || !(PROTOCOLS[protocol.toLowerCase()]?.includes(method) ?? false))
    throw badRequest('the upgrade must be to websocket with GET, or SPDY/3.1 with GET or POST');
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
    throw badRequest('an upgrade request must not have a body');
  if (!lasting)
    throw badRequest('only watch, exec, attach, port-forward, log and proxy requests may upgrade');
  return protocol;
}

/**
 * Requests the protocol from the API server. If it accepts, bytes are copied both ways until either end
 * closes; otherwise its response is forwarded. Resolves with the status, 0: the client was gone. Rejects with
 * StatusError.
 */
export async function forwardUpgrade(exchange: Exchange, admitted: Admitted): Promise<number> {
  const { request, end } = exchange;
  const { method = 'GET' } = request;
  const protocol = upgradeOf(request, admitted.lasting);
  end.lasting = true;
  const upstream = await admitted.upstream.open({
    method,
    path: targetPath(admitted),
    lasting: true,
    headers: [
      ...requestHeaders(request),
      'X-Forwarded-For',
      request.socket.remoteAddress ?? 'unknown',
      ...admitted.identity,
      ...framingHeaders({ body: 'none' }, method),
      'Connection',
      'Upgrade',
      'Upgrade',
      protocol,
    ],
  });
  end.after(() => upstream.destroy());
  const answer = await accepted(upstream);
  if (end.over) return 0;
  if ('response' in answer) refuseAnswer(answer.response, admitted);
  if ('response' in answer) return relayRefusal(exchange, answer.response, admitted);
  return stream(exchange, answer, { protocol, admitted });
}

interface Accepted {
  readonly answer: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
}

function accepted(upstream: ClientRequest): Promise<Accepted | { readonly response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    upstream.once('upgrade', (answer, socket, head) => resolve({ answer, socket, head }));
    upstream.once('response', (response) => resolve({ response }));
    upstream.on('error', (error: NodeJS.ErrnoException) =>
      reject(unavailable(`the API server of the cluster does not answer: ${error.code ?? 'it broke off'}`)),
    );
    upstream.end();
  });
}

/** Drops what the client has sent after its headers, and ends the connection. */
function relayRefusal({ response, end }: Exchange, answer: IncomingMessage, admitted: Admitted): number {
  const status = answer.statusCode ?? 502;
  response.writeHead(status, responseHeaders(answer, admitted));
  answer.once('error', () => end.cut());
  answer.pipe(response);
  return status;
}

function stream(
  { upgrade, response, end }: Exchange,
  { answer, socket, head }: Accepted,
  { protocol, admitted }: { readonly protocol: string; readonly admitted: Admitted },
): number {
  const client = upgrade?.socket;
  const chosen = answer.headers.upgrade ?? '';
  if (client === undefined || client.destroyed || chosen.toLowerCase() !== protocol.toLowerCase()) {
    socket.destroy();
    throw unavailable('the API server of the cluster changed to another protocol');
  }
  const headers = Object.entries({
    ...responseHeaders(answer, admitted),
    Connection: 'Upgrade',
    Upgrade: chosen,
  });
  const lines = headers.flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}\r\n`));
  response.statusCode = 101;
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`, 'latin1');
  if (head.length > 0) client.write(head);
  if (upgrade !== undefined && upgrade.head.length > 0) socket.write(upgrade.head);
  for (const one of [client, socket]) one.setNoDelay(true);
  socket.on('error', () => client.destroy());
  socket.once('close', () => client.end());
  client.once('close', () => socket.destroy());
  end.after(() => socket.destroy());
  client.pipe(socket);
  socket.pipe(client);
  return 101;
}
