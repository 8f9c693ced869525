/** Brings all of a store to the key of now, and says in the store that it is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EncryptedStore } from './openencrypted.js';
import type { Progress, ReencryptOptions } from './reencrypt.js';
import { reencrypt } from './reencrypt.js';
import { isUpToDate } from './survey.js';

/** What another server began to write before it changed its key has reached the store by then. */
const UNDER_WAY_MS = 5_000;
/** While servers of a release without encryption may still write. */
const EARLIER_MS = 60_000;
const PASSES = 10;

export interface Outcome extends Progress {
  /** No record needs another key, and none is believed that is not encrypted. */
  readonly complete: boolean;
}

/** Of servers that agree. It may end anywhere, and be begun again by any of them. Rejects with StorageError. */
export async function reencryptAll(store: EncryptedStore, options: ReencryptOptions = {}): Promise<Outcome> {
  const { shared } = store.engine.capabilities;
  let written = 0;
  for (let pass = 1; ; pass += 1) {
    const result = await reencrypt(store, options);
    written += result.written;
    const outcome = { ...result, written };
    if (options.signal?.aborted === true || result.undecryptable.length > 0 || pass === PASSES)
      return { ...outcome, complete: false };
    // Another may have done all of the writing: what was under way when the keys changed is waited for all the same.
    if (shared && (result.written > 0 || (pass === 1 && store.membership.hasOld))) {
      const { signal } = options;
      const pause = store.mayHoldPlaintext ? EARLIER_MS : UNDER_WAY_MS;
      await sleep(pause, undefined, { ref: false, ...(signal !== undefined && { signal }) });
      continue;
    }
    await store.refusePlaintext();
    if (!store.membership.agreed) return { ...outcome, complete: false };
    await store.membership.forgetOld();
    return { ...outcome, complete: await isUpToDate(store.engine, store.keyring) };
  }
}
