import type { AddressPolicy } from '../../pkg/clusterclient/addresspolicy.js';
import type { ClusterSources } from '../../pkg/clusterclient/clusters.js';
import { clusterClient } from '../../pkg/clusterclient/clusters.js';
import type { ClusterClient } from '../../pkg/clusterclient/interface.js';
import { objectPath } from '../../pkg/registry/keys.js';
import type { ResourceStore } from '../../pkg/registry/resourcestore.js';
import { readStored } from '../../pkg/registry/resourcestore.js';
import { readYaml } from '../../pkg/server/yamlthread/readyaml.js';

/**
 * Connected clusters by the objects of this server, from memory; what is not there yet is looked for in the store.
 * `secret`: finds Secrets that are not kept here.
 */
export function openClusters(
  stores: readonly ResourceStore[],
  policy: AddressPolicy,
  secret?: ClusterSources['secret'],
): ClusterClient {
  const read = async (kind: string, namespace: string, name: string) => {
    const store = stores.find(({ definition }) => definition.kind === kind);
    if (store === undefined) return undefined;
    const cached = store.cache.latest().get(objectPath(store.definition, namespace, name));
    return (cached ?? (await readStored(store, namespace, name)))?.object();
  };
  return clusterClient(
    {
      cluster: (name) => read('Cluster', '', name),
      secret: secret ?? ((namespace, name) => read('Secret', namespace, name)),
      readYaml,
    },
    policy,
  );
}
