import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { resourceOf, type ControllerContext } from '../../controllers/interface.js';

/**
 * Calls `changed` with the name of a Cluster that was deleted, whose spec has changed, or that went online or
 * offline.
 */
export function followClusters(
  { client, follow }: Pick<ControllerContext, 'client' | 'follow'>,
  changed: (cluster: string) => void,
): void {
  follow(resourceOf(client, Cluster), {
    replaced: () => undefined,
    changed(cluster, previous) {
      const [next, before] = [cluster.object(), previous?.object()];
      const same =
        next.metadata.generation === before?.metadata.generation &&
        next.status?.online === before?.status?.online;
      if (!same) changed(cluster.name);
    },
    deleted: ({ name }) => changed(name),
  });
}
