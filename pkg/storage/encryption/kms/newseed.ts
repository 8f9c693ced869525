/** Creates data keys of a KMS provider, and decides which of them its record keeps. */
import { randomUUID } from 'node:crypto';
import { dataKeyName } from '../hkdfaesgcm.js';
import { newDataKey } from '../keyfile.js';
import { readServers } from '../serversrecord.js';
import type { Storage } from '../../interface.js';
import { KmsRefused, KmsUnavailable, type Kms } from './interface.js';
import type { Seed } from './seedsrecord.js';
import { headerOfSeed } from './transformers.js';

/** The maximum number of data keys in a record, unless more are in use. */
const MAX_SEEDS = 20;

/**
 * Creates a data key and encrypts it with key `keyId` of the KMS. The function also decrypts it once, so that nothing
 * is encrypted with a data key that would be lost at the next start. Rejects with KmsUnavailable.
 */
export async function newSeed(kms: Kms, keyId: string): Promise<Seed> {
  const dataKey = newDataKey();
  const uid = randomUUID();
  const wrapped = await kms.encrypt(dataKey, uid);
  if (wrapped.keyId !== keyId)
    throw new KmsUnavailable(
      `the KMS plug-in encrypts with key ${wrapped.keyId}, and says that it is ${keyId}`,
    );
  const again = await kms.decrypt(wrapped, uid).catch((error: unknown) => {
    throw error instanceof KmsRefused ? new KmsUnavailable(error.message) : error;
  });
  if (again.equals(dataKey)) return { name: dataKeyName(dataKey), uid, wrapped };
  throw new KmsUnavailable('the KMS plug-in does not decrypt what it encrypted');
}

/** Drops the oldest data keys that are not in use, if there are too many. Rejects with StorageError. */
export async function neededOf(
  store: Pick<Storage, 'get'>,
  provider: string,
  seeds: readonly Seed[],
): Promise<readonly Seed[]> {
  if (seeds.length < MAX_SEEDS) return seeds;
  const { used, servers } = await readServers(store);
  const needed = new Set([
    ...used,
    ...Object.values(servers).flatMap(({ wants, writes }) => [...wants, ...writes]),
  ]);
  let spare = seeds.length - MAX_SEEDS + 1;
  return seeds.filter((seed) => {
    if (spare <= 0 || needed.has(headerOfSeed(provider, seed))) return true;
    spare -= 1;
    return false;
  });
}
