import { bearerAuthenticator } from '../../../pkg/authentication/bearer.js';
import { clientCertificateAuthenticator } from '../../../pkg/authentication/clientcertificate.js';
import type { Authenticator } from '../../../pkg/authentication/interface.js';
import { serviceAccountAuthenticator } from '../../../pkg/authentication/serviceaccount/authenticator.js';
import { unionAuthenticator } from '../../../pkg/authentication/union.js';
import { bootstrapNamespaces } from '../../../pkg/registry/core/namespace/bootstrap.js';
import { bootstrapUsers } from '../../../pkg/management/people/user/bootstrap.js';
import { MANAGEMENT_BINDINGS, MANAGEMENT_ROLES } from '../../../pkg/management/clusterroles.js';
import { bootstrapRbac } from '../../../pkg/registry/rbac/bootstrap/reconcile.js';
import { healthEndpoints } from '../../../pkg/server/routes/healthchecks.js';
import { linkPath } from '../../../pkg/management/console/links.js';
import { createSeal } from '../../../pkg/management/login/sealedcookie.js';
import { AdminKeys } from '../../../pkg/management/administrators/adminkeys.js';
import type { ClusterIdentity } from '../../../pkg/clusteridentity/cluster.js';
import type { KeyPair } from '../../../pkg/pki/issue.js';
import { keepServing } from '../../../pkg/pki/serving.js';
import { servingNames } from '../../../pkg/pki/servingnames.js';
import { newestOf } from '../../../pkg/server/handlers/virtualresourceservices.js';
import type { ResourceStore } from '../../../pkg/registry/resourcestore.js';
import { resourceStores, type ResourceStores } from '../../../pkg/server/resources.js';
import { directTokens } from '../server/directtokens.js';
import { scheduleBackups } from '../../../pkg/management/upkeep/backup/schedule.js';
import { assemble } from '../server/assemble.js';
import { keepKubeconfig } from '../adminkeys/adminaccesskeys.js';
import { beginControllers } from '../server/begincontrollers.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import type { Config } from '../options/complete.js';
import { servedDocuments } from '../../../pkg/server/routes/documents.js';
import { keyFaultsOf } from '../../../pkg/management/upkeep/encryption/keys.js';
import { followBackups } from '../../../pkg/management/upkeep/backup/followbackups.js';
import { keepEncrypted } from '../../../pkg/management/upkeep/encryption/keepencrypted.js';
import type { Operations } from '../server/telemetry.js';
import { openJoined } from '../../../pkg/management/upkeep/encryption/openjoined.js';
import { openServed } from '../../../pkg/management/registries.js';
import { openServing } from '../server/serving.js';
import { inWords, StartError } from '../../../pkg/apimachinery/starterror.js';
import { openState, type State } from '../server/storagebacked.js';
import { needingStore } from '../../../pkg/management/upkeep/openstorage.js';

/** A server that listens. */
export interface Started {
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly authority: string;
  /** The path of a link that logs one browser in as the administrator; undefined: there is no kubeconfig to write. */
  readonly consoleLink?: string | undefined;
  /** Makes `/readyz` fail, so that clients switch to other servers; requests are still served. */
  leave(): void;
}

/** How long a start waits for a store that does not answer. */
const START_TIMEOUT_MS = 30_000;
/** The life of the link to the console that a start prints. */
const LINK_MS = 15 * 60_000;

