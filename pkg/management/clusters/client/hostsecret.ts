import { Secret } from '../../../../api/core/v1/secret.js';
import type { KubeObject, ObjectKey } from '../../../../api/resource.js';
import { failure } from '../../../apimachinery/errors.js';
import type { HostClient } from '../../../hostclient/interface.js';
import { hostStorage } from '../../../storage/host/storages.js';
import { StorageError } from '../../../storage/interface.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

/**
 * Reads the current Secret at the host, without a cache or a watch. Rejects with StatusError: 403 with the
 * host's message if this server may not read it, 504 if the host does not answer.
 */
export function hostSecret(client: HostClient): (key: ObjectKey) => Promise<KubeObject | undefined> {
  const storage = hostStorage(client, Secret);
  return async ({ namespace, name }) => {
    try {
      const { record } = await storage.get(`registry/core/secrets/${namespace}/${name}`);
      return record && parseStored<KubeObject>(record.value);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      throw failure('Timeout', `Secret ${namespace}/${name} cannot be read: ${error.message}`, {});
    }
  };
}
