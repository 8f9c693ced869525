import { MirrorRights } from '../../../pkg/authorization/standing/mirrorrights.js';
import { standingRightsOf } from '../../../pkg/authorization/standing/people.js';
import { SyncRights } from '../../../pkg/authorization/standing/syncrights.js';
import { loggableError } from '../../../pkg/server/logging/loggableerror.js';
import { virtualClusterBindingsOf } from './bindingrights.js';
import type { StartOptions } from './controllers.js';
import type { State } from '../server/storagebacked.js';
import type { Operations } from '../server/telemetry.js';
import { virtualClustersOf } from './virtualclusters.js';

/** The options of controllers that depend on the mode. */
export type ControllerParts = Pick<
  StartOptions,
  'others' | 'shared' | 'leaseNamespace' | 'aggregated' | 'authority'
>;

/** Loads and starts the controllers in the background; the shutdown hooks stop them. */
export function beginControllers(operations: Operations, state: State, parts: ControllerParts): void {
  const { config, log, shutdownHooks, controllers: running } = operations;
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
    eventTtlMs,
    accessKeyRetentionMs,
    projectNamespacePrefix,
    log,
  };
  const starting = import('./controllers.js').then(({ startControllers }) => {
    const controllers = startControllers(options);
    running.running = controllers.running;
    running.leadership = controllers.leadership;
    return controllers;
  });
  starting.catch((error: unknown) =>
    log.error({ error: loggableError(error) }, 'the controllers do not run'),
  );
  shutdownHooks.push(async () => (await starting).stop());
}
