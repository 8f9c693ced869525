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

/** Throws StartError for an invalid kubeconfig. */
async function openHostClient(
  kubeconfig: string | undefined,
  shutdownHooks: ShutdownHooks,
): Promise<HostClient> {
  try {
    const client = await connectHost({ kubeconfig });
    shutdownHooks.push(() => client.close());
    return client;
  } catch (error) {
    throw new StartError(`--kubeconfig: ${inWords(error)}`, { cause: error });
  }
}

/** The parts of an aggregated server that need no store. */
export interface HostParts {
  readonly operations: Operations;
  readonly host: HostConfig;
  readonly hostClient: HostClient;
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
  const hostClient = await openHostClient(host.kubeconfig, shutdownHooks);
  const delegated = openDelegated(hostClient, report);
  const sources = {
    store: { up: () => store.watched?.up() === true, refused: () => store.refused?.reason },
    reviews: delegated.reviews,
    keySecret: host.keySecret && keySecret,
  };
  const operations = openOperations(config, log, shutdownHooks, sources, report);
  const trust = openTrust(host, hostClient, report);
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
  return { operations, host, hostClient, trust, delegated, documents, health, store, keySecret };
}
