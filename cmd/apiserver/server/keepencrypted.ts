/** Encrypts in the background what the store has from before, or with another key than is written with now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { needsReencryption } from '../../../pkg/storage/encryption/openencrypted.js';
import type { EncryptedStore } from '../../../pkg/storage/encryption/openencrypted.js';
import { reencrypt } from '../../../pkg/storage/encryption/reencrypt.js';
import type { Operations } from './telemetry.js';

/** After a failure, and between passes while servers of an earlier release may still write. */
const AGAIN_MS = 60_000;

export function keepEncrypted(
  { log, report, closers }: Pick<Operations, 'log' | 'report' | 'closers'>,
  store: EncryptedStore,
): void {
  const stop = new AbortController();
  const { signal } = stop;
  const done = run().catch(() => undefined);
  closers.push(async () => {
    stop.abort();
    await done;
  });

  async function run(): Promise<void> {
    while (!signal.aborted && (await isNeeded())) {
      if (await pass()) return;
      await sleep(AGAIN_MS, undefined, { signal, ref: false });
    }
  }

  async function isNeeded(): Promise<boolean> {
    try {
      return await needsReencryption(store);
    } catch (error) {
      report('what is stored cannot be encrypted anew', error);
      return true;
    }
  }

  /** Whether there is nothing more to do. */
  async function pass(): Promise<boolean> {
    try {
      const { seen, written, undecryptable } = await reencrypt(store, { signal });
      if (signal.aborted) return true;
      if (written > 0) log.info({ seen, written }, 'records were encrypted with the key of now');
      if (undecryptable.length > 0) {
        log.warn({ records: undecryptable.length, first: undecryptable[0] }, 'records cannot be decrypted');
        return true;
      }
      // Servers of an earlier release on the same store may still write what is not encrypted.
      if (store.mayHoldPlaintext && (written === 0 || !store.storage.capabilities.shared))
        await store.refusePlaintext();
      return !store.mayHoldPlaintext;
    } catch (error) {
      report('what is stored cannot be encrypted anew', error);
      return false;
    }
  }
}
