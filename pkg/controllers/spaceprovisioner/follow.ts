import type { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import { followClusters } from '../followclusters.js';
import type { CachedObject, ControllerContext, ResourceClient } from '../interface.js';

/** Enqueues `namespace/name` of each space that has changed, or whose cluster has. */
export function followSpaces(context: ControllerContext, spaces: ResourceClient<SpaceInstance>): void {
  const { follow, enqueue } = context;
  const look = ({ namespace, name }: CachedObject): void => enqueue(`${namespace}/${name}`);
  follow(spaces, {
    replaced() {
      for (const space of spaces.list('')) look(space);
    },
    changed: look,
    deleted: () => undefined,
  });
  followClusters(context, (cluster) => {
    for (const space of spaces.list(''))
      if (space.object().spec?.clusterRef?.cluster === cluster) look(space);
  });
}
