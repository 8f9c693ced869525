/** One request on a connection, and its failures. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { requestOver } from '../../api/client/node.js';
import { beginSpan } from '../tracing/current.js';
import { codeOf, messageOf } from '../apimachinery/caught.js';
import { textIn } from '../apimachinery/encoding/members.js';
import type { HostConnections, Pools } from './connections.js';
import { HostUnreachable, type HostRequest } from './interface.js';

/** A request as it is sent. */
export interface Exchange extends Pick<HostRequest, 'method' | 'path' | 'body' | 'accept' | 'contentType'> {
  readonly purpose: 'requests' | 'watches';
  readonly signal: AbortSignal;
  /** The error when the signal is aborted. */
  readonly ended: () => string;
}

/** Connections whose TLS handshake is complete. */
const secured = new WeakSet<Socket>();

/** Sends a request and returns the head of the response. Rejects with {@link HostUnreachable}. */
export async function begin(
  connections: HostConnections<Pools>,
  exchange: Exchange,
): Promise<IncomingMessage> {
  const { method, path, body, accept = 'application/json', contentType = 'application/json' } = exchange;
  const { purpose, signal } = exchange;
  const [place = path] = path.split('?', 1);
  // A watch outlives the request in which it starts, so it has no span.
  const span = purpose === 'watches' ? undefined : beginSpan(method, { method, path: place });
  let sent = false;
  let code: number | undefined;
  try {
    const now = connections.current();
    const { settings, agents } = now instanceof Promise ? await now : now;
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      accept,
      'user-agent': 'management-apiserver',
      ...settings.headers,
      ...span?.headers,
      ...(bytes !== undefined && { 'content-type': contentType, 'content-length': bytes.length }),
    };
    const { auth, proxy, server, tls } = settings;
    const options = {
      ...(proxy !== undefined && tls),
      method,
      headers,
      agent: agents[purpose],
      signal,
      ...(auth !== undefined && { auth }),
    };
    const response = await requestOver(`${server}${path}`, options, bytes, (request) =>
      request.once('socket', (socket) => {
        sent = proxy !== undefined || secured.has(socket);
        if (sent) return;
        socket.once('secureConnect', () => {
          secured.add(socket);
          sent = true;
        });
      }),
    );
    code = response.statusCode;
    return response;
  } catch (error) {
    throw unreachable(error, exchange, sent);
  } finally {
    span?.end(code);
  }
}

export function unreachable(
  error: unknown,
  { signal, ended }: Pick<Exchange, 'signal' | 'ended'>,
  sent: boolean,
): HostUnreachable {
  if (error instanceof HostUnreachable) return error;
  const why = signal.aborted ? ended() : reasonOf(error);
  return new HostUnreachable(`the API server of the host cannot be reached: ${why}`, sent);
}

/** Only the code of network failures. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  if (textIn(error, 'name') === 'HostConfigurationError') return messageOf(error);
  return codeOf(error) ?? 'the connection broke off';
}
