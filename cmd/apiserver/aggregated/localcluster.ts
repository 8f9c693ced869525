/** The host's cluster as one of the connected clusters. */
import type { ClusterSources } from '../../../pkg/management/clusters/client/clusters.js';
import { connectionBy } from '../../../pkg/management/clusters/client/connection.js';
import type { Connection } from '../../../pkg/management/clusters/client/interface.js';
import { failure } from '../../../pkg/apimachinery/errors.js';
import { HostConfigurationError, hostConfiguration } from '../../../pkg/hostclient/configuration.js';
import { HostConnections, poolsFor, type Pools, type Settled } from '../../../pkg/hostclient/connections.js';
import type { ShutdownHooks } from '../server/shutdownhooks.js';
import type { HostConfig } from '../options/hostconfig.js';

/** Undefined: it is not connected. Its address is not checked, as no user sets it. */
export function localCluster(
  { kubeconfig, localCluster: name }: Pick<HostConfig, 'kubeconfig' | 'localCluster'>,
  shutdownHooks: ShutdownHooks,
): ClusterSources['local'] {
  if (name === undefined) return undefined;
  let made: Promise<Connection> | undefined;
  const open = async (): Promise<Connection> => {
    const connection = await connectHere(`cluster "${name}"`, kubeconfig);
    shutdownHooks.push(() => connection.close());
    return connection;
  };
  return {
    name,
    connect() {
      const making = (made ??= open());
      making.catch(() => (made = undefined));
      return making;
    },
  };
}

/** The account of this server may impersonate nobody there. */
const notForUsers = (what: string): Error =>
  failure(
    'ServiceUnavailable',
    `${what} is the one that this server runs in: use your own kubeconfig of it`,
    {},
  );

/** Connects with the current credentials of this server. Rejects with StatusError 504. */
async function connectHere(what: string, kubeconfig: string | undefined): Promise<Connection> {
  const unreadable = (error: unknown): Error =>
    error instanceof HostConfigurationError
      ? failure('Timeout', `${what} cannot be reached: ${error.message}`, {})
      : new Error('the configuration of the host cannot be read', { cause: error });
  const read = await hostConfiguration(kubeconfig).catch((error: unknown) => {
    throw unreadable(error);
  });
  const connections = new HostConnections(read, poolsFor);
  const current = async (): Promise<Settled<Pools>> => {
    try {
      return await connections.current();
    } catch (error) {
      throw unreadable(error);
    }
  };
  const { server, tls } = (await current()).settings;
  const connection = connectionBy(what, {
    server,
    authority: tls.ca === undefined ? undefined : String(tls.ca),
    async options(purpose) {
      if (purpose === 'users') throw notForUsers(what);
      const { settings, agents } = await current();
      const { headers, auth, tls: certificates } = settings;
      return { ...certificates, headers, ...(auth !== undefined && { auth }), agent: agents[purpose] };
    },
    close: () => connections.close(),
  });
  const reportAnswer = (status: number): void => {
    if (status === 401) connections.refused();
  };
  return {
    ...connection,
    isLocal: true,
    async request(request) {
      const answer = await connection.request(request);
      reportAnswer(answer.status);
      return answer;
    },
    async watch(watch) {
      const status = await connection.watch(watch);
      reportAnswer(status);
      return status;
    },
  };
}
