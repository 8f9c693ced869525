/** Brings records to the key that writes them now. Any number of servers may do so at the same time, and begin again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../interface.js';
import type { StoredRecord } from '../interface.js';
import { ALL_KEYS, pagesOf } from '../pages.js';
import { headerIn, isEncrypted, textOfHeader } from './envelope.js';
import type { Keyring } from './interface.js';
import { isFailedPrecondition } from '../precondition.js';
import { STATE_KEY } from './openencrypted.js';
import type { EncryptedStore } from './openencrypted.js';
import { SERVERS_KEY } from './serversrecord.js';

const PAGE_RECORDS = 200;
/** Between pages: others' requests go first. */
const PAUSE_MS = 10;

export interface Progress {
  /** Records that were looked at. */
  readonly seen: number;
  /** Of these were written anew. */
  readonly written: number;
  /** Of these cannot be decrypted and stay as they are: their storage keys. */
  readonly undecryptable: readonly string[];
}

export interface ReencryptOptions {
  readonly signal?: AbortSignal;
  /** Told after each page. */
  readonly progress?: (progress: Progress) => void;
}

/** Whether another key, or none, encrypts what is stored than would be written now. */
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
 * One pass over the store. The state is written last: a key that it does not need is needed by nothing that this pass
 * saw. Rejects with StorageError; what was done is done.
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

/** Who writes a record meanwhile writes it with the key of now. */
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
