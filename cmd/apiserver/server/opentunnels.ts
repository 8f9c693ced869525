/**
 * Clusters that are reached through this server: their agents open tunnels, or it has their kubeconfigs, and requests
 * with tokens for them are forwarded.
 */
import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { inFlight } from '../../../pkg/agent/inflight.js';
import type { Destination, Place } from '../../../pkg/agent/interface.js';
import { clusterTokens } from '../../../pkg/management/directtokens/authentication/forcluster.js';
import { REFUSED, type Authenticator } from '../../../pkg/authentication/interface.js';
import { projectNamespace } from '../../../pkg/management/projects/names.js';
import type { ClusterTunnels } from '../../../pkg/server/dependencies.js';
import type { Filter } from '../../../pkg/server/httpexchange.js';
import { newestObject, type ResourceStores } from '../../../pkg/server/resources.js';
import { acceptTunnel, isTunnel } from '../../../pkg/tunnel/accept.js';
import type { ClusterPlace } from '../../../pkg/tunnel/clusterpaths.js';
import { markingClusterPaths } from '../../../pkg/tunnel/markclusterpaths.js';
import { kubeconfigsOf } from '../../../pkg/tunnel/kubeconfigs.js';
import { passOn } from '../../../pkg/tunnel/pass.js';
import { directTokens } from './directtokens.js';
import type { Parts } from './requestparts.js';
import { onceKnown } from '../../../pkg/apimachinery/eventloop/onceknown.js';

export interface OpenTunnels {
  readonly clusters: ClusterTunnels;
  /** Marks requests into clusters. */
  readonly marking: Filter;
  /** For marked requests only tokens for their cluster are valid; `others` authenticates other requests. */
  authenticating(others: Authenticator): Authenticator;
}

type InstanceDestination = Exclude<Destination, { readonly kind: 'cluster' }>;

/** The share of each limit that one user may use. */
const SHARE = 1 / 8;
const KINDS = { space: SpaceInstance, virtualcluster: VirtualClusterInstance };

export function openTunnels(parts: Parts): OpenTunnels {
  const { stores, presence, operations, tunnels, clusters } = parts;
  const { config, watches } = operations;
  const uidOf = (name: string): string | undefined => newestObject(stores, Cluster, name)?.metadata.uid;
  const { reads, watches: most } = config.limits;
  const limits = { requests: reads || Infinity, lasting: most || Infinity, share: SHARE };
  const accepting = { tunnels, watches, uidOf, presence };
  const prefix = config.settings.projectNamespacePrefix;
  const passing = {
    tunnels,
    watches,
    inFlight: inFlight(limits),
    kubeconfigs: kubeconfigsOf((cluster) => clusters.connect(cluster)),
    admission: {
      scopeSettings: config.settings,
      places: { find: (destination: InstanceDestination) => placeOf(stores, prefix, destination) },
    },
  };
  const tokens = clusterTokens(directTokens(parts));
  return {
    clusters: {
      pass: (exchange, user) => passOn(passing, exchange, user),
      accept: (exchange, info, { name: user }) =>
        isTunnel(info) ? acceptTunnel(accepting, exchange, { info, user }) : undefined,
    },
    marking: markingClusterPaths((place) => clusterOf(stores, prefix, place)),
    authenticating: (others) => ({
      authenticate: (credentials) => {
        const { cluster, authorization } = credentials;
        if (cluster === undefined) return others.authenticate(credentials);
        // Anonymous requests are not accepted there.
        return onceKnown(tokens(authorization, cluster()), (one) => (one.outcome === 'user' ? one : REFUSED));
      },
    }),
  };
}

/** `''`: it does not exist, or is being deleted. */
function clusterOf(stores: ResourceStores, prefix: string, place: ClusterPlace): string {
  if (place.kind === 'none') return '';
  if (place.kind === 'cluster') return place.name;
  return clusterRefOf(stores, prefix, place)?.cluster ?? '';
}

/** Undefined: it does not exist, is being deleted, or is in no namespace yet. */
function placeOf(
  stores: ResourceStores,
  prefix: string,
  destination: InstanceDestination,
): Place | undefined {
  const { namespace = '' } = clusterRefOf(stores, prefix, destination) ?? {};
  return namespace === '' ? undefined : { namespace };
}

function clusterRefOf(stores: ResourceStores, prefix: string, { kind, project, name }: InstanceDestination) {
  const path = `${projectNamespace(prefix, project)}/${name}`;
  const instance = newestObject(stores, KINDS[kind], path);
  return instance?.metadata.deletionTimestamp === undefined ? instance?.spec?.clusterRef : undefined;
}
