import type { SpaceInstance } from '../../../../api/management.svc.example/v1/spaceinstance.js';
import { ClusterIndex } from '../../clusters/clusterindex.js';
import { followClusters } from '../../clusters/followclusters.js';
import type { CachedObject, ControllerContext, ResourceClient } from '../../../controllers/interface.js';

/**
 * Enqueues `namespace/name` of each space that has changed, or whose cluster has. Returns these keys by cluster;
 * a deleted space is in none.
 */
export function followSpaces(
  context: ControllerContext,
  spaces: ResourceClient<SpaceInstance>,
): Pick<ClusterIndex, 'clusterOf' | 'keysOf'> {
  const { follow, enqueue } = context;
  const index = new ClusterIndex();
  const look = (space: CachedObject<SpaceInstance>): void => {
    const key = `${space.namespace}/${space.name}`;
    index.set(key, space.object().spec?.clusterRef?.cluster ?? '');
    enqueue(key);
  };
  follow(spaces, {
    replaced() {
      index.clear();
      for (const space of spaces.list('')) look(space);
    },
    changed: look,
    deleted: ({ namespace, name }) => index.set(`${namespace}/${name}`, ''),
  });
  followClusters(context, (cluster) => {
    for (const key of index.keysOf(cluster)) enqueue(key);
  });
  return index;
}
