/** The locations of the projects' spaces and virtual clusters in this cluster. */
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
 * @param cluster the name of the agent's Cluster; instances in others are ignored
 * @param projectNamespacePrefix the prefix of the namespaces of projects
 */
export function followedPlaces(cluster: string, projectNamespacePrefix: string): FollowedPlaces {
  const places = {
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
    spaces: sink(places.space),
    virtualClusters: sink(places.virtualcluster),
    find: ({ kind, project, name }: Exclude<Destination, { kind: 'cluster' }>) =>
      places[kind].get(`${project}/${name}`),
  };
}

/** Undefined: it is in another cluster, not placed yet, or being deleted. */
function placeIn(object: KubeObject, cluster: string): Place | undefined {
  const { metadata, spec }: KubeObject & Pick<VirtualClusterInstance, 'spec'> = object;
  const { cluster: own, namespace = '', virtualCluster = '' } = spec?.clusterRef ?? {};
  if (own !== cluster || namespace === '' || metadata.deletionTimestamp !== undefined) return undefined;
  return { namespace, ...(virtualCluster !== '' && { virtualCluster }) };
}
