import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../../../storage/encryption/interface.js';
import type { Storage } from '../../../storage/interface.js';
import { currentKeys, type EncryptionConfig } from './keys.js';
import type { UpkeepParts } from '../parts.js';

/** The interval between checks for a data key that another server created. */
const CHECK_INTERVAL_MS = 2_000;

interface Followed {
  readonly encryption: EncryptionConfig;
  readonly engine: Storage;
  readonly signal: AbortSignal;
  /** Called with the new keyring. */
  readonly taken: (keyring: Keyring) => Promise<void>;
}

/**
 * Calls KMS plug-ins periodically for the ids of their keys, and creates data keys for new ids. While a plug-in is
 * unavailable, the current keys stay in use; this is logged once, and once more when the plug-in is available again.
 * Ends with `signal`; never rejects.
 */
export async function followPlugins(
  { log, report }: Pick<UpkeepParts, 'log' | 'report'>,
  { encryption, engine, signal, taken }: Followed,
): Promise<void> {
  const { plugins } = encryption;
  let away = '';
  while (!signal.aborted) {
    try {
      if (await plugins.due(engine)) await taken(await currentKeys(encryption, engine));
    } catch (error) {
      if (plugins.faults.length === 0) report('the keys of the store cannot be followed', error);
    }
    const now = plugins.faults.join('; ');
    if (now !== '' && away === '') log.warn({ reason: now }, 'a KMS plug-in does not answer as it must');
    if (now === '' && away !== '') log.info('the KMS plug-ins answer again');
    away = now;
    await sleep(CHECK_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
