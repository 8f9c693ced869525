import { Secret } from '../../../../api/core/v1/secret.js';
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { clusterScoped, type ResourceDefinition, type ObjectKey } from '../../../../api/resource.js';
import type { AddressPolicy } from './addresspolicy.js';
import { clusterClient, type ClusterSources } from './clusters.js';
import type { ClusterClient } from './interface.js';
import { objectPath } from '../../../registry/keys.js';
import { readStored, storeOf, type ResourceStore } from '../../../registry/resourcestore.js';
import { failure } from '../../../apimachinery/errors.js';
import type { ClusterRights } from '../clusterrights.js';
import { StorageError } from '../../../storage/interface.js';
import { KUBECONFIGS, readYaml } from '../../../server/yamlworker/readyaml.js';

export interface ClusterParts {
  readonly policy: AddressPolicy;
  /** The rights to use kubeconfigs. */
  readonly rights: Pick<ClusterRights, 'check'>;
  /** Reads Secrets that are not stored here; undefined: they are. */
  readonly secret: ClusterSources['secret'] | undefined;
  /** Connects through the tunnels of agents. */
  readonly dial: ClusterSources['dial'];
  readonly agents: ClusterSources['agents'];
  readonly followAgents: ClusterSources['followAgents'];
  readonly byAgent: ClusterSources['byAgent'];
  readonly local: ClusterSources['local'];
}

/** Connected clusters by the cached objects of this server; the store is read for missing ones. */
export function openClusters(
  stores: readonly ResourceStore[],
  { policy, rights, secret, dial, agents, followAgents, byAgent, local }: ClusterParts,
): ClusterClient {
  const read = async <D extends ResourceDefinition>(kind: D, key: ObjectKey) => {
    const store = storeOf(stores, kind);
    if (store === undefined) return undefined;
    const cached = store.cache.latest().get(objectPath(store.definition, key));
    return (cached ?? (await readStored(store, key)))?.object();
  };
  return clusterClient(
    {
      cluster: (name) => read(Cluster, clusterScoped(name)),
      secret: secret ?? ((key) => read(Secret, key)),
      async check(cluster, found) {
        try {
          return await rights.check(cluster, found);
        } catch (error) {
          if (!(error instanceof StorageError)) throw error;
          throw failure('Timeout', `the right to use the kubeconfig cannot be checked: ${error.message}`, {});
        }
      },
      dial,
      agents,
      followAgents,
      byAgent,
      local,
      readYaml: (text) => readYaml(text, KUBECONFIGS),
    },
    policy,
  );
}
