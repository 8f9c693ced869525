/** Clusters that are reached through this server: their agents dial it, and requests with their tokens go that way. */
import type { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import type { KubeObject } from '../../../api/resource.js';
import { inFlight } from '../../../pkg/agent/inflight.js';
import { directTokenAuthenticator } from '../../../pkg/authentication/directtoken/authenticator.js';
import { clusterTokens } from '../../../pkg/authentication/directtoken/forcluster.js';
import type { Authenticator } from '../../../pkg/authentication/interface.js';
import { REFUSED } from '../../../pkg/authentication/interface.js';
import { projectNamespace } from '../../../pkg/management/projects/names.js';
import type { ClusterTunnels } from '../../../pkg/server/handler.js';
import type { Handler } from '../../../pkg/server/httpexchange.js';
import type { ResourceStores } from '../../../pkg/server/resources.js';
import { acceptTunnel, isTunnel } from '../../../pkg/tunnel/accept.js';
import type { ClusterPlace } from '../../../pkg/tunnel/clusterpaths.js';
import { withClusterPaths } from '../../../pkg/tunnel/mark.js';
import { passOn } from '../../../pkg/tunnel/pass.js';
import { clusterTunnels } from '../../../pkg/tunnel/tunnels.js';
import type { Parts } from '../server/assemble.js';

export interface OpenTunnels {
  readonly clusters: ClusterTunnels;
  /** Marks what is passed on. */
  marking(handler: Handler): Handler;
  /** Of marked requests tokens for their cluster alone count; `others` judges the rest. */
  authenticating(others: Authenticator): Authenticator;
}

/** Of each limit, what one user may have. */
const SHARE = 1 / 8;
const PLURALS = { cluster: 'clusters', space: 'spaceinstances', virtualcluster: 'virtualclusterinstances' };

export function openTunnels(parts: Parts): OpenTunnels {
  const { stores, presence, operations } = parts;
  const { config, watches } = operations;
  const uidOf = (name: string): string | undefined => newest(stores, 'clusters', name)?.metadata.uid;
  const tunnels = clusterTunnels(uidOf);
  const { reads, watches: most } = config.limits;
  const limits = { requests: reads || Infinity, lasting: most || Infinity, share: SHARE };
  const passing = { tunnels, watches, inFlight: inFlight(limits) };
  const accepting = { tunnels, watches, uidOf, presence };
  const prefix = config.settings.projectNamespacePrefix;
  const tokens = tokensOf(parts);
  return {
    clusters: {
      pass: (exchange, user) => passOn(passing, exchange, user),
      isTunnel,
      accept: (exchange, info) => acceptTunnel(accepting, exchange, info),
    },
    marking: (handler) => withClusterPaths(handler, (place) => clusterOf(stores, prefix, place)),
    authenticating: (others) => ({
      authenticate: (credentials) => {
        const { cluster, authorization } = credentials;
        if (cluster === undefined) return others.authenticate(credentials);
        const answer = tokens(authorization, cluster());
        const known = (one: Awaited<typeof answer>) => (one.outcome === 'user' ? one : REFUSED);
        // Nobody is anonymous there.
        return answer instanceof Promise ? answer.then(known) : known(answer);
      },
    }),
  };
}

function tokensOf({
  signingKeys,
  identities,
  accessKeys,
  operations,
}: Parts): ReturnType<typeof clusterTokens> {
  const audience = operations.config.issuing.directEndpointAudience;
  const direct = directTokenAuthenticator({
    ...{ keys: signingKeys, identities, audience },
    madeWithEnd: (key) => accessKeys.lifetimes.madeWithEnd(key),
  });
  return clusterTokens(direct, audience);
}

function newest(stores: ResourceStores, resource: string, path: string): KubeObject | undefined {
  const store = stores.find({ group: 'management.svc.example', version: 'v1', resource });
  return store?.cache.latest().get(path)?.object();
}

/** `''`: there is none, or it is about to be gone. */
function clusterOf(stores: ResourceStores, prefix: string, place: ClusterPlace): string {
  if (place.kind === 'none') return '';
  if (place.kind === 'cluster') return place.name;
  const path = `${projectNamespace(prefix, place.project)}/${place.name}`;
  const instance = newest(stores, PLURALS[place.kind], path) as SpaceInstance | undefined;
  if (instance === undefined || instance.metadata.deletionTimestamp !== undefined) return '';
  return instance.spec?.clusterRef?.cluster ?? '';
}
