import { textIn } from '../../apimachinery/encoding/members.js';
import type { Connection } from '../../clusterclient/interface.js';

/** What the Secret of a virtual cluster, `vc-<name>`, has: `status` is the HTTP status of its read. */
export interface VirtualClusterSecret {
  readonly status: number;
  /** Text of its kubeconfig; undefined where it has no key {@link KUBECONFIG_KEY}. */
  readonly kubeconfig: string | undefined;
}

export const KUBECONFIG_KEY = 'config';

export const virtualClusterSecretName = (virtualCluster: string): string => `vc-${virtualCluster}`;

/** Reads it in the cluster that the virtual cluster is on. Rejects with StatusError 504. */
export async function readVirtualClusterSecret(
  host: Connection,
  namespace: string,
  virtualCluster: string,
): Promise<VirtualClusterSecret> {
  const name = virtualClusterSecretName(virtualCluster);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  const { status, object } = await host.request({ method: 'GET', path });
  // The cluster may answer anything.
  const value = textIn(object.data, KUBECONFIG_KEY);
  const kubeconfig = value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
  return { status, kubeconfig };
}
