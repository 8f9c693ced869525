import { ProjectImportVirtualCluster } from '../../../../api/management.svc.example/v1/projectimportvirtualcluster.js';
import { fieldInvalid, invalid, quote } from '../../../apimachinery/errors.js';
import type { ClusterClient, Connection } from '../../../clusterclient/interface.js';

/** What names a virtual cluster in its host cluster. */
export interface VirtualClusterPlace {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** The key of a virtual cluster's kubeconfig in its Secret. */
const KEY = 'config';

/**
 * There is a virtual cluster where its Secret is, with a kubeconfig. Throws StatusError: 422 where there is none, 400
 * where its kubeconfig is refused, 504 where the cluster does not answer.
 */
export async function checkVirtualCluster(
  connection: Connection,
  clusters: Pick<ClusterClient, 'connectBy'>,
  { cluster, namespace, name }: VirtualClusterPlace,
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets/vc-${name}`;
  const { status, object } = await connection.request({ method: 'GET', path });
  const where = `Secret ${quote(`vc-${name}`)} in namespace ${quote(namespace)} of cluster ${quote(cluster)}`;
  const refuse = (why: string): Error =>
    invalid(ProjectImportVirtualCluster, '', [fieldInvalid('sourceVirtualCluster.name', name, why)]);
  if (status === 404) throw refuse(`is no virtual cluster: there is no ${where}`);
  if (status !== 200) throw refuse(`cannot be looked at: the cluster answers ${status} for ${where}`);
  const kubeconfig = (object.data as Record<string, string> | undefined)?.[KEY];
  if (kubeconfig === undefined) throw refuse(`is no virtual cluster: ${where} has no key ${quote(KEY)}`);
  const text = Buffer.from(kubeconfig, 'base64').toString('utf8');
  (await clusters.connectBy(`virtual cluster ${quote(name)}`, text)).close();
}
