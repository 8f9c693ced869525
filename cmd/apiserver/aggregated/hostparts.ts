import type { DynamicTrust } from '../../../pkg/authentication/requestheader/dynamictrust.js';
import type { HealthEndpoint } from '../../../pkg/server/routes/health.js';
import { hostedHealthEndpoints } from '../../../pkg/server/routes/healthchecks.js';
import type { Logger } from '../../../pkg/server/logging/log.js';
import type { ShutdownHooks } from '../server/shutdownhooks.js';
import type { Config } from '../options/complete.js';
import { openDelegated, openTrust, type Delegated } from './delegated.js';
import { servedDocuments, type ServedDocuments } from '../../../pkg/server/routes/documents.js';
import type { HostConfig } from '../options/hostconfig.js';
import { AGGREGATED_KINDS, definitionsOf, isManagement } from '../../../pkg/management/kindsbymode.js';
import { keyFaultsOf } from '../../../pkg/management/upkeep/encryption/keys.js';
import { openOperations, openReport, type Operations } from '../server/telemetry.js';
import type { KeySecretState } from './keysecret.js';
import { StoreState } from '../../../pkg/management/storeguard/storestate.js';
import { connectHost } from '../../../pkg/hostclient/connect.js';
import type { HostClient } from '../../../pkg/hostclient/interface.js';
import { inWords, StartError } from '../../../pkg/apimachinery/starterror.js';

/** The clients of the cluster by purpose. */
interface HostClients {
  readonly objects: HostClient;
  readonly authentication: HostClient;
  readonly authorization: HostClient;
}

/** Clients of the same kubeconfig are shared. Throws StartError for an invalid one. */
async function connectHosts(
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

/** The parts of an aggregated server that need no store. */
export interface HostParts {
  readonly operations: Operations;
  readonly host: HostConfig;
  readonly clients: HostClients;
  readonly trust: DynamicTrust;
  readonly delegated: Delegated;
  readonly documents: ServedDocuments;
  readonly health: readonly HealthEndpoint[];
  readonly store: StoreState;
  readonly keySecret: KeySecretState;
}

/** Sends nothing to the host yet. Throws StartError for a configuration that cannot be used. */
export async function openHostParts(
  config: Config,
  host: HostConfig,
  log: Logger,
  shutdownHooks: ShutdownHooks,
): Promise<HostParts> {
  const store = new StoreState();
  const keySecret: KeySecretState = { lostAt: 0, uncopied: false };
  const report = openReport(log);
  const clients = await connectHosts({ shutdownHooks }, host);
  const { delegation } = host;
  const delegated = openDelegated({
    config: delegation,
    report,
    authenticationHost: clients.authentication,
    authorizationHost: clients.authorization,
  });
  const sources = {
    store: { up: () => store.watched?.up() === true, refused: () => store.refused?.reason },
    reviews: delegated.reviews,
    keySecret: host.keySecret && keySecret,
  };
  const operations = openOperations(config, log, shutdownHooks, sources, report);
  const trust = openTrust(delegation, clients.authentication, report);
  shutdownHooks.push(() => trust.close());
  const health = hostedHealthEndpoints({
    storage: () =>
      store.watched?.storage.currentRevision() ??
      Promise.reject(store.refused ?? new Error('not reached yet')),
    synced: () => store.ready(),
    shuttingDown: () => operations.state.stopping,
    keyFaults: keyFaultsOf(config.encryption),
  });
  // The host serves the documents of the other groups itself.
  const documents = servedDocuments(definitionsOf(AGGREGATED_KINDS), isManagement);
  return { operations, host, clients, trust, delegated, documents, health, store, keySecret };
}
