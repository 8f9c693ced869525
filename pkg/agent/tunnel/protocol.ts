/**
 * The protocol of tunnels. The agent requests a tunnel, then serves HTTP/2 over it; each stream is a
 * connection.
 */

/** In `Upgrade` of the request and the response. */
export const TUNNEL_PROTOCOL = 'management-tunnel/1';
/** In a 101 and a 409: the id of the server, and the number of servers. */
export const SERVER_ID = 'management-server-id';
export const SERVER_COUNT = 'management-server-count';
/** In the request: the servers with a tunnel, separated by commas. A server in this list answers 409. */
export const KNOWN_SERVERS = 'management-known-servers';
/** In the request: the release of the agent. */
export const AGENT_VERSION = 'management-agent-version';
/** In a stream: the client address at the management API. */
export const CLIENT_ADDRESS = 'management-client-address';

/**
 * In a stream, and in its response if the agent supports it: a connection to the API server, not a request of
 * a user.
 */
export const DESTINATION = 'management-destination';
export const API_SERVER = 'api-server';

/** `cluster`: the name of a Cluster. */
export const tunnelPath = (cluster: string): string =>
  `/apis/management.svc.example/v1/clusters/${cluster}/tunnel`;

/** The limits of one tunnel: concurrent streams; unread bytes of a stream; MiB of nghttp2 besides. */
export const TUNNEL_LIMITS = { streams: 1000, window: 256 * 1024, sessionMemory: 64 } as const;

/**
 * Streams that users abort are reset, and nghttp2 ends a connection after more than 33 resets a second, so
 * one user could end everybody's tunnel. The other end is trusted, so resets are not limited. Node 20 does
 * not know these options.
 */
export const TUNNEL_RESETS = { streamResetBurst: 1_000_000, streamResetRate: 1_000_000 } as const;
