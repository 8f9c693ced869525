import type { Storage } from '../../pkg/storage/interface.js';
import type { StorageConfig } from './complete.js';
import { inWords, StartError } from './starterror.js';

/** Opens the engine that the options chose; only its code is loaded. Throws StartError. */
export async function openStorage(config: StorageConfig): Promise<Storage> {
  try {
    switch (config.engine) {
      case 'embedded': {
        const { openEmbedded } = await import('../../pkg/storage/embedded/embedded.js');
        return await openEmbedded({ directory: config.directory });
      }
      case 'etcd': {
        const { openEtcd } = await import('../../pkg/storage/etcd/open.js');
        const { engine: _engine, ...options } = config;
        return await openEtcd(options);
      }
    }
  } catch (error) {
    const place = config.engine === 'etcd' ? `etcd at ${config.endpoints.join(',')}` : config.directory;
    throw new StartError(`the store cannot be opened (${place}): ${inWords(error)}`, { cause: error });
  }
}
