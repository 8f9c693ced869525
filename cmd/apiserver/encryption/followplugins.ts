import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../../../pkg/storage/encryption/interface.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { currentKeys, type EncryptionConfig } from '../server/encryption.js';
import type { Operations } from '../server/telemetry.js';

/** How soon a data key is seen that another server made. */
const CHECK_INTERVAL_MS = 2_000;

interface Followed {
  readonly encryption: EncryptionConfig;
  readonly engine: Storage;
  readonly signal: AbortSignal;
  /** Told of the keys that there are now. */
  readonly taken: (keyring: Keyring) => Promise<void>;
}

/**
 * Asks KMS plug-ins for the ids of their keys, now and then, and makes data keys for ids that are new. While one is away what is
 * known stays: the log says so once, and once that it is back. Ends with `signal`; never rejects.
 */
export async function followPlugins(
  { log, report }: Pick<Operations, 'log' | 'report'>,
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
