/** Transformers with data keys that a KMS encrypts. Pure. */
import { StorageError } from '../../interface.js';
import { headerOf, textOfHeader } from '../envelope.js';
import { hkdfAesGcm } from '../hkdfaesgcm.js';
import type { Transformer } from '../interface.js';
import type { KmsProvider } from './interface.js';
import type { Seed } from './seedsrecord.js';

/** The name of a data key that does not exist yet. */
const NOT_MADE = 'new';

export const transformerOf = ({ name }: KmsProvider, dataKey: Buffer): Transformer =>
  hkdfAesGcm(dataKey, { provider: 'kms', version: 'v2', prefix: `${name}-` });

/** The prefix of values that this data key encrypts. */
export const headerOfSeed = (provider: string, { name }: Pick<Seed, 'name'>): string =>
  textOfHeader({ header: headerOf('kms', 'v2', `${provider}-${name}`) });

/** A placeholder for a provider that has no data key yet, or whose plug-in was not called. It refuses to encrypt. */
export function notMade({ name, endpoint }: KmsProvider): Transformer {
  const keyName = `${name}-${NOT_MADE}`;
  return {
    header: headerOf('kms', 'v2', keyName),
    keyName,
    encrypt() {
      throw unavailable(`the KMS plug-in ${name} at ${endpoint} has made no key for the store yet`, { name });
    },
    decrypt() {
      throw new Error('there is no such key');
    },
  };
}

/** An error for a commit that was not attempted. */
export const unavailable = (reason: string, { name }: Pick<KmsProvider, 'name'>): StorageError =>
  new StorageError({
    code: 'unavailable',
    reason,
    outcome: 'none',
    clients: `cannot be written now: the KMS plug-in ${name} of the server does not answer`,
  });
