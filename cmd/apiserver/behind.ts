import { directTokenAuthenticator } from '../../pkg/authentication/directtoken/authenticator.js';
import { unionAuthenticator } from '../../pkg/authentication/union.js';
import type { Handler } from '../../pkg/server/exchange.js';
import { resourceStores } from '../../pkg/server/stores.js';
import { hostStorages } from '../../pkg/storage/host/storages.js';
import type { Storage } from '../../pkg/storage/interface.js';
import { watchStore } from '../../pkg/storage/knownaway.js';
import { assemble } from './assemble.js';
import { beginControllers } from './begincontrollers.js';
import type { Closers } from './closers.js';
import type { Hosted } from './hosted.js';
import { hostResources } from './hostresources.js';
import { hostSecret } from './hostsecret.js';
import { mirrorRightsOf } from './mirrorrights.js';
import type { Operations } from './operations.js';
import { openServedBehind } from './servedbehind.js';
import { openState } from './state.js';
import { openStorage } from './storage.js';
import type { StoreState } from './storestate.js';

/**
 * What answers requests with what is stored, and the controllers. `authority`: PEM, of the server's certificate. Rejects
 * as the store does; what is open then is among `opened`.
 */
export async function openBehind(hosted: Hosted, authority: string, opened: Closers): Promise<Handler> {
  const { clients, trust, delegated, documents, health, store, host } = hosted;
  const operations = { ...hosted.operations, closers: opened };
  const { config } = operations;
  const storage = await openWatched(operations, store);
  const storages = hostStorages(clients.objects);
  const kinds = { storages, authorizer: delegated.authorizer, plugins: config.admission };
  const state = await openState(operations, opened, storage, {
    open: (kept, options) => openServedBehind(kinds, kept, options),
    secret: hostSecret(clients.objects),
  });
  const { registry, identity, signingKeys, accessKeys, identities, clusters } = state;
  const audience = config.issuing.directEndpointAudience;
  const own = [
    accessKeys.authenticator,
    directTokenAuthenticator({ keys: signingKeys, identities, audience }),
  ];
  const handler = assemble({
    ...{ ...state, operations, documents, health },
    stores: resourceStores(registry.stores, registry.requests),
    authenticator: delegated.authenticator(trust, own),
    // The host asks whose the tokens are that it does not know: it is not asked back.
    reviewed: unionAuthenticator(own),
    pepper: identity.pepper,
  });
  beginControllers(operations, {
    ...{ stores: registry.stores, others: hostResources(clients.objects, registry) },
    ...{ shared: true, leaseNamespace: host.leaseNamespace, behind: true, authority, clusters },
    mirrorRights: mirrorRightsOf(state),
  });
  return handler;
}

async function openWatched({ config, closers, log }: Operations, store: StoreState): Promise<Storage> {
  const storage = await openStorage(config.storage).catch((error: unknown) => {
    store.answers = false;
    throw error;
  });
  closers.push(() => storage.close());
  store.answers = true;
  const watched = watchStore(storage, {
    changed: (up) => {
      store.answers = up;
      if (up) log.info('the store answers again');
      else log.warn('the store does not answer');
    },
  });
  store.watched = watched;
  closers.push(() => {
    store.watched = undefined;
    watched.stop();
  });
  return watched.storage;
}
