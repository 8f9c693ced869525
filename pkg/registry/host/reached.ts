import type { ResourceCache } from '../../cache/interface.js';

/** Resolves once the cache has no object there that is not being deleted, or after so many milliseconds. */
export async function reachGone(cache: ResourceCache, path: string, timeoutMs: number): Promise<void> {
  const snapshot = cache.latest();
  const current = snapshot.get(path);
  if (current === undefined || current.object().metadata.deletionTimestamp !== undefined) return;
  let timer: NodeJS.Timeout | undefined;
  let cancel = (): void => undefined;
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
    const subscription = cache.subscribe(
      { after: snapshot.revision, prefix: path },
      {
        events(events) {
          const last = events.at(-1);
          if (last?.deleted === true || last?.entry.object().metadata.deletionTimestamp !== undefined)
            resolve();
        },
        progress: () => undefined,
        end: resolve,
      },
    );
    if ('oldest' in subscription) resolve();
    else cancel = () => subscription.cancel();
  });
  clearTimeout(timer);
  cancel();
}
