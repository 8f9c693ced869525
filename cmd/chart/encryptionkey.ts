import { join } from 'node:path';
import type { HostClient } from '../../pkg/hostclient/interface.js';
import { writePrivate } from '../../pkg/pki/files.js';
import { storeKeysIn, storeLeasePath } from '../../pkg/management/storeguard/clusternotes.js';
import { dataKeyName } from '../../pkg/storage/encryption/hkdfaesgcm.js';
import { formatKeyFile, keysIn, newDataKey, parseKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { checkSecret, once, type Texts, type Verdict } from './keptsecret.js';
import { pollUntil } from './poll.js';
import type { Say } from './words.js';
import { messageOf } from '../../pkg/apimachinery/caught.js';

export interface EncryptionKeyWishes {
  /** `namespace/name` */
  readonly secret: string;
  /** A directory. */
  readonly out: string;
  /** For a store that is restored: it may need other keys than the cluster knows, and never new ones. */
  readonly adoptStore?: boolean;
}

/** The key in the Secret's data, and the name of the file. */
const FILE = 'encryption.key';

/**
 * Writes the key file from the Secret. The first server that finds it empty fills it, unless the cluster knows a store
 * that was encrypted: new keys would not open it. So a missing Secret is not created, either. Rejects if the keys do not
 * appear in time, or are none.
 */
export async function keepEncryptionKey(
  host: HostClient,
  { secret, out, adoptStore = false }: EncryptionKeyWishes,
  say: Say,
): Promise<void> {
  const tell = once((problem) => say(`waits for the Secret ${secret}: ${problem}`));
  const held = await pollUntil(`the keys in the Secret ${secret}`, async () => {
    const needed = await neededKeys(host, secret);
    return checkSecret(host, { secret, decide: (texts) => decideOnKey(texts, needed, adoptStore) }, tell);
  });
  const text = held[FILE]!;
  try {
    parseKeyFile(text);
  } catch (error) {
    throw new Error(`${FILE} of the Secret ${secret}: ${messageOf(error)}`);
  }
  await writePrivate(join(out, FILE), text);
}

/** The names of the keys of the store that the cluster knows; none without such a store. */
async function neededKeys(host: HostClient, secret: string): Promise<readonly string[]> {
  const [namespace = ''] = secret.split('/');
  const path = storeLeasePath(namespace);
  const { status, body } = await host.send({ method: 'GET', path });
  if (status === 404) return [];
  if (status !== 200) throw new Error(`GET ${path}: the API server answered ${status}`);
  return storeKeysIn(body);
}

const REMEDY =
  'servers that run put it back; otherwise put your copy there (docs/encryption.md, "The Secret of the chart is lost")';

/** `needed`: names of keys. */
export function decideOnKey(held: Texts, needed: readonly string[], adoptStore: boolean): Verdict {
  const text = held[FILE] ?? '';
  const names = keysIn(text).map(dataKeyName);
  if (text === '' && needed.length === 0 && !adoptStore)
    return { write: { [FILE]: formatKeyFile([newDataKey()]) } };
  const lacking = needed.filter((name) => !names.includes(name));
  if (text !== '' && (adoptStore || lacking.length === 0)) return { use: held };
  const what = lacking.length === 0 ? 'the keys' : `the key ${lacking.join(', ')}`;
  return { wait: `it lacks ${what} of the store, and new ones would not open it: ${REMEDY}` };
}
