/** What both ends of a tunnel agree on. The agent asks for it, then answers HTTP/2 over it; each of its streams is a connection. */

/** In `Upgrade`, of the request and of its answer. */
export const TUNNEL_PROTOCOL = 'management-tunnel/1';
/** Of the 101, and of a 409: which server it is, and how many there are. */
export const SERVER_ID = 'management-server-id';
export const SERVER_COUNT = 'management-server-count';
/** Of the request: servers that the agent has tunnels to, with commas between. One that is among them answers 409. */
export const KNOWN_SERVERS = 'management-known-servers';
/** Of the request: the release of the agent. */
export const AGENT_VERSION = 'management-agent-version';
/** Of a stream: the address that the management API has the request from. */
export const CLIENT_ADDRESS = 'management-client-address';

/** Of a stream, and of its answer where the agent does so: it is a connection to the API server itself, not a request of a user. */
export const DESTINATION = 'management-destination';
export const API_SERVER = 'api-server';

/** `cluster`: the name of a Cluster. */
export const tunnelPath = (cluster: string): string =>
  `/apis/management.svc.example/v1/clusters/${cluster}/tunnel`;

/** Of one tunnel: streams at a time; bytes of a stream that its reader has not taken; MiB of nghttp2 besides. */
export const TUNNEL_LIMITS = { streams: 1000, window: 256 * 1024, sessionMemory: 64 } as const;

/**
 * Streams that users give up are reset, and nghttp2 ends a connection with more than 33 of those a second: one user would end the
 * tunnel of all. The other end is the management API, so none is too many. Node 20 does not know these options.
 */
export const TUNNEL_RESETS = { streamResetBurst: 1_000_000, streamResetRate: 1_000_000 } as const;
