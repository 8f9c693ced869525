/** Fills labelled Secrets in spaces and virtual clusters from SharedSecrets and ProjectSecrets. */
import { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { followClusters } from '../clusters/followclusters.js';
import {
  resourceOf,
  type CachedObject,
  type ResourceClient,
  type ControllerContext,
} from '../../controllers/interface.js';
import type { ManagementController, ManagementContext } from '../controllercontext.js';
import { isSynced } from './projectsync.js';
import { PROJECT, SOURCE, SyncedPlaces } from './syncedplaces.js';
import { sourceOfRight } from './wanted.js';

/**
 * Rights of another API server take effect there a moment after its watches report them: they are checked
 * again after this time.
 */
const SETTLED_MS = 2_000;
/** How often all Secrets are checked, as a change may be missed. */
const ALL_MS = 60_000;

/**
 * A Secret is emptied without its source, and without the right of its place's owner, as a revoked secret
 * must not stay there.
 */
export const clusterSecretSyncController: ManagementController<
  'clusters' | 'virtualClusters' | 'syncRights' | 'projectNamespacePrefix'
> = {
  name: 'cluster-secret-sync-controller',
  user: 'cluster-secret-sync',
  workers: 8,
  clusterWorkers: 1,
  start(context) {
    const places = new SyncedPlaces(context);
    followInstances(context, places);
    followSources(context, places);
    // A cluster is contacted again at once when its kubeconfig may have changed, or may be usable again.
    followClusters(context, (cluster) => places.retry(`cluster/${cluster}`));
    context.every(ALL_MS, () => places.round());
    context.onStop(() => places.stop());
    return {
      clusterOf: (key) => (places.isPlace(key) ? key : ''),
      async reconcile(key) {
        if (key.startsWith(SOURCE)) places.sourceChanged(key.slice(SOURCE.length));
        else await places.reconcile(key);
      },
      metrics: [
        {
          name: 'management_apiserver_cluster_secrets',
          help: 'Labelled Secrets in connected clusters.',
          type: 'gauge',
          series: () => [{ labels: {}, value: places.counts().secrets }],
        },
        {
          name: 'management_apiserver_cluster_secrets_waiting',
          help: 'Those that are to be looked at.',
          type: 'gauge',
          series: () => [{ labels: {}, value: places.counts().waiting }],
        },
        {
          name: 'management_apiserver_cluster_secret_writes_total',
          help: 'Writes of them.',
          type: 'counter',
          series: () => [{ labels: {}, value: places.counts().writes }],
        },
      ],
    };
  },
};

function followInstances({ client, follow }: ControllerContext, places: SyncedPlaces): void {
  const each = <T extends SpaceInstance | VirtualClusterInstance>(resource: ResourceClient<T>): void => {
    const { kind } = resource.definition;
    const keyOf = ({ namespace, name }: CachedObject): string => `${kind}/${namespace}/${name}`;
    follow(resource, {
      replaced() {
        const all = new Set<string>();
        for (const one of resource.list('')) {
          all.add(keyOf(one));
          places.set(keyOf(one), one.object());
        }
        places.keepOnly(kind, all);
      },
      changed: (one) => places.set(keyOf(one), one.object()),
      deleted: (one) => places.set(keyOf(one), undefined),
    });
  };
  each(resourceOf(client, SpaceInstance));
  each(resourceOf(client, VirtualClusterInstance));
}

/** Watches sources and the rights of owners to them. */
function followSources(
  { client, follow, enqueue, syncRights, onStop }: ManagementContext<'syncRights'>,
  places: SyncedPlaces,
): void {
  const { cancel } = syncRights.follow((key) => {
    const source = sourceOfRight(key);
    places.sourceChanged(source);
    enqueue(SOURCE + source, SETTLED_MS);
  });
  onStop(cancel);
  for (const resource of [resourceOf(client, SharedSecret), resourceOf(client, ProjectSecret)]) {
    const changed = ({ namespace, name }: CachedObject): void =>
      places.sourceChanged(`${resource.definition.plural}/${namespace}/${name}`);
    follow(resource, { replaced: () => places.enqueueAll(), changed, deleted: changed });
  }
  const projectSecrets = resourceOf(client, ProjectSecret);
  follow(projectSecrets, {
    replaced() {
      for (const secret of projectSecrets.list('')) this.changed(secret, undefined);
    },
    changed(secret) {
      if (isSynced(secret.object())) enqueue(PROJECT + secret.namespace);
    },
    deleted: () => undefined,
  });
}
