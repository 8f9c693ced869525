/** Where in this cluster the spaces and virtual clusters of projects are. */
import type { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { KubeObject } from '../../../api/resource.js';
import { projectOfNamespace } from '../../management/projects/names.js';
import type { Destination, Place, Places } from '../interface.js';
import type { ObjectSink } from './follow.js';

export interface FollowedPlaces extends Places {
  readonly spaces: ObjectSink;
  readonly virtualClusters: ObjectSink;
}

/**
 * @param cluster the name of the Cluster that the agent is in: instances of others are not kept
 * @param projectNamespacePrefix what the namespaces of projects begin with
 */
export function followedPlaces(cluster: string, projectNamespacePrefix: string): FollowedPlaces {
  const kept = {
    space: new Map<string, Place>(),
    virtualcluster: new Map<string, Place>(),
  };
  function sink(places: Map<string, Place>): ObjectSink {
    const keyOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): string =>
      `${projectOfNamespace(projectNamespacePrefix, namespace) ?? ''}/${name}`;
    const put = (object: KubeObject): void => {
      const place = placeIn(object, cluster);
      if (place === undefined) places.delete(keyOf(object));
      else places.set(keyOf(object), place);
    };
    return {
      replace(objects) {
        places.clear();
        objects.forEach(put);
      },
      put,
      remove: (object) => void places.delete(keyOf(object)),
    };
  }
  return {
    spaces: sink(kept.space),
    virtualClusters: sink(kept.virtualcluster),
    find: ({ kind, project, name }: Exclude<Destination, { kind: 'cluster' }>) =>
      kept[kind].get(`${project}/${name}`),
  };
}

/** Undefined: in another cluster, in none yet, or about to be gone. */
function placeIn(object: KubeObject, cluster: string): Place | undefined {
  const { metadata, spec }: KubeObject & Pick<VirtualClusterInstance, 'spec'> = object;
  const { cluster: own, namespace = '', virtualCluster = '' } = spec?.clusterRef ?? {};
  if (own !== cluster || namespace === '' || metadata.deletionTimestamp !== undefined) return undefined;
  return { namespace, ...(virtualCluster !== '' && { virtualCluster }) };
}
