import { hostConfiguration, type HostSettings } from './configuration.js';
import { HostConnections, poolsFor } from './connections.js';
import type { HostClient } from './interface.js';
import { sendRequest } from './send.js';
import { watchEvents } from './watch.js';

/** The source of the host's address: a kubeconfig, or the Pod that this process runs in. */
export interface HostTarget {
  /** A path. */
  readonly kubeconfig?: string | undefined;
  /** Returns the current settings, instead of those of the kubeconfig. */
  readonly settings?: () => Promise<HostSettings>;
}

/**
 * Returns a client of the host. Sends nothing yet, so only the first request finds an unreachable host.
 * Rejects with HostConfigurationError.
 */
export async function connectHost({ kubeconfig, settings }: HostTarget): Promise<HostClient> {
  const read = settings ?? (await hostConfiguration(kubeconfig));
  const connections = new HostConnections(read, poolsFor);
  const closed = new AbortController();
  return {
    send: (request) => sendRequest(connections, request, closed.signal),
    watch: (path, signal, begun) => watchEvents(connections, path, signal, closed.signal, begun),
    close() {
      closed.abort();
      connections.close();
    },
  };
}
