import type { Entry, ResourceCache } from '../../cache/interface.js';

/** True once the cache has no object at the path, or one that is being deleted; false after the timeout. */
export async function waitForDeletion(
  cache: ResourceCache,
  path: string,
  timeoutMs: number,
): Promise<boolean> {
  const snapshot = cache.latest();
  const current = snapshot.get(path);
  if (current === undefined || isGoing(current)) return true;
  let timer: NodeJS.Timeout | undefined;
  let cancel = (): void => undefined;
  const gone = await new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false);
    const subscription = cache.subscribe(
      { after: snapshot.revision, prefix: path },
      {
        events(events) {
          if (events.some(({ deleted, entry }) => deleted || isGoing(entry))) resolve(true);
        },
        progress: () => undefined,
        end: () => resolve(cache.latest().get(path) === undefined),
      },
    );
    if ('oldest' in subscription) resolve(false);
    else cancel = () => subscription.cancel();
  });
  clearTimeout(timer);
  cancel();
  return gone;
}

const isGoing = (entry: Entry): boolean => entry.object().metadata.deletionTimestamp !== undefined;
