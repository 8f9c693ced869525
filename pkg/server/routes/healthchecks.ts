import type { HealthCheck, HealthEndpoint } from './health.js';

export interface HealthSources {
  /** Rejects while the store is out of reach. */
  readonly storage: () => Promise<unknown>;
  /** Whether every cache is loaded. */
  readonly synced: () => boolean;
  readonly shuttingDown: () => boolean;
  /** The reasons why KMS plug-ins cannot be used; absent without plug-ins. */
  readonly keyFaults?: (() => readonly string[]) | undefined;
}

/** A store that has not answered by then is down; a probe hears of it within a second. */
const STORE_TIMEOUT_MS = 800;

/** The endpoints with the names of checks that kube-apiserver has. */
export function healthEndpoints(sources: HealthSources): HealthEndpoint[] {
  const ping: HealthCheck = { name: 'ping', check: () => undefined };
  const log: HealthCheck = { name: 'log', check: () => undefined };
  const reachable = sharedCheck(() => withTimeout(sources.storage(), STORE_TIMEOUT_MS));
  const live: HealthCheck[] = [ping, log, { name: 'etcd', check: reachable }];
  const keys = keyChecks(sources.keyFaults);
  const ready: HealthCheck[] = [
    ...live,
    { name: 'etcd-readiness', check: reachable },
    { name: 'informer-sync', check: () => must(sources.synced(), 'caches are not loaded yet') },
    { name: 'shutdown', check: () => must(!sources.shuttingDown(), 'process is shutting down') },
  ];
  return [
    { name: 'healthz', checks: [...live, ...keys] },
    { name: 'livez', checks: [...live, ...keys.map(apart)] },
    { name: 'readyz', checks: [...ready, ...keys.map(apart)] },
  ];
}

/**
 * The endpoints of an aggregated server, which must stay in service without a store: only `/readyz/etcd` reports its
 * state. `synced`: whether objects can be served, or the timeout for that has passed.
 */
export function hostedHealthEndpoints(sources: HealthSources): HealthEndpoint[] {
  const { storage, synced, shuttingDown } = sources;
  const ping: HealthCheck = { name: 'ping', check: () => undefined };
  const log: HealthCheck = { name: 'log', check: () => undefined };
  const reachable = sharedCheck(() => withTimeout(storage(), STORE_TIMEOUT_MS));
  const live: HealthCheck[] = [ping, log, { name: 'etcd', apart: true, check: reachable }];
  const keys = keyChecks(sources.keyFaults);
  const ready: HealthCheck[] = [
    ...live,
    { name: 'etcd-readiness', apart: true, check: reachable },
    { name: 'informer-sync', check: () => must(synced(), 'caches are not loaded yet') },
    { name: 'shutdown', check: () => must(!shuttingDown(), 'process is shutting down') },
  ];
  return [
    { name: 'healthz', checks: [...live, ...keys] },
    { name: 'livez', checks: [...live, ...keys.map(apart)] },
    { name: 'readyz', checks: [...ready, ...keys.map(apart)] },
  ];
}

const apart = (check: HealthCheck): HealthCheck => ({ ...check, apart: true });

/** Reads work while a plug-in is unavailable, so the server stays in service. */
function keyChecks(faults: HealthSources['keyFaults']): HealthCheck[] {
  if (faults === undefined) return [];
  return [{ name: 'kms-providers', check: () => must(faults().length === 0, faults().join('; ')) }];
}

function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

/** Probes that come while one is under way share its outcome, so a store that hangs is not piled upon. */
function sharedCheck(check: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= check()
      .then(() => undefined)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}

async function withTimeout(work: Promise<unknown>, ms: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the store did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
