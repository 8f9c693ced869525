/** Composes the cache of a store (`interface.ts`). */
import type { Cache, CacheOptions, ResourceSource, CacheHealth } from './interface.js';
import { Reflector, type ReflectorSteps } from './watch/reflector.js';
import type { EpochLimits } from './store/epoch.js';
import { loadEpoch, planLoad } from './store/load.js';
import { Front } from './front.js';
import { CorruptRecord } from './store/corruptrecord.js';
import type { Storage } from '../storage/interface.js';

interface Settings {
  readonly limits: EpochLimits;
  readonly loadHistory: number;
  readonly retryMs: number;
  readonly progressMs: number;
  readonly report: (problem: string, error: unknown) => void;
}

function settingsOf(options: CacheOptions): Settings {
  return {
    limits: {
      // Watches hear a bookmark each minute; Kubernetes' watch cache keeps 75 s and at most 102,400 events too.
      ageMs: options.historyMs ?? 75_000,
      events: options.historyEvents ?? 102_400,
      bytes: options.historyBytes ?? 32 << 20,
      parsedBytes: options.parsedBytes ?? 32 << 20,
    },
    loadHistory: options.loadHistory ?? 131_072,
    retryMs: options.retryMs ?? 50,
    progressMs: options.progressMs ?? 1_000,
    report: options.report ?? (() => undefined),
  };
}

const SOURCE_PREFIX = /^registry\/[^/]+\/[^/]+\/$/;

/**
 * Resolves when everything is loaded. Waits up to `giveUpMs` while the store is unavailable, then rejects with
 * StorageError `unavailable`. Rejects with {@link CorruptRecord}.
 */
export async function openCache(
  storage: Storage,
  sources: readonly ResourceSource[],
  options: CacheOptions = {},
): Promise<Cache> {
  const cache = startCache(storage, sources, options);
  try {
    await cache.ready;
  } catch (error) {
    await cache.close();
    throw error;
  }
  return cache;
}

/**
 * Starts loading, and retries while the store is unavailable. RangeError: sources with bad prefixes or equal names.
 */
export function startCache(
  storage: Storage,
  sources: readonly ResourceSource[],
  options: CacheOptions = {},
): Cache {
  checkSources(sources);
  const settings = settingsOf(options);
  const front = new Front(sources, settings.report);
  const health = recordHealth();
  const ready = openPromise();
  const giveUp = performance.now() + (options.giveUpMs ?? Infinity);
  const steps: ReflectorSteps = {
    plan: (reachBack) => planLoad(storage, reachBack ? settings.loadHistory : 0),
    load: ({ start }) => loadEpoch(storage, sources, start, settings.limits),
    install(epoch) {
      front.install(epoch);
      ready.resolve();
    },
    apply: (epoch, piece) => front.apply(epoch, piece),
    following: health.following,
    failed(error) {
      health.failed(error);
      settings.report('the cache does not follow the store', error);
      const late = !front.loaded() && performance.now() > giveUp;
      const hopeless = late || error instanceof CorruptRecord;
      if (hopeless) ready.reject(error);
      return !hopeless;
    },
    seen: () => front.revision(),
  };
  const reflector = new Reflector(storage, steps, settings.retryMs);
  const sweeping = setInterval(() => front.sweep(), settings.progressMs).unref();

  return {
    resource: (name) => front.resource(name),
    resources: () => front.resources(),
    revision: () => front.revision(),
    ready: ready.promise,
    health: () => health.health(front.loaded()),
    healthy: () => front.loaded() && health.health(true).following,
    async close() {
      clearInterval(sweeping);
      reflector.stop();
      front.end();
      ready.reject(new Error('the cache was closed'));
      await reflector.stopped;
    },
  };
}

function checkSources(sources: readonly ResourceSource[]): void {
  const bad = sources.find(({ prefix }) => !SOURCE_PREFIX.test(prefix));
  if (bad !== undefined) throw new RangeError(`${bad.prefix} is no prefix of a resource`);
  if (new Set(sources.map(({ resource }) => resource)).size < sources.length) {
    throw new RangeError('two sources have the same resource');
  }
}

interface OpenPromise {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** Its rejection need not be handled. */
function openPromise(): OpenPromise {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** Keeps {@link CacheHealth}. */
interface HealthRecord {
  following(): void;
  failed(error: unknown): void;
  health(loaded: boolean): CacheHealth;
}

function recordHealth(): HealthRecord {
  let following = false;
  let since = performance.now();
  let problem: string | undefined;

  function turn(to: boolean): void {
    if (following !== to) since = performance.now();
    following = to;
  }

  return {
    following() {
      turn(true);
      problem = undefined;
    },
    failed(error) {
      turn(false);
      problem = error instanceof Error ? error.message : 'unknown failure';
    },
    health: (loaded) => ({ loaded, following, sinceMs: performance.now() - since, problem }),
  };
}
