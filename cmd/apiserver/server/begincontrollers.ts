import { MirrorRights } from '../../../pkg/management/projectsecrets/mirrorrights.js';
import { standingRightsOf } from '../../../pkg/management/standingrights/people.js';
import { SyncRights } from '../../../pkg/management/clustersecrets/syncrights.js';
import { loggableError } from '../../../pkg/server/logging/loggableerror.js';
import { virtualClusterBindingsOf } from '../../../pkg/management/instances/virtualclusterbindings/bindings.js';
import type { StartOptions } from './controllers.js';
import type { State } from './storagebacked.js';
import type { Operations } from './telemetry.js';
import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { badRequest, quote } from '../../../pkg/apimachinery/errors.js';
import type { VirtualClusters } from '../../../pkg/management/controllercontext.js';
import { eventExpiry } from '../../../pkg/controllers/reaper/expiry.js';
import { accessKeyExpiry } from '../../../pkg/management/accesskeys/removaltime.js';
import { INVITATION_EXPIRY } from '../../../pkg/management/invitations/expiry.js';
import { TOKEN_EXPIRIES } from '../../../pkg/management/directtokens/expiry.js';
import { projectOfNamespace } from '../../../pkg/management/projects/names.js';
import { cacheOf } from '../../../pkg/registry/keys.js';
import { ingressUrl } from '../../../pkg/management/instances/kubeconfig/accesspoint.js';
import { placeOf } from '../../../pkg/management/instances/kubeconfig/bindingrecord.js';
import { connectInside } from '../../../pkg/management/instances/kubeconfig/inside.js';

/** `prefix`: of the namespaces of projects. */
function virtualClustersOf({ registry, clusters }: State, prefix: string): VirtualClusters {
  return {
    async connect(instance) {
      const { name = '', namespace = '' } = instance.metadata;
      const place = placeOf(instance);
      if (place === undefined) throw badRequest(`virtual cluster ${quote(name)} is on no cluster`);
      const cluster = cacheOf(registry.cache, Cluster).latest().get(place.cluster)?.object();
      const server = ingressUrl(instance, cluster, projectOfNamespace(prefix, namespace));
      return connectInside({ what: `virtual cluster ${quote(name)}`, place, server }, clusters);
    },
  };
}

/** The options of controllers that depend on the mode. */
export type ControllerParts = Pick<
  StartOptions,
  'others' | 'shared' | 'leaseNamespace' | 'aggregated' | 'authority'
>;

/** Loads and starts the controllers in the background; the shutdown hooks stop them. */
export function beginControllers(operations: Operations, state: State, parts: ControllerParts): void {
  const { config, log, shutdownHooks } = operations;
  const { controllers: chosen, eventTtlMs, accessKeyRetentionMs, settings } = config;
  const { storage, registry, clusters, clusterRights } = state;
  const { projectNamespacePrefix } = settings;
  const options: StartOptions = {
    ...parts,
    stores: registry.stores,
    clusters,
    clusterRights,
    mirrorRights: new MirrorRights(storage, standingRightsOf(state)),
    syncRights: new SyncRights(standingRightsOf(state)),
    virtualClusterBindings: virtualClusterBindingsOf(state, projectNamespacePrefix),
    virtualClusters: virtualClustersOf(state, projectNamespacePrefix),
    chosen,
    expiries: [
      eventExpiry(eventTtlMs),
      accessKeyExpiry(accessKeyRetentionMs),
      ...TOKEN_EXPIRIES,
      INVITATION_EXPIRY,
    ],
    projectNamespacePrefix,
    log,
  };
  const starting = import('./controllers.js').then(({ startControllers }) => {
    const controllers = startControllers(options);
    operations.controllers.running = controllers.running;
    operations.controllers.leadership = controllers.leadership;
    return controllers;
  });
  starting.catch((error: unknown) =>
    log.error({ error: loggableError(error) }, 'the controllers do not run'),
  );
  shutdownHooks.push(async () => (await starting).stop());
}
