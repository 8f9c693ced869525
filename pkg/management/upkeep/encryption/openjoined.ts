/** Opens the store of a server, which then is one of the servers of the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../../../storage/encryption/interface.js';
import type { EncryptedStore } from '../../../storage/encryption/openencrypted.js';
import { SERVER_VERSION } from '../../../server/version.js';
import { inWords } from '../../../apimachinery/starterror.js';
import { currentKeys, needingKeys, logKeyFile } from './keys.js';
import { PluginUnavailable } from './providerconfig.js';
import {
  followSpace,
  isUnavailable,
  logCertificateReloads,
  needingStore,
  openStorage,
} from '../openstorage.js';
import type { UpkeepParts } from '../parts.js';

const AGAIN_MS = 2_000;

/** Waits for an unavailable KMS plug-in without a limit, and for the store for `giveUpMs`, and logs this. Throws StartError. */
export async function openJoined(operations: UpkeepParts, giveUpMs: number): Promise<EncryptedStore> {
  const { log, shutdownHooks } = operations;
  const until = performance.now() + giveUpMs;
  for (let logged = ''; ; await sleep(AGAIN_MS)) {
    try {
      const store = await attempt(operations);
      shutdownHooks.push(() => store.storage.close());
      return store;
    } catch (error) {
      const reason = inWords(error);
      const forPlugin = error instanceof PluginUnavailable;
      if (!forPlugin && !(isUnavailable(error) && performance.now() < until)) throw error;
      const what = forPlugin ? 'the KMS plug-in' : 'the store';
      if (reason !== logged) log.warn({ reason }, `the server cannot start yet: it waits for ${what}`);
      logged = reason;
    }
  }
}

async function attempt(operations: UpkeepParts): Promise<EncryptedStore> {
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
