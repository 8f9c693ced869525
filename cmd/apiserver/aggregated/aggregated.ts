import { unavailableTokenAuthenticator } from '../../../pkg/authentication/unavailable.js';
import { rbacAuthorizer } from '../../../pkg/authorization/rbac/authorizer.js';
import { storeUnavailable } from '../../../pkg/registry/generic/storeunavailable.js';
import type { Handler } from '../../../pkg/server/httpexchange.js';
import type { Logger } from '../../../pkg/server/logging/log.js';
import { StoreRefused } from '../../../pkg/server/storeguard/refused.js';
import { openAggregatedStore } from './storage.js';
import type { ShutdownHooks } from '../server/shutdownhooks.js';
import { closeAll } from '../server/shutdownhooks.js';
import type { Config } from '../options/complete.js';
import type { HostConfig } from './hostconfig.js';
import { leaderElsewhere } from './otherservers.js';
import { openHostParts, type HostParts } from './hostparts.js';
import { retryUntilSuccess } from './retry.js';
import { openServing } from '../server/serving.js';
import { aggregatedCertificates } from './serving.js';
import type { Started } from '../server/standalone.js';
import { noteFailure } from './storestate.js';
import { UNLOADED } from './emptycaches.js';
import { waitingHandler } from './degradedhandler.js';

/** How long `/readyz` waits for a store that is unreachable. */
const AWAITED_MS = 5_000;

/**
 * A server behind the API server of a cluster: the listener first, so that discovery is answered and the cluster does
 * not miss its server, whatever becomes of the store; then the store, for as long as it takes. Throws StartError.
 */
export async function startAggregated(
  config: Config,
  host: HostConfig,
  log: Logger,
  shutdownHooks: ShutdownHooks,
): Promise<Started> {
  const hostParts = await openHostParts(config, host, log, shutdownHooks);
  const { operations, clients, trust, store } = hostParts;
  const certificates = await aggregatedCertificates(operations, clients.objects);
  await trust.ready;
  let answer = handlerBefore(hostParts);
  /** Closed when requests have ended. */
  const later: ShutdownHooks = [];
  shutdownHooks.push(() => closeAll(later, log));
  const handler: Handler = (exchange) => answer(exchange);
  const { url, leave } = await openServing({ ...operations, ...certificates, handler });
  operations.address.url = url;
  const waiting = setTimeout(() => (store.awaited = true), AWAITED_MS).unref();
  shutdownHooks.push(() => clearTimeout(waiting));
  const authority = certificates.authority();
  const looking = leaderElsewhere(clients.objects, host.leaseNamespace);
  let adopt = host.adoptStore;
  const open = async (opened: ShutdownHooks): Promise<void> => {
    let refusal: StoreRefused | undefined;
    let opening = true;
    const lost = (why: StoreRefused): void => {
      if (refusal !== undefined) return;
      refusal = why;
      if (!opening) void reopen(opened, why);
    };
    const served = await openAggregatedStore(hostParts, authority, opened, { adopt, lost });
    opening = false;
    if (refusal !== undefined) throw refusal;
    // --adopt-store accepts one store. An administrator reviews the store that takes its place.
    adopt = false;
    answer = served;
    store.served = true;
    log.info({ url, engine: config.storage.engine }, 'ready');
  };
  const failed = (error: unknown): void => {
    noteFailure(store, error instanceof StoreRefused ? error : undefined);
    if (store.refused !== undefined) void looking().then((leads) => (store.elsewhere = leads));
    operations.report('what is stored cannot be opened', error);
  };
  const reopen = async (opened: ShutdownHooks, why: StoreRefused): Promise<void> => {
    answer = handlerBefore(hostParts);
    Object.assign(store, { served: false, refused: why, elsewhere: false, awaited: true });
    log.error({ reason: why.reason }, `the store is not served any more: ${why.message}`);
    operations.watches.endAll();
    await closeAll(opened, log);
    operations.watches.endAll();
    await retryUntilSuccess(open, { log, shutdownHooks: later, failed });
  };
  void retryUntilSuccess(open, { log, shutdownHooks: later, failed });
  log.info({ url }, 'listens');
  return { url, authority, leave };
}

/** What answers before the store is reached. */
function handlerBefore({ operations, documents, health, delegated, trust, store }: HostParts): Handler {
  const authenticator = delegated.authenticator(trust, [
    unavailableTokenAuthenticator(() => storeUnavailable()),
  ]);
  const authorizer = delegated.authorizer(rbacAuthorizer(UNLOADED), UNLOADED, []);
  const refused = (): string | undefined => store.refused?.message;
  return waitingHandler({ operations, documents, health, authenticator, authorizer, refused });
}
