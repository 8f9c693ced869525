/** Connections to the API servers with Secrets. */
import { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { Connection } from '../clusters/client/interface.js';
import { resourceOf } from '../../controllers/interface.js';
import type { ManagementContext } from '../controllercontext.js';

/**
 * How long a connection to a virtual cluster is used. The right to the kubeconfig of a cluster is checked
 * each time.
 */
const REUSE_MS = 60_000;
/** All watches over a connection have ended after this time. */
const WATCHED_MS = 120_000;

export interface PlaceConnection {
  connect(): Promise<Connection>;
  close(): void;
}

/** `place`: as instances name it. Connecting rejects with StatusError. */
export function placeConnection(
  { client, clusters, virtualClusters }: ManagementContext<'clusters' | 'virtualClusters'>,
  place: string,
): PlaceConnection {
  const [kind, ...path] = place.split('/');
  if (kind === 'cluster') return { connect: () => clusters.connect(path.join('/')), close: () => undefined };
  const [namespace = '', name = ''] = path;
  const instances = resourceOf(client, VirtualClusterInstance);
  /** `to`: the API server. */
  let current:
    | { readonly connection: Promise<Connection>; readonly until: number; readonly to: string }
    | undefined;
  const drop = (afterMs: number): void => {
    const before = current?.connection;
    current = undefined;
    const close = (): void => void before?.then((connection) => connection.close()).catch(() => undefined);
    if (before !== undefined) setTimeout(close, afterMs).unref();
  };
  return {
    connect() {
      const instance = instances.cached({ namespace, name })?.object();
      if (instance === undefined) return Promise.reject(new Error('the virtual cluster is gone'));
      const to = JSON.stringify([instance.metadata.uid, instance.spec?.clusterRef]);
      if (current !== undefined && current.to === to && performance.now() < current.until)
        return current.connection;
      drop(WATCHED_MS);
      const connection = virtualClusters.connect(instance);
      current = { connection, until: performance.now() + REUSE_MS, to };
      connection.catch(() => current?.connection === connection && drop(0));
      return connection;
    },
    close: () => drop(0),
  };
}
