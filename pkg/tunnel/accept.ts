/**
 * Accepts tunnels of agents: `POST …/clusters/<name>/tunnel`, for users that may create `clusters/tunnel`.
 */
import type { Socket } from 'node:net';
import { badRequest, failure, unknownResource } from '../apimachinery/errors.js';
import {
  AGENT_VERSION,
  KNOWN_SERVERS,
  SERVER_COUNT,
  SERVER_ID,
  TUNNEL_PROTOCOL,
} from '../agent/tunnel/protocol.js';
import type { Exchange } from '../server/httpexchange.js';
import { nextTurn } from '../apimachinery/eventloop/turns.js';
import type { RequestInfo } from '../server/requestinfo.js';
import type { WatchRegistry } from '../server/watch/watchregistry.js';
import { Http2TunnelSession } from './session.js';
import type { Tunnels } from './tunnels.js';

/** This server among the servers of its store. */
export interface Presence {
  readonly id: string;
  /** The known number of servers, this one included. */
  count(): number;
}

export interface Accepting {
  readonly tunnels: Tunnels;
  /** The uid of the Cluster with this name; undefined: there is none. */
  readonly uidOf: (cluster: string) => string | undefined;
  readonly presence: Presence;
  readonly watches: Pick<WatchRegistry, 'add' | 'remove'>;
}

const GROUP = 'management.svc.example';

export const isTunnel = (info: RequestInfo): boolean =>
  info.kind === 'resource' &&
  info.subresource === 'tunnel' &&
  info.resource === 'clusters' &&
  info.group === GROUP &&
  info.verb === 'create';

/** `user`: the name of the caller. Resolves when the connection is a tunnel, or closed. Rejects with StatusError 400, 404, 409 and 429. */
export async function acceptTunnel(
  { tunnels, uidOf, presence, watches }: Accepting,
  exchange: Exchange,
  { info, user }: { readonly info: RequestInfo; readonly user: string },
): Promise<void> {
  const { request, response, end } = exchange;
  if (!isTunnel(info) || info.kind !== 'resource' || info.version !== 'v1') throw unknownResource();
  if (info.namespace !== '') throw unknownResource();
  const connection = connectionOf(exchange);
  const cluster = info.name;
  const uid = uidOf(cluster);
  if (uid === undefined) throw failure('NotFound', `there is no Cluster of the name "${cluster}"`, {});
  tunnels.checkRoom(cluster);
  const headers = { [SERVER_ID]: presence.id, [SERVER_COUNT]: String(presence.count()) };
  if (knownTo(request.headers[KNOWN_SERVERS]).includes(presence.id)) {
    const answer = failure('Conflict', 'there is a tunnel to this server', {});
    Object.assign(answer.headers, headers);
    throw answer;
  }
  response.statusCode = 101;
  end.lasting = true;
  await changeProtocol(connection, headers);
  if (end.over || connection.destroyed) return;
  const session = new Http2TunnelSession(connection);
  tunnels.add({ cluster, uid, user, session, ...versionIn(request.headers[AGENT_VERSION]) });
  const clocked = {
    tick: (): void => (uidOf(cluster) === uid ? undefined : session.destroy()),
    end: () => session.close(),
  };
  session.onEnd(() => watches.remove(clocked));
  watches.add(clocked);
  end.after(() => session.destroy());
}

/** Throws StatusError 400 unless the request is a valid upgrade and the client has sent nothing after it. */
function connectionOf({ request, upgrade }: Exchange): Socket {
  const { headers } = request;
  if (upgrade === undefined || headers.upgrade !== TUNNEL_PROTOCOL)
    throw badRequest(`a tunnel is asked for over HTTP/1.1, with "Upgrade: ${TUNNEL_PROTOCOL}"`);
  const { socket, head } = upgrade;
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
    throw badRequest('a request for a tunnel must have no body');
  if (head.length > 0) throw badRequest('nothing must be sent before the tunnel is there');
  return socket;
}

/**
 * Resolves after the response is written: Node aborts if HTTP/2 takes over a connection with a write in
 * flight.
 */
async function changeProtocol(connection: Socket, told: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries({ Connection: 'Upgrade', Upgrade: TUNNEL_PROTOCOL, ...told });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  await new Promise<void>((resolve) => {
    connection.once('close', resolve);
    connection.write(`HTTP/1.1 101 Switching Protocols\r\n${text}\r\n`, () => resolve());
  });
  await nextTurn();
}

/** An invalid release is ignored. */
function versionIn(header: string | string[] | undefined): { readonly version?: string } {
  const version = String(header ?? '');
  return /^\d{1,9}(\.\d{1,9}){2}([-+][-+.0-9A-Za-z]{1,40})?$/.test(version) ? { version } : {};
}

const knownTo = (header: string | string[] | undefined): readonly string[] =>
  String(header ?? '')
    .slice(0, 4096)
    .split(',');
