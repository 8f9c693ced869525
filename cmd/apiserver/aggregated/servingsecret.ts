/** The serving certificate of aggregated mode in a Secret of the cluster. */
import type { HostClient } from '../../../pkg/hostclient/interface.js';
import type { KeyPair } from '../../../pkg/pki/issue.js';
import { keepServingSecret, type ServingKeeper } from '../../../pkg/pki/servingsecret/keep.js';
import { joinBundle, type ServingRecord } from '../../../pkg/pki/servingsecret/record.js';
import type { ServingSecretConfig } from '../options/servingsecret.js';

/** A certificate that is renewed while the server runs. */
export interface ServingSource {
  /** The current certificate. */
  readonly current: () => KeyPair;
  /** PEM of all authorities that clients must trust. */
  readonly authorities: () => string;
  /** Calls `use` with each later certificate. */
  readonly follow: (use: (pair: KeyPair) => void) => void;
  readonly stop: () => void;
}

/**
 * Resolves when there is a certificate, which may take until the host answers. Maintains it from then on,
 * together with other replicas. Rejects only when `signal` is aborted. `failed` is called for each failure.
 */
export async function servingFromSecret(
  host: HostClient,
  config: ServingSecretConfig,
  failed: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<ServingSource> {
  let record: ServingRecord | undefined;
  let use = (_pair: KeyPair): void => undefined;
  const keeper = await new Promise<ServingKeeper>((resolve, reject) => {
    const keeping = keepServingSecret({
      ...config,
      host,
      failed,
      use(next) {
        const { serving: before } = record ?? {};
        record = next;
        if (before === undefined) resolve(keeping);
        else if (before.certificate !== next.serving.certificate) use(next.serving);
      },
    });
    const giveUp = (): void => {
      keeping.stop();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
  });
  const known = (): ServingRecord => {
    if (record === undefined) throw new Error('the serving certificate is not there yet');
    return record;
  };
  return {
    current: () => known().serving,
    authorities: () => joinBundle(known().authorities),
    follow: (listener) => void (use = listener),
    stop: keeper.stop,
  };
}
