import { prefixEnd, StorageError, type Expectation, type Storage } from '../../storage/interface.js';
import { readIfPresent, writePrivate } from '../pki/files.js';
import { formatKubeconfig, tokenOf } from '../pki/kubeconfig.js';
import { generateKey, hashKey, isKey, sameHash } from './adminkey.js';

const PREFIX = 'private/adminkey/';
/** The private record of the administrator's key: its hash, never the key. */
export const ADMIN_KEY = `${PREFIX}admin`;

interface StoredKey {
  /** base64. */
  readonly hash: string;
  /** RFC 3339. */
  readonly created: string;
}

/** What of the administrator's key the store has. */
export interface AdminRecord {
  readonly hash: Buffer | undefined;
  /** Expectation for the next write of the record. */
  readonly expect: Expectation;
  /** The revision at which this was true. */
  readonly revision: number;
}

export async function readAdminRecord(storage: Storage): Promise<AdminRecord> {
  const { record, revision } = await storage.get(ADMIN_KEY);
  return { hash: hashOf(record?.value), expect: record?.revision ?? 'absent', revision };
}

function hashOf(value: Buffer | undefined): Buffer | undefined {
  if (value === undefined) return undefined;
  return Buffer.from((JSON.parse(value.toString('utf8')) as StoredKey).hash, 'base64');
}

export interface AdminKubeconfig {
  readonly storage: Storage;
  readonly pepper: Buffer;
  readonly path: string;
  readonly server: string;
  /** PEM. */
  readonly authority: string;
}

/**
 * Makes sure that `path` holds a kubeconfig with a valid administrator's key. A key in the file that is still valid
 * stays; else a new one replaces the old one in the store. The file is written before the store, so that a key which
 * is in force was never lost; another server that writes at the same time makes this one try again.
 */
export async function keepAdminKubeconfig(options: AdminKubeconfig): Promise<void> {
  for (;;) {
    const [record, text] = await Promise.all([readAdminRecord(options.storage), readIfPresent(options.path)]);
    const held = text === undefined ? undefined : tokenOf(text);
    if (held !== undefined && isKey(held) && record.hash !== undefined) {
      if (sameHash(hashKey(held, options.pepper), record.hash)) return writeIfChanged(options, held, text);
    }
    const key = generateKey();
    await writeIfChanged(options, key, text);
    if (await replace(options, record, key)) return;
  }
}

async function writeIfChanged(
  options: AdminKubeconfig,
  token: string,
  before: string | undefined,
): Promise<void> {
  const { server, authority } = options;
  const text = formatKubeconfig({ server, authority, token });
  if (text !== before) await writePrivate(options.path, text);
}

/** False when another server changed the record meanwhile. */
async function replace(
  { storage, pepper }: AdminKubeconfig,
  record: AdminRecord,
  key: string,
): Promise<boolean> {
  const stored: StoredKey = {
    hash: hashKey(key, pepper).toString('base64'),
    created: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const value = Buffer.from(JSON.stringify(stored));
  try {
    await storage.commit([{ key: ADMIN_KEY, value, expect: record.expect }]);
    return true;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const { code } = error.failure;
    if (code === 'exists' || code === 'conflict' || code === 'not found') return false;
    throw error;
  }
}

/** The hash in force, kept current. */
export interface AdminKeyHash {
  current(): Buffer | undefined;
  close(): void;
}

const RETRY_MS = 500;

/**
 * Follows the record, so that a key that any server replaced stops working at once. While the store is out of reach
 * the last known hash stays in force.
 */
export async function followAdminKey(storage: Storage): Promise<AdminKeyHash> {
  const first = await readAdminRecord(storage);
  const range = { start: PREFIX, end: prefixEnd(PREFIX) };
  let hash = first.hash;
  let closed = false;
  let watch = storage.watch(range, { after: first.revision });
  let pause: NodeJS.Timeout | undefined;

  const follow = async (): Promise<void> => {
    try {
      for await (const { events } of watch) {
        for (const event of events) if (event.key === ADMIN_KEY) hash = hashOf(event.value);
      }
    } catch {
      if (!closed) pause = setTimeout(() => void restart(), RETRY_MS).unref();
    }
  };
  const restart = async (): Promise<void> => {
    try {
      const record = await readAdminRecord(storage);
      if (closed) return;
      hash = record.hash;
      watch = storage.watch(range, { after: record.revision });
      void follow();
    } catch {
      if (!closed) pause = setTimeout(() => void restart(), RETRY_MS).unref();
    }
  };
  void follow();
  return {
    current: () => hash,
    close() {
      closed = true;
      clearTimeout(pause);
      watch.cancel();
    },
  };
}
