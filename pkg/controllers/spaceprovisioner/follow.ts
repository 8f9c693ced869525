import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import type { CachedObject, ControllerContext, ResourceClient } from '../interface.js';
import { resourceOf } from '../interface.js';

/** Enqueues `namespace/name` of each space that something happened to, or to whose cluster. */
export function followSpaces(
  { client, follow, enqueue }: ControllerContext,
  spaces: ResourceClient<SpaceInstance>,
): void {
  const look = ({ namespace, name }: CachedObject): void => enqueue(`${namespace}/${name}`);
  follow(spaces, {
    replaced() {
      for (const space of spaces.list('')) look(space);
    },
    changed: look,
    deleted: () => undefined,
  });
  const lookOn = (cluster: string): void => {
    for (const space of spaces.list(''))
      if (space.object().spec?.clusterRef?.cluster === cluster) look(space);
  };
  follow(resourceOf(client, Cluster), {
    replaced: () => undefined,
    changed(cluster, previous) {
      const [next, before] = [cluster.object(), previous?.object()];
      const same =
        next.metadata.generation === before?.metadata.generation &&
        next.status?.online === before?.status?.online;
      if (!same) lookOn(cluster.name);
    },
    deleted: ({ name }) => lookOn(name),
  });
}
