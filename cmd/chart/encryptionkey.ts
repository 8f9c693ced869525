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

/** Of the Secret's data, and of the file. */
const FILE = 'encryption.key';

/**
 * Writes the file of keys out of the Secret. The first server that finds it empty fills it. One that is gone is made by
 * nobody: with new keys the store could not be read. Rejects where it does not come in a while, or holds no keys.
 */
export async function keepEncryptionKey(
  host: HostClient,
  { secret, out }: EncryptionKeyWishes,
  say: Say,
): Promise<void> {
  const tell = once((problem) => say(`waits for the Secret ${secret}: ${problem}`));
  const held = await pollUntil(`the Secret ${secret}`, () => checkSecret(host, { secret, judge }, tell));
  const text = held[FILE]!;
  try {
    parseKeyFile(text);
  } catch (error) {
    throw new Error(`${FILE} of the Secret ${secret}: ${messageOf(error)}`);
  }
  await writePrivate(join(out, FILE), text);
}

const judge = (held: Texts): Verdict =>
  (held[FILE] ?? '') === '' ? { write: { [FILE]: formatKeyFile([newDataKey()]) } } : { use: held };
