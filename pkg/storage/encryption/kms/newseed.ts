/** A new data key of a KMS provider, and which ones its record keeps. */
import { randomUUID } from 'node:crypto';
import { dataKeyName } from '../hkdfaesgcm.js';
import { newDataKey } from '../keyfile.js';
import { readServers } from '../serversrecord.js';
import type { Storage } from '../../interface.js';
import type { Kms } from './interface.js';
import { KmsRefused, KmsUnavailable } from './interface.js';
import type { Seed } from './seedsrecord.js';
import { headerOfSeed } from './transformers.js';

/** More are kept while something needs them. */
const MAX_SEEDS = 20;

/**
 * Of the key `keyId` of the KMS. It is decrypted once, so that nothing is encrypted with a key that is lost at the next start.
 * Rejects with KmsUnavailable.
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

/** Those that nothing needs any more may go, the oldest first. Rejects with StorageError. */
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
