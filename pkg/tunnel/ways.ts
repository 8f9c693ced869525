/** The ways of a request into a cluster: through the tunnel of an agent, or else by the kubeconfig of the Cluster. */
import { StatusError, failure, methodNotAllowed } from '../apimachinery/errors.js';
import type { User } from '../authentication/interface.js';
import { admit, type Admission } from '../agent/admit.js';
import { USER_PREFIX } from '../../api/management.svc.example/clusterusers.js';
import type { Admitted, UpstreamRequest } from '../agent/interface.js';
import { unavailable } from '../agent/refuse.js';
import { readAgentPath } from '../agent/requestpath.js';
import { METHODS, infoOf, isLasting, targetOf } from '../agent/scopedrequest.js';
import type { ClusterRequest, Exchange } from '../server/httpexchange.js';
import type { KubeconfigConnection, Kubeconfigs } from './kubeconfigs.js';
import type { Tunnels } from './tunnels.js';

export interface Ways {
  readonly tunnels: Pick<Tunnels, 'agents' | 'upstream'>;
  readonly kubeconfigs: Kubeconfigs;
  readonly admission: Pick<Admission, 'places' | 'scopeSettings'>;
}

export interface Way {
  readonly admitted: Admitted;
  /** Whether the server may still use this way; absent: that is seen otherwise. */
  readonly holds?: () => Promise<boolean>;
}

interface Asked {
  readonly exchange: Exchange;
  readonly asked: ClusterRequest;
  readonly cluster: string;
  readonly user: User;
}

/**
 * An agent is preferred, and the only way into virtual clusters, which its Services lead to. Throws StatusError: 400,
 * 403, 404, 405.
 */
export function wayTo(ways: Ways, one: Asked): Way {
  const { tunnels } = ways;
  const path = readAgentPath(one.asked.url);
  const throughAgent =
    tunnels.agents(one.cluster) !== undefined || path.destination.kind === 'virtualcluster';
  return throughAgent ? { admitted: throughTunnel(ways, one, path) } : byKubeconfig(ways, one, path);
}

/** The agent admits it, by the token. */
function throughTunnel(
  { tunnels }: Ways,
  { exchange: { request }, asked, cluster }: Asked,
  { destination, prefix, path, query }: ReturnType<typeof readAgentPath>,
): Admitted {
  const { method = '' } = request;
  if (!METHODS.includes(method)) throw methodNotAllowed();
  return {
    to: targetOf(destination, cluster),
    prefix: '',
    path: prefix + path,
    query,
    lasting: isLasting(infoOf(method, path, query)),
    upstream: tunnels.upstream(cluster, request.socket.remoteAddress ?? ''),
    still: () => asked.name() === cluster,
    identity: ['Authorization', request.headers.authorization ?? ''],
  };
}

/** Admitted here as an agent does. */
function byKubeconfig(
  { kubeconfigs, admission }: Ways,
  { exchange: { request }, asked, cluster, user }: Asked,
  path: ReturnType<typeof readAgentPath>,
): Way {
  let used: KubeconfigConnection | undefined;
  const upstream = {
    async open(sent: UpstreamRequest) {
      used = await kubeconfigs.connect(cluster).catch((error: unknown) => {
        throw error instanceof StatusError && ![504, 503].includes(error.code) ? noWay(cluster) : error;
      });
      return used.open(sent);
    },
    close: () => undefined,
  };
  const admitted = admit(
    { ...admission, cluster, userPrefix: USER_PREFIX, upstream, virtualCluster: () => upstream },
    user,
    request.method ?? '',
    path,
  );
  return {
    admitted: {
      ...admitted,
      still: () => asked.name() === cluster && admitted.still(),
      refusal: (status) => (status === 401 ? rejected(cluster) : undefined),
    },
    holds: async () => used === undefined || (await kubeconfigs.isCurrent(cluster, used)),
  };
}

/** What is wrong with the kubeconfig is for users who may get the Cluster. */
const noWay = (cluster: string): StatusError =>
  unavailable(
    `no agent of the cluster "${cluster}" is connected to this server, and no kubeconfig of it can be used: see the conditions of the Cluster, and the log of the agent`,
  );

const rejected = (cluster: string): StatusError =>
  failure('ServiceUnavailable', `cluster "${cluster}" rejects the credentials of its kubeconfig`, {});
