/** Reconciles the serving Secret and the APIService, together with other servers that do the same. */
import type { HostClient } from '../../hostclient/interface.js';
import {
  publishBundle,
  readServingSecret,
  watchApiService,
  watchSecret,
  writeServingSecret,
} from './objects.js';
import type { ObjectKey } from '../../../api/resource.js';
import { nextRecord, type ServingRequirements } from './plan.js';
import { joinBundle, type ServingRecord } from './record.js';

export interface ServingSecretOptions extends ServingRequirements {
  readonly host: HostClient;
  readonly secret: ObjectKey;
  /** The APIService whose `caBundle` is reconciled; undefined: none. */
  readonly apiService: string | undefined;
  /** Called with the first certificate, and when it or the authorities change. */
  readonly use: (record: ServingRecord) => void;
  /** Called with each error; the step is retried. */
  readonly failed: (error: unknown) => void;
}

export interface ServingKeeper {
  stop(): void;
}

/** The time after which every API server of the host trusts the bundle of the APIService. */
const SETTLE_MS = 60_000;
const RETRY_MS = { first: 500, most: 30_000 } as const;
const WATCH_AGAIN_MS = 3_000;
/** The maximum number of conflicts in one reconciliation. */
const ATTEMPTS = 10;

/** Starts at once and runs until it is stopped. */
export function keepServingSecret(options: ServingSecretOptions): ServingKeeper {
  const { host, secret, apiService } = options;
  const stopping = new AbortController();
  const alarm = new Alarm(stopping.signal);
  const { wake } = alarm;
  void run(new ServingSecretReconciler(options), alarm, stopping.signal, options);
  void follow(host, watchSecret(secret), wake, stopping.signal);
  if (apiService !== undefined) void follow(host, watchApiService(apiService), wake, stopping.signal);
  return { stop: () => stopping.abort() };
}

async function run(
  reconciler: ServingSecretReconciler,
  alarm: Alarm,
  stopped: AbortSignal,
  { lives, failed }: ServingSecretOptions,
): Promise<void> {
  let pause: number = RETRY_MS.first;
  while (!stopped.aborted) {
    try {
      await reconciler.reconcile();
      pause = RETRY_MS.first;
      await alarm.sleep(settleMs(lives) / 2);
    } catch (error) {
      if (stopped.aborted) return;
      failed(error);
      await alarm.sleep(pause);
      pause = Math.min(2 * pause, RETRY_MS.most);
    }
  }
}

/** Reads both objects and brings them to their next state. */
class ServingSecretReconciler {
  private used: ServingRecord | undefined;
  /** The bundle of the APIService, and since when it has been observed. */
  private published = { bundle: '', since: Infinity };

  constructor(private readonly options: ServingSecretOptions) {}

  async reconcile(): Promise<void> {
    const { host, secret, names, lives } = this.options;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await readServingSecret(host, secret);
      if (found.record !== undefined) this.use(found.record);
      const published = found.record !== undefined && (await this.publish(found.record));
      const situation = { record: found.record, remembered: this.used, published, now: Date.now() };
      const next = await nextRecord(situation, { names, lives });
      if (next === undefined) return;
      await writeServingSecret(host, secret, found, next);
    }
    throw new Error(`the Secret still conflicts after ${ATTEMPTS} attempts`);
  }

  private use(record: ServingRecord): void {
    const changed = JSON.stringify(record) !== JSON.stringify(this.used);
    this.used = record;
    if (changed) this.options.use(record);
  }

  private async publish({ authorities }: ServingRecord): Promise<boolean> {
    const { host, apiService, lives } = this.options;
    const bundle = joinBundle(authorities);
    const state = apiService === undefined ? 'equal' : await publishBundle(host, apiService, authorities);
    if (state === 'changed' || this.published.bundle !== bundle)
      this.published = { bundle, since: Date.now() };
    return Date.now() - this.published.since >= settleMs(lives);
  }
}

const settleMs = ({ servingMs }: ServingSecretOptions['lives']): number =>
  Math.min(SETTLE_MS, servingMs / 10);

/** Wakes on every event, and at the end of every watch, which may have missed some. */
async function follow(host: HostClient, path: string, wake: () => void, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    try {
      for await (const _event of host.watch(path, stopped)) wake();
    } catch {
      // Errors of the host are reported by the reconciler.
    }
    await new Alarm(stopped).sleep(WATCH_AGAIN_MS);
    wake();
  }
}

class Alarm {
  private rung = false;
  private end: (() => void) | undefined;

  constructor(private readonly stopped: AbortSignal) {}

  /** Ends the current sleep, or the next one at once. */
  readonly wake = (): void => {
    this.rung = true;
    this.end?.();
  };

  async sleep(ms: number): Promise<void> {
    if (!this.rung && !this.stopped.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.end = () => {
          clearTimeout(timer);
          resolve();
        };
        this.stopped.addEventListener('abort', this.end, { once: true });
      });
      if (this.end !== undefined) this.stopped.removeEventListener('abort', this.end);
      this.end = undefined;
    }
    this.rung = false;
  }
}
