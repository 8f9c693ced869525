import type { KeyFingerprint } from '../../../pkg/authentication/interface.js';
import { unionAuthenticator } from '../../../pkg/authentication/union.js';
import type { Handler } from '../../../pkg/server/httpexchange.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { resourceStores } from '../../../pkg/server/resources.js';
import { hostStorages } from '../../../pkg/storage/host/storages.js';
import type { Presence } from '../../../pkg/tunnel/accept.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { watchStore } from '../../../pkg/storage/circuitbreaker.js';
import { clusterNotes } from '../../../pkg/management/storeguard/clusternotes.js';
import { openGuard, type StoreGuard } from '../../../pkg/management/storeguard/guard.js';
import { StoreRefused } from '../../../pkg/management/storeguard/refused.js';
import { directTokens } from '../server/directtokens.js';
import { scheduleBackups } from '../../../pkg/management/upkeep/backup/schedule.js';
import { assemble } from '../server/assemble.js';
import { beginControllers } from '../server/begincontrollers.js';
import { listAdopted } from '../../../pkg/management/storeguard/adoption.js';
import type { ShutdownHooks } from '../server/shutdownhooks.js';
import { currentKeys, needingKeys, logKeyFile } from '../../../pkg/management/upkeep/encryption/keys.js';
import type { HostParts } from './hostparts.js';
import { hostResources } from '../../../pkg/controllers/client/hostclients.js';
import { keepKeySecret } from './keysecret.js';
import { localCluster } from './localcluster.js';
import { hostSecret } from '../../../pkg/management/clusters/client/hostsecret.js';
import { followBackups } from '../../../pkg/management/upkeep/backup/followbackups.js';
import { keepEncrypted } from '../../../pkg/management/upkeep/encryption/keepencrypted.js';
import { openAggregatedRegistries } from './registries.js';
import { openState } from '../server/storagebacked.js';
import {
  followSpace,
  logCertificateReloads,
  openStorage,
  whyDivided,
} from '../../../pkg/management/upkeep/openstorage.js';

/** How a store is opened. */
export interface OpenStoreOptions {
  /** Whether a store that the cluster does not know is adopted (`--adopt-store`). */
  readonly adopt: boolean;
  /** Called when the store is no longer the same one: it must not be served any more. */
  readonly lost: (refusal: StoreRefused) => void;
}

/**
 * Returns the handler that serves the store, and starts the controllers. `authority`: PEM, of the server's
 * certificate. Rejects with the error of the store or with StoreRefused; `opened` then closes what is open.
 */
export async function openAggregatedStore(
  hostParts: HostParts,
  authority: string,
  opened: ShutdownHooks,
  taking: OpenStoreOptions,
): Promise<Handler> {
  const { hostClient, trust, delegated, documents, health, host } = hostParts;
  const operations = { ...hostParts.operations, shutdownHooks: opened };
  const { config, log } = operations;
  const adoption: { refusal: StoreRefused | undefined } = { refusal: undefined };
  const { storage, presence } = await openWatched({ ...hostParts, operations }, taking, adoption);
  const storages = hostStorages(hostClient);
  const kinds = { storages, authorizer: delegated.authorizer, plugins: config.admission };
  const state = await openState(operations, opened, storage, {
    open: (stored, options) => openAggregatedRegistries(kinds, stored, options),
    secret: hostSecret(hostClient),
    local: localCluster(host, opened),
  });
  const { registry, identity, accessKeys } = state;
  if (adoption.refusal !== undefined)
    listAdopted(log, registry, config.settings.projectNamespacePrefix, adoption.refusal);
  const madeWithEnd = (key: KeyFingerprint): number => accessKeys.lifetimes.madeWithEnd(key);
  const own = [accessKeys.authenticator, directTokens(state)];
  const handler = assemble({
    ...state,
    operations,
    documents,
    health,
    stores: resourceStores(registry.stores, registry.requests),
    authenticator: delegated.authenticator(trust, own, {
      vouched: accessKeys.authenticator.vouched,
      madeWithEnd,
    }),
    // The host sends a TokenReview for a token that it does not know; the review is not sent back to it.
    reviewed: unionAuthenticator(own),
    hostTokens: delegated.hostTokens(own),
    pepper: identity.pepper,
    presence,
  });
  beginControllers(operations, state, {
    others: hostResources(hostClient, registry),
    shared: true,
    leaseNamespace: host.leaseNamespace,
    aggregated: true,
    authority,
  });
  return handler;
}

/** Returns the store after verifying that it belongs to the cluster. */
async function openWatched(
  { operations, hostClient, host, store, keySecret }: HostParts,
  { adopt, lost }: OpenStoreOptions,
  adoption: { refusal: StoreRefused | undefined },
): Promise<{ readonly storage: Storage; readonly presence: Presence }> {
  const { config, shutdownHooks, log, report } = operations;
  const guarded: { by?: StoreGuard; missed?: true } = {};
  const opening = openStorage(config.storage, config.encryption, {
    made: (keyFile) => logKeyFile(log, keyFile),
    interrupted: () => {
      if (guarded.by === undefined) guarded.missed = true;
      else guarded.by.interrupted();
    },
    lost: (why) => lost(new StoreRefused('replaced', why)),
    certificates: logCertificateReloads(log),
    space: followSpace(operations),
  });
  const encrypted = await opening.catch((error: unknown) => {
    const divided = whyDivided(error);
    store.answers = divided !== undefined;
    throw divided === undefined ? error : new StoreRefused('divided', divided);
  });
  const { storage } = encrypted;
  shutdownHooks.push(() => storage.close());
  store.answers = true;
  const guard = await openGuard({
    storage,
    notes: clusterNotes(hostClient, host.leaseNamespace),
    adopt,
    lost,
    report,
    adopted: (refusal) => (adoption.refusal = refusal),
    taken: () =>
      needingKeys(encrypted.begin(() => currentKeys(config.encryption, encrypted.engine), SERVER_VERSION)),
  });
  guarded.by = guard;
  if (guarded.missed === true) guard.interrupted();
  shutdownHooks.push(() => guard.stop());
  keepEncrypted(operations, encrypted);
  if (host.keySecret !== undefined)
    keepKeySecret(operations, {
      host: hostClient,
      secret: host.keySecret,
      release: host.keySecretRelease,
      leaseNamespace: host.leaseNamespace,
      store: encrypted,
      state: keySecret,
    });
  store.refused = undefined;
  const watched = watchStore(guard.storage, {
    changed: (up) => {
      store.answers = up;
      if (up) log.info('the store answers again');
      else log.warn('the store does not answer');
    },
  });
  store.watched = watched;
  followBackups(operations, watched.storage);
  scheduleBackups(operations);
  shutdownHooks.push(() => {
    store.watched = undefined;
    watched.stop();
  });
  return { storage: watched.storage, presence: encrypted.membership };
}
