import type { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import type { KubeObject } from '../../api/resource.js';
import { StatusError } from '../../pkg/apimachinery/errors.js';
import type { LastUsed } from '../../pkg/authentication/accesskey/lastused.js';
import { timestamp } from '../../pkg/registry/metadata.js';
import type { ResourceStore } from '../../pkg/registry/resourcestore.js';
import { updateObject } from '../../pkg/registry/update.js';

const HOUR_MS = 3_600_000;
/** How often keys that were used are looked at. */
const LOOK_MS = 5_000;

const OPTIONS = {
  requester: { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'apiserver',
};

/** Whether a use at `at` (ms) is to be written: an hour after what is told, or a tenth of the time to live. */
export function isDue({ spec = {}, status = {} }: OwnedAccessKey, at: number): boolean {
  const { ttl = 0, ttlAfterLastActivity = false } = spec;
  const told = status.lastActivity === undefined ? -Infinity : Date.parse(status.lastActivity);
  const pause = ttlAfterLastActivity && ttl > 0 ? Math.min(HOUR_MS, ttl * 100) : HOUR_MS;
  return at - told >= pause;
}

/** Writes to `status.lastActivity` when keys were used; answers how to end that. */
export function tellLastActivity(
  store: ResourceStore,
  lastUsed: LastUsed,
  failed: (error: unknown) => void,
): () => Promise<void> {
  const waiting = new Map<string, number>();
  let telling = Promise.resolve();
  const tell = async (): Promise<void> => {
    for (const [name, at] of lastUsed.take()) waiting.set(name, at);
    for (const [name, at] of waiting) {
      const key = store.cache.latest().get(name)?.object() as OwnedAccessKey | undefined;
      if (key === undefined) waiting.delete(name);
      if (key === undefined || !isDue(key, at)) continue;
      waiting.delete(name);
      await write(store, name, at);
    }
  };
  const timer = setInterval(() => {
    telling = telling.then(tell).catch(failed);
  }, LOOK_MS).unref();
  return async () => {
    clearInterval(timer);
    await telling;
  };
}

async function write(store: ResourceStore, name: string, at: number): Promise<void> {
  const change = (live: KubeObject): KubeObject => {
    const { status } = live as OwnedAccessKey;
    return structuredClone({ ...live, status: { ...status, lastActivity: timestamp(at) } });
  };
  const request = { namespace: '', name, subresource: 'status', change, versionRequired: false };
  try {
    await updateObject(store, request, OPTIONS);
  } catch (error) {
    // The key may be gone by now.
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
