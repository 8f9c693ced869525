import { textIn } from '../../apimachinery/encoding/members.js';
import type { Connection } from '../clusters/client/interface.js';

/** The content of a virtual cluster's Secret, `vc-<name>`; `status` is the HTTP status of the read. */
export interface VirtualClusterSecret {
  readonly status: number;
  /** The kubeconfig; undefined if the Secret lacks the key {@link KUBECONFIG_KEY}. */
  readonly kubeconfig: string | undefined;
}

export const KUBECONFIG_KEY = 'config';

export const virtualClusterSecretName = (virtualCluster: string): string => `vc-${virtualCluster}`;

/** Reads the Secret in the virtual cluster's host cluster. Rejects with StatusError 504. */
export async function readVirtualClusterSecret(
  host: Connection,
  namespace: string,
  virtualCluster: string,
): Promise<VirtualClusterSecret> {
  const name = virtualClusterSecretName(virtualCluster);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  const { status, object } = await host.request({ method: 'GET', path });
  // The cluster may return anything.
  const value = textIn(object.data, KUBECONFIG_KEY);
  const kubeconfig = value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
  return { status, kubeconfig };
}
