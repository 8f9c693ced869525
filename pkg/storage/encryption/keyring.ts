/** The keyring of a file of data keys. */
import { textOfHeader } from './envelope.js';
import { hkdfAesGcm } from './hkdfaesgcm.js';
import type { Keyring, Transformer } from './interface.js';
import type { SecretRecords } from './selection.js';

/**
 * @param dataKeys the first encrypts the records with secrets; all decrypt
 */
export function dataKeyring(dataKeys: readonly Buffer[], secrets: SecretRecords): Keyring {
  const transformers = dataKeys.map((key) => hkdfAesGcm(key));
  const first = transformers[0];
  if (first === undefined) throw new RangeError('a keyring needs a key');
  const readers = readersOf(transformers);
  return {
    writer: (key) => (secrets.holds(key) ? first : undefined),
    reader: (header) => readers.get(header),
    plaintext: (key) => !secrets.holds(key),
    writers: [first],
    readers: [...readers.keys()],
  };
}

/** Transformers for keys that no longer encrypt. */
export const dataKeyReaders = (dataKeys: readonly Buffer[]): Transformer[] =>
  dataKeys.map((key) => hkdfAesGcm(key));

/** A keyring without keys. */
export const noKeys: Keyring = {
  writer: () => undefined,
  reader: () => undefined,
  plaintext: () => true,
  writers: [],
  readers: [],
};

/** Transformers by the header of their values. */
export function readersOf(transformers: Iterable<Transformer>): ReadonlyMap<string, Transformer> {
  return new Map(Array.from(transformers, (one) => [textOfHeader(one), one]));
}
