/** Connections by the kubeconfigs of Clusters, while their rights hold. */
import type { ClientRequest } from 'node:http';
import { StatusError } from '../apimachinery/errors.js';
import type { UpstreamRequest } from '../agent/interface.js';

export interface KubeconfigConnection {
  /** Begins a request with the credentials of the kubeconfig. Rejects with StatusError. */
  open(request: UpstreamRequest): Promise<ClientRequest>;
}

export interface Kubeconfigs {
  /** Rejects with StatusError if no kubeconfig of the Cluster can be used. */
  connect(cluster: string): Promise<KubeconfigConnection>;
  /** Whether the Cluster has the same kubeconfig, and it may still be used. True while that cannot be determined. */
  isCurrent(cluster: string, used: KubeconfigConnection): Promise<boolean>;
}

/** Each check reads the store: one a second for all requests into a cluster. */
const CHECKED_MS = 900;

interface Checked {
  readonly at: number;
  readonly answer: Promise<KubeconfigConnection | undefined>;
}

/** `connect` returns the same connection while the kubeconfig is the same. */
export function kubeconfigsOf(connect: Kubeconfigs['connect']): Kubeconfigs {
  const checked = new Map<string, Checked>();
  const check = (cluster: string): Checked => {
    const answer = connect(cluster).catch((error: unknown) => {
      if (!(error instanceof StatusError) || error.code >= 500) return undefined;
      checked.delete(cluster);
      return GONE;
    });
    return { at: performance.now(), answer };
  };
  return {
    connect,
    async isCurrent(cluster, used) {
      const known = checked.get(cluster);
      const fresh = known !== undefined && performance.now() - known.at < CHECKED_MS ? known : check(cluster);
      checked.set(cluster, fresh);
      const now = await fresh.answer;
      return now === undefined || now === used;
    },
  };
}

const GONE: KubeconfigConnection = { open: () => Promise.reject(new Error('it is not used')) };
