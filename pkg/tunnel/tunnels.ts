/** The tunnels of agents to this server, by cluster. */
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { StatusError, failure } from '../apimachinery/errors.js';
import type { Upstream } from '../agent/interface.js';
import { unavailable } from '../agent/refuse.js';
import type { TunnelSession } from './session.js';

/** One tunnel. `uid`: of its Cluster when the tunnel was opened. */
interface Tunnel {
  readonly cluster: string;
  readonly uid: string;
  /** The name of the user of the agent. */
  readonly user: string;
  /** The release of the agent, if it reports one. */
  readonly version?: string;
  readonly session: TunnelSession;
}

/** The state of the agents of a cluster. */
interface KnownAgents {
  /** The name of the user of one of them. */
  readonly user: string;
  /** The oldest release among them; absent: none reports it. */
  readonly version?: string;
  /** Round-trip time of the fastest tunnel, in ms; absent: not measured yet. */
  readonly latencyMs?: number;
  /**
   * The largest difference of an agent's clock to this machine's, in ms, positive if ahead; absent: none
   * reports it.
   */
  readonly clockAheadMs?: number;
}

export interface Tunnels {
  /** Throws StatusError 429 if the cluster has too many. */
  checkRoom(cluster: string): void;
  add(tunnel: Tunnel): void;
  /** The agents of a cluster. The one with the fewest requests gets the next. `address`: of the client. */
  upstream(cluster: string, address: string): Upstream;
  /**
   * Opens a connection to the API server of a cluster through one of its agents. Rejects with StatusError
   * 503.
   */
  dial(cluster: string): Promise<Socket>;
  /** The agents of a cluster; undefined: none is connected. */
  agents(cluster: string): KnownAgents | undefined;
  /** Calls `changed` with the cluster whenever one of its tunnels begins or ends. Returns what ends this. */
  follow(changed: (cluster: string) => void): () => void;
  /** The number of tunnels of a cluster. */
  count(cluster: string): number;
}

const MAX_PER_CLUSTER = 32;

/** `uidOf`: of the current Cluster with a name. Tunnels of another Cluster are not used. */
export function clusterTunnels(uidOf: (cluster: string) => string | undefined): Tunnels {
  const open = new Map<string, Set<Tunnel>>();
  const followers = new Set<(cluster: string) => void>();
  const tell = (cluster: string): void => followers.forEach((changed) => changed(cluster));
  const of = (cluster: string): ReadonlySet<Tunnel> => open.get(cluster) ?? new Set();

  function usableOf(cluster: string): Tunnel[] {
    const uid = uidOf(cluster);
    return [...of(cluster)].filter((tunnel) => tunnel.uid === uid && !tunnel.session.ended);
  }
  function choose(cluster: string): TunnelSession {
    const usable = usableOf(cluster);
    if (usable.length === 0) throw notConnected(cluster);
    const free = usable.map(({ session }) => session).filter(({ hasCapacity }) => hasCapacity);
    const [first, ...others] = free;
    if (first === undefined) throw unavailable('all agents of the cluster are busy or about to end');
    return others.reduce((least, one) => (one.streams < least.streams ? one : least), first);
  }
  return {
    checkRoom(cluster) {
      if (of(cluster).size >= MAX_PER_CLUSTER)
        throw failure(
          'TooManyRequests',
          `the cluster has ${MAX_PER_CLUSTER} tunnels to this server already`,
          {
            retryAfterSeconds: 10,
          },
        );
    },
    add(tunnel) {
      const { cluster, session } = tunnel;
      const its = open.get(cluster) ?? new Set<Tunnel>();
      open.set(cluster, its.add(tunnel));
      session.onEnd(() => {
        its.delete(tunnel);
        if (its.size === 0 && open.get(cluster) === its) open.delete(cluster);
        tell(cluster);
      });
      tell(cluster);
    },
    upstream: (cluster, address) => ({
      open: (sent) => begin(() => choose(cluster).send(sent, address)),
      close: () => undefined,
    }),
    // Async, so that exceptions become rejections.
    dial: async (cluster) => choose(cluster).dial(),
    agents: (cluster) => knownOf(usableOf(cluster)),
    follow(changed) {
      followers.add(changed);
      return () => void followers.delete(changed);
    },
    count: (cluster) => of(cluster).size,
  };
}

function knownOf(tunnels: readonly Tunnel[]): KnownAgents | undefined {
  const [first] = tunnels;
  if (first === undefined) return undefined;
  const versions = tunnels.flatMap((tunnel) => tunnel.version ?? []);
  const latencies = tunnels.flatMap(({ session }) => session.latencyMs ?? []);
  const clocks = tunnels.flatMap(({ session }) => session.clockAheadMs ?? []);
  const [version] = versions.sort(byAge);
  const [clockAheadMs] = clocks.sort((one, other) => Math.abs(other) - Math.abs(one));
  return {
    user: first.user,
    ...(version !== undefined && { version }),
    ...(latencies.length > 0 && { latencyMs: Math.min(...latencies) }),
    ...(clockAheadMs !== undefined && { clockAheadMs }),
  };
}

const inNumbers = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });

/** Orders the older release first. A pre-release such as `-rc.1` is older than its release. */
function byAge(one: string, other: string): number {
  const [[release = '', ...before], [otherRelease = '', ...otherBefore]] = [one.split('-'), other.split('-')];
  const early = Math.min(otherBefore.length, 1) - Math.min(before.length, 1);
  return inNumbers(release, otherRelease) || early || inNumbers(before.join('-'), otherBefore.join('-'));
}

/** Rejects with StatusError. */
async function begin(send: () => ClientRequest): Promise<ClientRequest> {
  try {
    return await Promise.resolve(send());
  } catch (error) {
    throw error instanceof StatusError ? error : unavailable('the agent of the cluster is about to end');
  }
}

const notConnected = (cluster: string): StatusError =>
  unavailable(
    `no agent of the cluster "${cluster}" is connected to this server: see the log of the agent, and its option --tunnel`,
  );