/** Starts a standalone server: loads the store first, then listens. Throws StartError. */
export async function startStandalone(operations: Operations): Promise<Started> {
  const { config, log, shutdownHooks } = operations;
  const needed = <T>(step: Promise<T>): Promise<T> => needingStore(config.storage, step);
  const store = await openJoined(operations, START_TIMEOUT_MS);
  const { storage } = store;
  const adminKeys = await needed(openAdminKeys(operations, storage));
  const state = await needed(
    openState(operations, shutdownHooks, storage, {
      open: (stored, options) => openServed(stored, config.admission, options),
      giveUpMs: START_TIMEOUT_MS,
      adminKeys,
    }),
  );
  const { registry, identity } = state;
  await needed(bootstrap(registry.stores));
  const stores = resourceStores(registry.stores, registry.requests);
  const authenticator = authenticatorOf(config, state, stores);
  const handler = assemble({
    ...state,
    operations,
    stores,
    authenticator,
    reviewed: authenticator,
    pepper: identity.pepper,
    presence: store.membership,
    onCredentialsEnded: (listener) => adminKeys.onEnded(listener),
    documents: servedDocuments(stores.definitions),
    health: healthEndpoints({
      storage: () => storage.currentRevision(),
      synced: () => registry.cache.health().loaded,
      shuttingDown: () => operations.state.stopping,
      keyFaults: keyFaultsOf(config.encryption),
    }),
  });
  const loadCertificate = certificateSource(config, identity);
  const { url, certificate, leave } = await openServing({ ...operations, loadCertificate, handler });
  operations.address.url = url;
  const authority =
    config.ownCertificate === undefined ? identity.authority.certificate : certificate.certificate;
  const adminKey = await keepKubeconfig(operations, state, adminKeys, { url, authority });
  log.info({ url, engine: storage.capabilities.engine }, 'ready');
  const { shared } = storage.capabilities;
  keepEncrypted(operations, store);
  followBackups(operations, storage);
  scheduleBackups(operations);
  beginControllers(operations, state, {
    shared,
    leaseNamespace: 'kube-system',
    aggregated: false,
    authority,
  });
  return { url, authority, consoleLink: consoleLink(state, adminKey), leave };
}

function consoleLink({ identity, accessKeys }: State, accessKey: string | undefined): string | undefined {
  const origin = accessKey && accessKeys.lifetimes.madeWith({ accessKey });
  return origin && linkPath(createSeal(identity.pepper), origin, LINK_MS);
}

async function openAdminKeys({ log, shutdownHooks }: Operations, storage: Storage): Promise<AdminKeys> {
  const adminKeys = await AdminKeys.watch(storage, (key) =>
    log.error(
      { key },
      'a record of an administrator\'s key is damaged and gives no access: "admin-key list" names it, "admin-key revoke" removes it',
    ),
  );
  shutdownHooks.push(() => adminKeys.close());
  return adminKeys;
}

/** Creates the initial objects of every server: namespaces, roles, users. */
async function bootstrap(stores: readonly ResourceStore[]): Promise<void> {
  await Promise.all([
    bootstrapNamespaces(stores),
    bootstrapRbac(stores, { roles: MANAGEMENT_ROLES, bindings: MANAGEMENT_BINDINGS }),
    bootstrapUsers(stores),
  ]);
}

function authenticatorOf(
  { tokens, issuing, clientAuthorities }: Config,
  state: State,
  stores: ResourceStores,
): Authenticator {
  const { signingKeys, accessKeys } = state;
  return unionAuthenticator([
    clientCertificateAuthenticator(() => clientAuthorities),
    bearerAuthenticator(tokens),
    accessKeys.authenticator,
    serviceAccountAuthenticator({
      keys: signingKeys,
      read: (resource, path) => newestOf(stores, resource, path),
      audiences: issuing.audiences,
      madeWithEnd: (key) => accessKeys.lifetimes.madeWithEnd(key),
    }),
    directTokens(state),
  ]);
}

function certificateSource(
  { ownCertificate, certDir, bindAddress }: Config,
  { authority }: ClusterIdentity,
): () => KeyPair | Promise<KeyPair> {
  if (ownCertificate !== undefined) return ownCertificate;
  if (certDir === undefined) throw new StartError('--tls-cert-file or --data-dir must be given');
  return async () => {
    try {
      return await keepServing(certDir, authority, servingNames(bindAddress));
    } catch (error) {
      throw new StartError(`the serving certificate in ${certDir}: ${inWords(error)}`, { cause: error });
    }
  };
}
