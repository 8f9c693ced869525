/** One cache for each kind of the host, with a revision of its own. */
import { openCache } from '../../cache/cache.js';
import type { Cache, CacheHealth, CacheOptions, ResourceSource } from '../../cache/interface.js';
import type { Storage } from '../../storage/interface.js';
import type { HostKind } from './kinds.js';

/** `cache` is the only resource of `whole`. */
export interface HostCache extends HostKind {
  readonly whole: Cache;
}

/** Sources, with the storages of their objects. */
export interface Sources {
  readonly storage: Storage;
  readonly own: readonly ResourceSource[];
  readonly host: readonly (ResourceSource & { readonly storage: Storage })[];
}

/** Closes all caches and rejects like `openCache` if one fails. */
export async function openCaches(
  { storage, own, host }: Sources,
  options: CacheOptions,
): Promise<{ readonly own: Cache; readonly hostCaches: readonly HostCache[] }> {
  const opening = Promise.allSettled(host.map((source) => openHostCache(source, options)));
  const [ours] = await Promise.allSettled([openCache(storage, own, options)]);
  const theirs = await opening;
  const failed = [ours, ...theirs].find((one) => one.status === 'rejected');
  const hostCaches = theirs.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (failed === undefined && ours.status === 'fulfilled') return { own: ours.value, hostCaches };
  if (ours.status === 'fulfilled') await ours.value.close();
  await Promise.all(hostCaches.map(({ whole }) => whole.close()));
  throw failed?.reason;
}

async function openHostCache(
  { storage, ...source }: Sources['host'][number],
  options: CacheOptions,
): Promise<HostCache> {
  const report = (problem: string, error: unknown): void =>
    options.report?.(`${source.resource} of the host: ${problem}`, error);
  // A list of the host has the current state only, so no history can be loaded.
  const whole = await openCache(storage, [source], { ...options, loadHistory: 0, report });
  return { prefix: source.prefix, storage, whole, cache: whole.resource(source.resource) };
}

/** The store's cache with the resources of the host. Its health is the worst of all caches; closing it closes all. */
export function joinedCache(own: Cache, hostCaches: readonly HostCache[]): Cache {
  if (hostCaches.length === 0) return own;
  const theirs = hostCaches.map(({ cache }) => cache);
  const wholes = [own, ...hostCaches.map(({ whole }) => whole)];
  return {
    ...own,
    healthy: () => wholes.every((one) => one.healthy()),
    health: () => joinedHealth(wholes.map((one) => one.health())),
    resource: (name) => theirs.find(({ resource }) => resource === name) ?? own.resource(name),
    resources: () => [...own.resources(), ...theirs],
    async close() {
      await Promise.all(wholes.map((one) => one.close()));
    },
  };
}

function joinedHealth(all: readonly CacheHealth[]): CacheHealth {
  const stale = all.filter(({ following }) => !following);
  const sinces = (stale.length > 0 ? stale : all).map(({ sinceMs }) => sinceMs);
  return {
    loaded: all.every(({ loaded }) => loaded),
    following: stale.length === 0,
    sinceMs: stale.length > 0 ? Math.max(...sinces) : Math.min(...sinces),
    problem: all.find(({ problem }) => problem !== undefined)?.problem,
  };
}

/** Whether each cache follows the host, or did so within this time. */
export const syncedWithin = (hostCaches: readonly HostCache[], withinMs: number): boolean =>
  hostCaches.every(({ whole }) => {
    const { loaded, following, sinceMs } = whole.health();
    return loaded && (following || sinceMs <= withinMs);
  });
