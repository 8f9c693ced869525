/** Removals at the host that commits have begun. They continue after a commit stops waiting for them. */
import { CACHE_TIMEOUT_MS } from '../generic/waitforcache.js';
import type { HostWrite } from './puts.js';
import { removeWithRetries } from './removals.js';
import { waitForDeletion } from './waitforcaches.js';

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
