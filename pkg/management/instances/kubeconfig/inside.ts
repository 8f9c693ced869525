/** Connects to a virtual cluster through its ingress, with the credentials in its cluster. */
import { badRequest, type StatusError } from '../../../apimachinery/errors.js';
import type { ClusterClient, Connection } from '../../clusters/client/interface.js';
import { readVirtualClusterSecret, virtualClusterSecretName } from '../virtualclustersecret.js';
import type { Place } from './bindingrecord.js';

export interface Inside {
  /** The name of the virtual cluster in errors. */
  readonly what: string;
  readonly place: Place;
  /** URL of the ingress. */
  readonly server: string;
}

/** The caller closes it. Throws StatusError 400, 404, 504. */
export async function connectInside(
  { what, place, server }: Inside,
  clusters: Pick<ClusterClient, 'connect' | 'connectBy'>,
): Promise<Connection> {
  const { cluster, namespace, virtualCluster } = place;
  const host = await clusters.connect(cluster);
  const secret = virtualClusterSecretName(virtualCluster);
  const { status, kubeconfig: found = '' } = await readVirtualClusterSecret(host, namespace, virtualCluster);
  if (status !== 200 || found === '') throw noCredentials(what, cluster, `${namespace}/${secret}`, status);
  const inside = await clusters.connectBy(what, found, server);
  if (inside.authority !== undefined) return inside;
  inside.close();
  // Users choose the ingress, so the credentials are only sent to a server with the virtual cluster's certificate.
  throw badRequest(
    `${what} cannot be authenticated: its kubeconfig in Secret ${namespace}/${secret} of cluster "${cluster}" has no certificate-authority-data`,
  );
}

function noCredentials(what: string, cluster: string, secret: string, status: number): StatusError {
  const why = status === 200 ? 'has no key "config"' : `cannot be read (${status})`;
  return badRequest(`${what} has no credentials: Secret ${secret} of cluster "${cluster}" ${why}`);
}
