/** Encrypts the whole store with the current key, and records in the store that this is complete. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EncryptedStore } from './openencrypted.js';
import { reencrypt, type Progress, type ReencryptOptions } from './reencrypt.js';
import { isUpToDate } from './survey.js';

/** Writes that another server started before it changed its key have been committed after this time. */
const UNDER_WAY_MS = 5_000;
const PASSES = 10;

export interface Outcome extends Progress {
  /** Whether no record needs another key, and unencrypted records are refused. */
  readonly complete: boolean;
}

/**
 * Called when the servers of the store agree on their keys. The function may be interrupted at any time, and be
 * restarted by any server. Rejects with StorageError.
 */
export async function reencryptAll(store: EncryptedStore, options: ReencryptOptions = {}): Promise<Outcome> {
  const { shared } = store.engine.capabilities;
  let written = 0;
  for (let pass = 1; ; pass += 1) {
    const result = await reencrypt(store, options);
    written += result.written;
    const outcome = { ...result, written };
    if (options.signal?.aborted === true || result.undecryptable.length > 0 || pass === PASSES)
      return { ...outcome, complete: false };
    // Another server may have written all records. The writes that were in progress when the keys changed must be
    // awaited even then.
    if (shared && (result.written > 0 || (pass === 1 && store.membership.hasOld))) {
      const { signal } = options;
      await sleep(UNDER_WAY_MS, undefined, { ref: false, ...(signal !== undefined && { signal }) });
      continue;
    }
    await store.refusePlaintext();
    if (!store.membership.agreed) return { ...outcome, complete: false };
    await store.membership.forgetOld();
    return { ...outcome, complete: await isUpToDate(store.engine, store.keyring) };
  }
}
