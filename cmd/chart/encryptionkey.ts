import { join } from 'node:path';
import type { HostClient } from '../../pkg/hostclient/interface.js';
import { writePrivate } from '../../pkg/pki/files.js';
import { formatKeyFile, newDataKey, parseKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { checkSecret, once, type Texts, type Verdict } from './keptsecret.js';
import { pollUntil } from './poll.js';
import type { Say } from './words.js';
import { messageOf } from '../../pkg/apimachinery/caught.js';

export interface EncryptionKeyWishes {
  /** `namespace/name` */
  readonly secret: string;
  /** A directory. */
  readonly out: string;
}

/** The key in the Secret's data, and the name of the file. */
const FILE = 'encryption.key';

/**
 * Writes the key file from the Secret. The first server that finds it empty fills it. A missing Secret is not
 * created: the store could not be read with new keys. Rejects if it does not appear in time, or contains no
 * keys.
 */
export async function keepEncryptionKey(
  host: HostClient,
  { secret, out }: EncryptionKeyWishes,
  say: Say,
): Promise<void> {
  const tell = once((problem) => say(`waits for the Secret ${secret}: ${problem}`));
  const held = await pollUntil(`the Secret ${secret}`, () => checkSecret(host, { secret, decide }, tell));
  const text = held[FILE]!;
  try {
    parseKeyFile(text);
  } catch (error) {
    throw new Error(`${FILE} of the Secret ${secret}: ${messageOf(error)}`);
  }
  await writePrivate(join(out, FILE), text);
}

const decide = (held: Texts): Verdict =>
  (held[FILE] ?? '') === '' ? { write: { [FILE]: formatKeyFile([newDataKey()]) } } : { use: held };
