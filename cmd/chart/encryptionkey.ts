import { join } from 'node:path';
import type { HostAnswer, HostClient } from '../../pkg/hostclient/interface.js';
import { writePrivate } from '../../pkg/pki/files.js';
import { formatKeyFile, newDataKey, parseKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { patiently } from './patience.js';
import type { Say } from './words.js';

export interface EncryptionKeyWishes {
  /** `namespace/name` */
  readonly secret: string;
  /** A directory. */
  readonly out: string;
}

interface Secret {
  readonly data?: Readonly<Record<string, string>>;
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
  const [namespace, name] = secret.split('/');
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  let told = false;
  const text = await patiently(`the Secret ${secret}`, async () => {
    const answer = await host.send({ method: 'GET', path });
    if (answer.status === 404) {
      if (!told) say(`waits for the Secret ${secret}: it is not there`);
      told = true;
      return undefined;
    }
    if (answer.status !== 200) throw refused('GET', path, answer);
    const found = answer.body as Secret;
    const kept = found.data?.[FILE] ?? '';
    if (kept !== '') return Buffer.from(kept, 'base64').toString();
    await fill(host, path, found);
    return undefined;
  });
  try {
    parseKeyFile(text);
  } catch (error) {
    throw new Error(`${FILE} of the Secret ${secret}: ${(error as Error).message}`);
  }
  await writePrivate(join(out, FILE), text);
}

/** Does nothing where another was first. */
async function fill(host: HostClient, path: string, found: Secret): Promise<void> {
  const value = Buffer.from(formatKeyFile([newDataKey()])).toString('base64');
  const body = { ...found, apiVersion: 'v1', kind: 'Secret', data: { ...found.data, [FILE]: value } };
  const answer = await host.send({ method: 'PUT', path, body });
  if (answer.status >= 300 && answer.status !== 409) throw refused('PUT', path, answer);
}

const refused = (method: string, path: string, { status }: HostAnswer): Error =>
  new Error(`${method} ${path}: the API server answered ${status}`);
