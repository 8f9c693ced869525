/** Keeps the serving Secret and the APIService as they should be, together with the other servers that do the same. */
import type { HostClient } from '../../hostclient/interface.js';
import {
  publishBundle,
  readSecret,
  watchApiService,
  watchSecret,
  writeSecret,
  type NamespacedName,
} from './objects.js';
import { nextRecord, type ServingRequirements } from './plan.js';
import { joinBundle, type ServingRecord } from './record.js';

export interface ServingSecretOptions extends ServingRequirements {
  readonly host: HostClient;
  readonly secret: NamespacedName;
  /** Whose `caBundle` is kept equal; undefined: nobody's. */
  readonly apiService: string | undefined;
  /** Told of the first certificate, and whenever it or the authorities changed. */
  readonly use: (record: ServingRecord) => void;
  /** Told of what went wrong, again and again; it is tried again. */
  readonly failed: (error: unknown) => void;
}

export interface ServingKeeper {
  stop(): void;
}

/** So long after the APIService has a bundle, every API server of the host trusts it. */
const SETTLE_MS = 60_000;
const RETRY_MS = { first: 500, most: 30_000 } as const;
const WATCH_AGAIN_MS = 3_000;
/** A compare-and-swap that is lost so often in one go is left for the next. */
const ATTEMPTS = 10;

/** Begins at once and goes on until it is stopped. */
export function keepServingSecret(options: ServingSecretOptions): ServingKeeper {
  const { host, secret, apiService } = options;
  const stopping = new AbortController();
  const alarm = createAlarm(stopping.signal);
  const turn = createTurn(options);
  void run(turn, alarm, stopping.signal, options);
  void follow(host, watchSecret(secret), alarm.wake, stopping.signal);
  if (apiService !== undefined) void follow(host, watchApiService(apiService), alarm.wake, stopping.signal);
  return { stop: () => stopping.abort() };
}

async function run(
  turn: () => Promise<void>,
  alarm: Alarm,
  stopped: AbortSignal,
  { lives, failed }: ServingSecretOptions,
): Promise<void> {
  let pause: number = RETRY_MS.first;
  while (!stopped.aborted) {
    try {
      await turn();
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

/** One look at both objects, and what follows from it. */
function createTurn(options: ServingSecretOptions): () => Promise<void> {
  const { host, secret, apiService, names, lives } = options;
  let used: ServingRecord | undefined;
  /** Since when the APIService has been seen with this bundle. */
  let settled = { bundle: '', since: Infinity };

  const use = (record: ServingRecord): void => {
    const changed = JSON.stringify(record) !== JSON.stringify(used);
    used = record;
    if (changed) options.use(record);
  };
  const publish = async ({ authorities }: ServingRecord): Promise<boolean> => {
    const bundle = joinBundle(authorities);
    const state = apiService === undefined ? 'equal' : await publishBundle(host, apiService, authorities);
    if (state === 'changed' || settled.bundle !== bundle) settled = { bundle, since: Date.now() };
    return Date.now() - settled.since >= settleMs(lives);
  };

  return async () => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await readSecret(host, secret);
      if (found.record !== undefined) use(found.record);
      const published = found.record !== undefined && (await publish(found.record));
      const situation = { record: found.record, remembered: used, published, now: Date.now() };
      const next = await nextRecord(situation, { names, lives });
      if (next === undefined) return;
      await writeSecret(host, secret, found, next);
    }
    throw new Error('the Secret changes all the time');
  };
}

const settleMs = ({ servingMs }: ServingSecretOptions['lives']): number =>
  Math.min(SETTLE_MS, servingMs / 10);

/** Wakes with every event, and with every end of a watch, which may have missed some. */
async function follow(host: HostClient, path: string, wake: () => void, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    try {
      for await (const _event of host.watch(path, stopped)) wake();
    } catch {
      // What is wrong with the host shows in the turns.
    }
    await createAlarm(stopped).sleep(WATCH_AGAIN_MS);
    wake();
  }
}

interface Alarm {
  /** Ends a sleep that is under way, or the next one at once. */
  readonly wake: () => void;
  sleep(ms: number): Promise<void>;
}

function createAlarm(stopped: AbortSignal): Alarm {
  let rung = false;
  let end: (() => void) | undefined;
  const wake = (): void => {
    rung = true;
    end?.();
  };
  return {
    wake,
    async sleep(ms) {
      if (!rung && !stopped.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
          stopped.addEventListener('abort', end, { once: true });
        });
        if (end !== undefined) stopped.removeEventListener('abort', end);
        end = undefined;
      }
      rung = false;
    },
  };
}
