import type { Logger } from '../../../pkg/server/logging/log.js';
import type { Config } from '../options/complete.js';
import { openServing } from '../server/serving.js';
import type { ShutdownHooks } from '../server/shutdownhooks.js';
import type { Started } from '../standalone/standalone.js';
import type { HostConfig } from '../options/hostconfig.js';
import { openHostParts } from './hostparts.js';
import { ServedStore } from './servedstore.js';
import { aggregatedCertificates } from './serving.js';

/**
 * Starts a server behind the API server of a cluster. The listener opens first, so that the cluster gets discovery
 * whatever the state of the store; then the store is opened, however long that takes. Throws StartError.
 */
export async function startAggregated(
  config: Config,
  host: HostConfig,
  log: Logger,
  shutdownHooks: ShutdownHooks,
): Promise<Started> {
  const hostParts = await openHostParts(config, host, log, shutdownHooks);
  const { operations, hostClient, trust } = hostParts;
  const certificates = await aggregatedCertificates(operations, hostClient);
  await trust.ready;
  const store = new ServedStore(hostParts);
  // Hooks run in the reverse order: the store closes after the requests have ended.
  shutdownHooks.push(() => store.close());
  const { url, leave } = await openServing({ ...operations, ...certificates, handler: store.handle });
  operations.address.url = url;
  const authority = certificates.authority();
  store.open(authority);
  log.info({ url }, 'listens');
  return { url, authority, leave };
}
