/** Data keys that a KMS keeps secret, as what encrypts with them. Pure. */
import { StorageError } from '../../interface.js';
import { headerOf, textOfHeader } from '../envelope.js';
import { hkdfAesGcm } from '../hkdfaesgcm.js';
import type { Transformer } from '../interface.js';
import type { KmsProvider } from './interface.js';
import type { Seed } from './seedsrecord.js';

/** Stands for a data key that is not made yet. */
const NOT_MADE = 'new';

export const transformerOf = ({ name }: KmsProvider, dataKey: Buffer): Transformer =>
  hkdfAesGcm(dataKey, { provider: 'kms', version: 'v2', prefix: `${name}-` });

/** What values begin with that are encrypted with it. */
export const headerOfSeed = (provider: string, { name }: Pick<Seed, 'name'>): string =>
  textOfHeader({ header: headerOf('kms', 'v2', `${provider}-${name}`) });

/** Of a provider whose plug-in was not asked, or has not made a key for the store. Encrypts nothing, in the place of the key. */
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

/** Nothing was written. */
export const unavailable = (reason: string, { name }: Pick<KmsProvider, 'name'>): StorageError =>
  new StorageError({
    ...{ code: 'unavailable', reason, outcome: 'none' },
    clients: `cannot be written now: the KMS plug-in ${name} of the server does not answer`,
  });
