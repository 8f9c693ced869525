/** Requests a tunnel from a server of the management API. */
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Socket } from 'node:net';
import { destinationOf, type HostSettings } from '../../hostclient/configuration.js';
import {
  AGENT_VERSION,
  KNOWN_SERVERS,
  SERVER_COUNT,
  SERVER_ID,
  TUNNEL_PROTOCOL,
  tunnelPath,
} from './protocol.js';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';

/** A connection that has become a tunnel, and the server's response. */
export interface Dialled {
  /** Absent: there is a tunnel to this server already. */
  readonly connection?: Socket;
  readonly server: string;
  /** The number of servers. */
  readonly servers: number;
}

const DIAL_MS = 15_000;
const MAX_SERVERS = 100;

export interface Dialling {
  readonly cluster: string;
  /** The release of the agent. */
  readonly version: string;
  /** The servers with a tunnel. */
  readonly known: readonly string[];
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** Rejects with an Error that has the reason, without credentials. */
export function dialTunnel(
  { server, headers, auth, tls, proxy }: HostSettings,
  { cluster, version, known, signal }: Dialling,
): Promise<Dialled> {
  return new Promise((resolve, reject) => {
    const asked = request({
      ...tls,
      ...destinationOf(new URL(server), tunnelPath(cluster)),
      method: 'POST',
      signal,
      agent: proxy ?? new Agent({ ...tls, keepAlive: false }),
      timeout: DIAL_MS,
      ...(auth !== undefined && { auth }),
      headers: {
        ...headers,
        Connection: 'Upgrade',
        Upgrade: TUNNEL_PROTOCOL,
        'Content-Length': '0',
        [KNOWN_SERVERS]: known.join(','),
        [AGENT_VERSION]: version,
      },
    });
    const late = setTimeout(() => asked.destroy(new Error('no answer in time')), DIAL_MS);
    asked.once('close', () => clearTimeout(late));
    asked.on('error', (error: NodeJS.ErrnoException) => reject(new Error(error.code ?? error.message)));
    asked.once('response', (answer) => {
      answer.resume();
      asked.destroy();
      const presence = answer.statusCode === 409 ? readAnswer(answer) : undefined;
      if (presence !== undefined) resolve(presence);
      else reject(new Error(`the management API answers ${answer.statusCode ?? 0}`));
    });
    asked.once('upgrade', (answer, connection, head) => {
      clearTimeout(late);
      const told = readAnswer(answer);
      if (told === undefined || answer.headers.upgrade?.toLowerCase() !== TUNNEL_PROTOCOL) {
        connection.destroy();
        return reject(new Error('the management API changed to another protocol'));
      }
      const socket = connection;
      socket.setTimeout(0);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      if (head.length > 0) socket.unshift(head);
      void written(socket).then(() => resolve({ connection: socket, ...told }));
    });
    asked.end();
  });
}

/** Node aborts if HTTP/2 takes over a connection with a write in flight. */
async function written(socket: Socket): Promise<void> {
  do await nextTurn();
  while (socket.writableLength > 0 && !socket.destroyed);
}

function readAnswer({ headers }: IncomingMessage): Dialled | undefined {
  const { [SERVER_ID]: server, [SERVER_COUNT]: count } = headers;
  if (typeof server !== 'string') return undefined;
  const servers = Math.trunc(Number(count));
  return { server, servers: servers >= 1 && servers <= MAX_SERVERS ? servers : 1 };
}
