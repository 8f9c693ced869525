import type { HostSettings } from './configuration.js';
import { hostConfiguration } from './configuration.js';
import { HostConnections } from './connections.js';
import type { HostClient } from './interface.js';
import { sendRequest } from './send.js';
import { watchEvents } from './watch.js';

/** Where the host's API server is: a kubeconfig, or the Pod that this process runs in. */
export interface HostTarget {
  /** A path. */
  readonly kubeconfig?: string | undefined;
  /** Answers the settings as they are now, in place of what the kubeconfig says. */
  readonly settings?: () => Promise<HostSettings>;
}

/**
 * A client of the host. Nothing is sent yet: a host that is away is met by the first request. Rejects with
 * HostConfigurationError.
 */
export async function connectHost({ kubeconfig, settings }: HostTarget): Promise<HostClient> {
  const connections = new HostConnections(settings ?? (await hostConfiguration(kubeconfig)));
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
