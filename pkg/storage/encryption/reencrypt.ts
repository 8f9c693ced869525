/**
 * Encrypts records again with the key that encrypts now. Several servers may run this at the same time, and it can be
 * restarted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError, type StoredRecord } from '../interface.js';
import { ALL_KEYS, pagesOf } from '../pages.js';
import { headerIn, isEncrypted, textOfHeader } from './envelope.js';
import type { Keyring } from './interface.js';
import { isFailedPrecondition } from '../precondition.js';
import { STATE_KEY, type EncryptedStore } from './openencrypted.js';
import { SERVERS_KEY } from './serversrecord.js';

const PAGE_RECORDS = 200;
/** The pause between pages, so that other requests are served first. */
const PAUSE_MS = 10;

export interface Progress {
  /** The number of records that were read. */
  readonly seen: number;
  /** The number of records that were written. */
  readonly written: number;
  /** The storage keys of records that cannot be decrypted, and are not changed. */
  readonly undecryptable: readonly string[];
}

export interface ReencryptOptions {
  readonly signal?: AbortSignal;
  /** Called after each page. */
  readonly progress?: (progress: Progress) => void;
}

/**
 * Whether a stored record is encrypted with another key than the one that would encrypt it now, or is unencrypted
 * although it should not be.
 */
export function isStale(
  keyring: Pick<Keyring, 'writer'>,
  { key, value }: Pick<StoredRecord, 'key' | 'value'>,
): boolean {
  if (key === SERVERS_KEY) return false;
  const writer = keyring.writer(key);
  const found = isEncrypted(value) ? headerIn(value) : undefined;
  return found !== (writer && textOfHeader(writer));
}

/**
 * Reads the whole store once. The state is written last: if it does not need a key, no record that this pass read needs
 * the key. Rejects with StorageError; records that were written stay so.
 */
export async function reencrypt(store: EncryptedStore, options: ReencryptOptions = {}): Promise<Progress> {
  const { signal, progress = () => undefined } = options;
  let [seen, written] = [0, 0];
  const undecryptable: string[] = [];
  for await (const page of pagesOf(store.engine, ALL_KEYS, { limit: PAGE_RECORDS })) {
    for (const record of page) {
      if (signal?.aborted === true) return { seen, written, undecryptable };
      seen += 1;
      if (record.key === STATE_KEY || !isStale(store.keyring, record)) continue;
      const outcome = await rewrite(store, record.key);
      if (outcome === 'undecryptable') undecryptable.push(record.key);
      else if (outcome === 'written') written += 1;
    }
    progress({ seen, written, undecryptable });
    await sleep(PAUSE_MS);
  }
  if (undecryptable.length === 0) await rewrite(store, STATE_KEY);
  return { seen, written, undecryptable };
}

/** A concurrent write uses the current key, too, so a conflict needs no retry. */
async function rewrite(
  { storage, engine, keyring }: EncryptedStore,
  key: string,
): Promise<'written' | 'left' | 'undecryptable'> {
  try {
    const raw = (await engine.get(key)).record;
    if (raw === undefined || !isStale(keyring, raw)) return 'left';
    const { record } = await storage.get(key);
    if (record === undefined) return 'left';
    await storage.commit([{ key, value: record.value, expect: record.revision }]);
    return 'written';
  } catch (error) {
    if (isFailedPrecondition(error)) return 'left';
    if (error instanceof StorageError && error.failure.code === 'undecryptable') return 'undecryptable';
    throw error;
  }
}
