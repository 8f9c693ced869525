/** Removals at the host that commits have begun. They continue after a commit stops waiting for them. */
import { CACHE_TIMEOUT_MS } from '../transaction/waitforcache.js';
import type { HostWrite } from './puts.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../../storage/interface.js';
import type { Entry, ResourceCache } from '../../cache/interface.js';

/** Removals at the host after a commit, which can no longer fail: they are retried until the objects are gone. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** How long an unreachable host is retried. */
const PERSISTENCE_MS = 120_000;
/** How many conflicts with other writers are retried. */
const CHASES = 5;

/** Resolves with undefined once the object is gone, or with the last error. */
async function removeWithRetries({ kind, write }: HostWrite, signal: AbortSignal): Promise<unknown> {
  const until = performance.now() + PERSISTENCE_MS;
  let { expect } = write;
  let chased = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      await kind.storage.commit([{ key: write.key, expect }]);
      return undefined;
    } catch (error) {
      const { failure } = error instanceof StorageError ? error : {};
      if (failure?.code === 'not found') return undefined;
      if (failure?.code === 'conflict' && chased < CHASES) {
        expect = failure.current.revision;
        chased += 1;
        continue;
      }
      if (failure?.code !== 'unavailable' || performance.now() > until) return error;
      // After an outage, a conflict means a later writer, whose object stays.
      chased = CHASES;
      const stopped = await sleep(pause, false, { signal }).catch(() => true);
      if (stopped) return error;
    }
  }
}

/** Logs an object that remains at the host and should not. */
export type ReportLeft = (problem: string, error: unknown) => void;

const PUT_ANEW = 'put anew';

export class PendingRemovals {
  private readonly pending = new Map<string, AbortController>();

  constructor(
    private readonly closing: AbortSignal,
    private readonly report: ReportLeft,
  ) {}

  /** True if all objects are gone, from the caches too; false if one remains, or after the timeout. */
  async begin(removals: readonly HostWrite[], timeoutMs: number): Promise<boolean> {
    if (removals.length === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, timeoutMs, false)));
    const gone = await Promise.race([this.removeAll(removals), late]);
    clearTimeout(timer);
    return gone;
  }

  /** Cancels the removal of an object that is written again; its remover then counts it as removed. */
  cancel(key: string): void {
    this.pending.get(key)?.abort(PUT_ANEW);
    this.pending.delete(key);
  }

  private async removeAll(removals: readonly HostWrite[]): Promise<boolean> {
    const gone = await Promise.all(removals.map((removal) => this.remove(removal)));
    return gone.every(Boolean);
  }

  private async remove(removal: HostWrite): Promise<boolean> {
    const { kind, write } = removal;
    const stop = new AbortController();
    this.pending.get(write.key)?.abort();
    this.pending.set(write.key, stop);
    const left = await removeWithRetries(removal, AbortSignal.any([stop.signal, this.closing]));
    if (this.pending.get(write.key) === stop) this.pending.delete(write.key);
    if (left === undefined)
      return waitForDeletion(kind.cache, write.key.slice(kind.prefix.length), CACHE_TIMEOUT_MS);
    if (!stop.signal.aborted) this.report(`${write.key} stays at the host`, left);
    return stop.signal.reason === PUT_ANEW;
  }
}

/** True once the cache has no object at the path, or one that is being deleted; false after the timeout. */
async function waitForDeletion(cache: ResourceCache, path: string, timeoutMs: number): Promise<boolean> {
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
