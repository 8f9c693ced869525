/** Connections to the API servers of virtual clusters, for the controllers. */
import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { badRequest, quote } from '../../../pkg/apimachinery/errors.js';
import type { VirtualClusters } from '../../../pkg/controllers/interface.js';
import { projectOfNamespace } from '../../../pkg/management/projects/names.js';
import { cacheOf } from '../../../pkg/registry/keys.js';
import { ingressUrl } from '../../../pkg/registry/management/virtualclusterinstancekubeconfig/accesspoint.js';
import { placeOf } from '../../../pkg/registry/management/virtualclusterinstancekubeconfig/bindingrecord.js';
import { connectInside } from '../../../pkg/registry/management/virtualclusterinstancekubeconfig/inside.js';
import type { State } from '../server/storagebacked.js';

/** `prefix`: of the namespaces of projects. */
export function virtualClustersOf({ registry, clusters }: State, prefix: string): VirtualClusters {
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
