import { connectHost } from '../../../pkg/hostclient/connect.js';
import type { HostClient } from '../../../pkg/hostclient/interface.js';
import type { HostConfig } from './hostconfig.js';
import type { Operations } from '../server/telemetry.js';
import { inWords, StartError } from '../starterror.js';

/** The clients of the cluster by purpose. */
export interface HostClients {
  readonly objects: HostClient;
  readonly authentication: HostClient;
  readonly authorization: HostClient;
}

/** Clients of the same kubeconfig are shared. Throws StartError for an invalid one. */
export async function connectHosts(
  { shutdownHooks }: Pick<Operations, 'shutdownHooks'>,
  { kubeconfig, authenticationKubeconfig, authorizationKubeconfig }: HostConfig,
): Promise<HostClients> {
  const clients = new Map<string | undefined, HostClient>();
  const client = async (path: string | undefined, flag: string): Promise<HostClient> => {
    const known = clients.get(path);
    if (known !== undefined) return known;
    try {
      const made = await connectHost({ kubeconfig: path });
      clients.set(path, made);
      shutdownHooks.push(() => made.close());
      return made;
    } catch (error) {
      throw new StartError(`--${flag}: ${inWords(error)}`, { cause: error });
    }
  };
  return {
    objects: await client(kubeconfig, 'kubeconfig'),
    authentication: await client(authenticationKubeconfig, 'authentication-kubeconfig'),
    authorization: await client(authorizationKubeconfig, 'authorization-kubeconfig'),
  };
}
