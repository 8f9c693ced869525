/** Asks a server of the management API for a tunnel. */
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Socket } from 'node:net';
import type { HostSettings } from '../../hostclient/configuration.js';
import { destinationOf } from '../../hostclient/configuration.js';
import {
  AGENT_VERSION,
  KNOWN_SERVERS,
  SERVER_COUNT,
  SERVER_ID,
  TUNNEL_PROTOCOL,
  tunnelPath,
} from './protocol.js';

/** A connection that the management API has made a tunnel, and what its server says of itself. */
export interface Dialled {
  /** Absent: there is one to this server already. */
  readonly connection?: Socket;
  readonly server: string;
  /** How many servers there are. */
  readonly servers: number;
}

const DIAL_MS = 15_000;
const MOST_SERVERS = 100;

export interface Dialling {
  readonly cluster: string;
  /** The release of the agent. */
  readonly version: string;
  /** Servers that there are tunnels to. */
  readonly known: readonly string[];
  /** Gives up. */
  readonly signal: AbortSignal;
}

/** Rejects with an Error that says why not, without credentials. */
export function dialTunnel(
  { server, headers, auth, tls, proxy }: HostSettings,
  { cluster, version, known, signal }: Dialling,
): Promise<Dialled> {
  return new Promise((resolve, reject) => {
    const asked = request({
      ...tls,
      ...destinationOf(new URL(server), tunnelPath(cluster)),
      ...{ method: 'POST', signal },
      ...{ agent: proxy ?? new Agent({ ...tls, keepAlive: false }), timeout: DIAL_MS },
      ...(auth !== undefined && { auth }),
      headers: {
        ...headers,
        ...{ Connection: 'Upgrade', Upgrade: TUNNEL_PROTOCOL, 'Content-Length': '0' },
        ...{ [KNOWN_SERVERS]: known.join(','), [AGENT_VERSION]: version },
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

/** Node aborts where HTTP/2 takes a connection over with a write under way. */
async function written(socket: Socket): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (socket.writableLength > 0 && !socket.destroyed);
}

function readAnswer({ headers }: IncomingMessage): Dialled | undefined {
  const { [SERVER_ID]: server, [SERVER_COUNT]: count } = headers;
  if (typeof server !== 'string') return undefined;
  const servers = Math.trunc(Number(count));
  return { server, servers: servers >= 1 && servers <= MOST_SERVERS ? servers : 1 };
}
