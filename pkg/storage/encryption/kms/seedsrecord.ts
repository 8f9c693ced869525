/**
 * The records of data keys that a KMS encrypts, one for each provider. They contain the encrypted data keys, and are
 * not encrypted otherwise.
 */
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';
import type { Storage, StoredRecord } from '../../interface.js';
import { SEEDS_PREFIX } from '../selection.js';
import { WrongKeys } from '../interface.js';
import type { Wrapped } from './messages.js';

export interface Seed {
  /** The name of the data key. It identifies the key, and reveals nothing about it. */
  readonly name: string;
  /** The uid of the request that encrypted it. */
  readonly uid: string;
  readonly wrapped: Wrapped;
}

interface SeedRecord {
  readonly name: string;
  readonly uid: string;
  readonly keyId: string;
  /** Base64, as are the annotations. */
  readonly ciphertext: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * The data keys of a provider, the oldest first. Rejects with WrongKeys for a damaged record, and with StorageError.
 */
export async function readSeeds(
  engine: Pick<Storage, 'get'>,
  provider: string,
): Promise<{ readonly seeds: readonly Seed[]; readonly revision: number | undefined }> {
  const { record } = await engine.get(SEEDS_PREFIX + provider);
  return { seeds: record === undefined ? [] : seedsIn(record), revision: record?.revision };
}

export const formatSeeds = (seeds: readonly Seed[]): Buffer =>
  Buffer.from(JSON.stringify({ seeds: seeds.map(recordOf) }));

const recordOf = ({ name, uid, wrapped }: Seed): SeedRecord => ({
  name,
  uid,
  keyId: wrapped.keyId,
  ciphertext: wrapped.ciphertext.toString('base64'),
  annotations: Object.fromEntries(
    Object.entries(wrapped.annotations).map(([key, value]) => [key, value.toString('base64')]),
  ),
});

/** Throws WrongKeys. */
function seedsIn({ key, value }: Pick<StoredRecord, 'key' | 'value'>): readonly Seed[] {
  try {
    const { seeds } = parseStored<{ readonly seeds: readonly SeedRecord[] }>(value);
    return seeds.map(({ name, uid, keyId, ciphertext, annotations }) => ({
      name: textOf(name),
      uid: textOf(uid),
      wrapped: {
        ciphertext: Buffer.from(textOf(ciphertext), 'base64'),
        keyId: textOf(keyId),
        annotations: Object.fromEntries(
          Object.entries(annotations).map(([one, text]) => [one, Buffer.from(textOf(text), 'base64')]),
        ),
      },
    }));
  } catch {
    throw new WrongKeys(
      `the record ${key} of the store, which holds its keys as the KMS encrypted them, is damaged: restore the store from a backup; nothing was changed`,
    );
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('it is no text');
}
