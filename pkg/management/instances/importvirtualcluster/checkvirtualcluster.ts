import { ProjectImportVirtualCluster } from '../../../../api/management.svc.example/v1/projectimportvirtualcluster.js';
import { fieldInvalid, invalid, quote } from '../../../apimachinery/errors.js';
import type { ClusterClient, Connection } from '../../clusters/client/interface.js';
import {
  KUBECONFIG_KEY,
  readVirtualClusterSecret,
  virtualClusterSecretName,
} from '../virtualclustersecret.js';

/** Identifies a virtual cluster in its host cluster. */
export interface VirtualClusterPlace {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Checks that the Secret of the virtual cluster exists and has a kubeconfig. Throws StatusError: 422 if not, 400 for
 * a refused kubeconfig, 504 if the cluster does not respond.
 */
export async function checkVirtualCluster(
  connection: Connection,
  clusters: Pick<ClusterClient, 'connectBy'>,
  { cluster, namespace, name }: VirtualClusterPlace,
): Promise<void> {
  const { status, kubeconfig } = await readVirtualClusterSecret(connection, namespace, name);
  const where = `Secret ${quote(virtualClusterSecretName(name))} in namespace ${quote(namespace)} of cluster ${quote(cluster)}`;
  const refuse = (why: string): Error =>
    invalid(ProjectImportVirtualCluster, '', [fieldInvalid('sourceVirtualCluster.name', name, why)]);
  if (status === 404) throw refuse(`is no virtual cluster: there is no ${where}`);
  if (status !== 200) throw refuse(`cannot be looked at: the cluster answers ${status} for ${where}`);
  if (kubeconfig === undefined)
    throw refuse(`is no virtual cluster: ${where} has no key ${quote(KUBECONFIG_KEY)}`);
  (await clusters.connectBy(`virtual cluster ${quote(name)}`, kubeconfig)).close();
}
