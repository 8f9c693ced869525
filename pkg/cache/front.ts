/** The readers' side of a cache: the served epoch, its subscribers and waiters. Each call is one step in one turn. */
import type { Epoch } from './store/epoch.js';
import type { ResourceCache, ResourceSource } from './interface.js';
import { createResourceCache } from './resourcecache.js';
import { Broadcaster } from './watch/broadcaster.js';
import { CorruptRecord } from './store/corruptrecord.js';
import { createWaiters } from './watch/waiters.js';
import { UndecryptableRecord } from '../storage/encryption/interface.js';
import type { WatchBatch } from '../storage/interface.js';

export class Front {
  private readonly waiters = createWaiters();
  private readonly broadcasters = new Map<string, Broadcaster>();
  private readonly caches = new Map<string, ResourceCache>();
  /** Of the sources with placeholders. */
  private readonly withPlaceholders: readonly string[];
  private serving: Epoch | undefined = undefined;
  private ended = false;
  /** The revision of the last progress. */
  private reported = 0;

  constructor(
    sources: readonly ResourceSource[],
    private readonly report: (problem: string, error: unknown) => void,
  ) {
    const serving = (): Epoch | undefined => this.serving;
    const ended = (): boolean => this.ended;
    const { waiters } = this;
    this.withPlaceholders = sources.flatMap(({ prefix, placeholder }) => (placeholder ? [prefix] : []));
    for (const { resource } of sources) {
      const broadcaster = new Broadcaster((error) => report(`a subscriber of ${resource} failed`, error));
      this.broadcasters.set(resource, broadcaster);
      this.caches.set(resource, createResourceCache({ resource, broadcaster, waiters, serving, ended }));
    }
  }

  /** RangeError if the resource is not in the cache. */
  resource(name: string): ResourceCache {
    const found = this.caches.get(name);
    if (found === undefined) throw new RangeError(`no resource ${name} in the cache`);
    return found;
  }

  resources(): readonly ResourceCache[] {
    return Array.from(this.caches.values());
  }

  loaded(): boolean {
    return this.serving !== undefined;
  }

  revision(): number {
    return this.serving?.revision() ?? 0;
  }

  /**
   * Serves this epoch from now on, and ends the subscriptions to the one before. The first epoch must have no corrupt
   * records except undecryptable ones: throws {@link CorruptRecord}.
   */
  install(epoch: Epoch): void {
    for (const [key, error] of epoch.corrupt) {
      if (this.serving === undefined && !(error instanceof UndecryptableRecord))
        throw new CorruptRecord(key, { cause: error });
      this.reportLeftOut(key, error);
    }
    this.serving = epoch;
    for (const one of this.broadcasters.values()) one.end();
    this.waiters.reached(epoch.revision());
  }

  /** Applies a batch to the epoch and, if that is being served, notifies subscribers. */
  apply(epoch: Epoch, piece: WatchBatch): void {
    const changes = epoch.apply(piece.events, piece.revision);
    if (epoch !== this.serving) return;
    const revision = epoch.revision();
    for (const { resource, events } of changes) this.broadcasters.get(resource)?.deliver(events, revision);
    this.waiters.reached(revision);
    if (epoch.corrupt.size === 0) return;
    for (const { key } of piece.events) {
      if (epoch.corrupt.has(key)) this.reportLeftOut(key, epoch.corrupt.get(key));
    }
  }

  /** Trims past events and notifies subscribers of progress. */
  sweep(): void {
    this.serving?.sweep();
    const revision = this.revision();
    if (revision === this.reported) return;
    this.reported = revision;
    for (const one of this.broadcasters.values()) one.progress(revision);
  }

  end(): void {
    this.ended = true;
    this.waiters.end();
    for (const one of this.broadcasters.values()) one.end();
  }

  private reportLeftOut(key: string, error: unknown): void {
    const named = this.withPlaceholders.some((prefix) => key.startsWith(prefix));
    this.report(
      `the record at ${key} cannot be read and is ${named ? 'served with its name alone' : 'left out'}`,
      error,
    );
  }
}
