/** Opens the store of a server, which then is one of the servers of the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../../../pkg/storage/encryption/interface.js';
import type { EncryptedStore } from '../../../pkg/storage/encryption/openencrypted.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { currentKeys, needingKeys, logKeyFile } from '../server/encryption.js';
import { PluginUnavailable } from './providerconfig.js';
import { followSpace, logCertificateReloads, needingStore, openStorage } from '../server/storage.js';
import type { Operations } from '../server/telemetry.js';

const AGAIN_MS = 2_000;

/** Waits for an unavailable KMS plug-in without a limit, and logs this. Throws StartError. */
export async function openJoined(operations: Operations): Promise<EncryptedStore> {
  const { log, shutdownHooks } = operations;
  for (let logged = ''; ; await sleep(AGAIN_MS)) {
    try {
      const store = await attempt(operations);
      shutdownHooks.push(() => store.storage.close());
      return store;
    } catch (error) {
      if (!(error instanceof PluginUnavailable)) throw error;
      if (error.message !== logged)
        log.warn({ reason: error.message }, 'the server cannot start yet: it waits for the KMS plug-in');
      logged = error.message;
    }
  }
}

async function attempt(operations: Operations): Promise<EncryptedStore> {
  const { config, log } = operations;
  const { storage: place, encryption } = config;
  const store = await needingStore(
    place,
    openStorage(place, encryption, {
      lost: (reason) =>
        log.error({ reason }, 'the store is not what it was: nothing is answered until a restart'),
      certificates: logCertificateReloads(log),
      space: followSpace(operations),
      made: (keyFile) => logKeyFile(log, keyFile),
    }),
  );
  try {
    const keys = (): Promise<Keyring> => currentKeys(encryption, store.engine);
    await needingStore(place, needingKeys(store.begin(keys, SERVER_VERSION)));
    return store;
  } catch (error) {
    await store.storage.close();
    throw error;
  }
}
