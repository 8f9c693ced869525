/** The readers' side of a cache: what is served, and who waits for more. Each call is one step in one turn. */
import type { Generation } from './store/epoch.js';
import type { ResourceCache, ResourceSource } from './interface.js';
import { createResourceCache } from './resourcecache.js';
import { createSubscribers } from './watch/broadcaster.js';
import type { Subscribers } from './watch/broadcaster.js';
import { UnreadableRecord } from './store/corruptrecord.js';
import { createWaiters } from './watch/waiters.js';
import { UndecryptableRecord } from '../storage/encryption/interface.js';
import type { WatchBatch } from '../storage/interface.js';

export interface Readers {
  /** RangeError when there is none of that name. */
  resource(name: string): ResourceCache;
  resources(): readonly ResourceCache[];
  loaded(): boolean;
  revision(): number;
  /**
   * Serves this generation from now on, and ends the subscriptions to the one before. The first one must be whole
   * but for what cannot be decrypted: throws {@link UnreadableRecord}.
   */
  install(generation: Generation): void;
  /** Applies to the generation and, when it is the one served, tells whom it concerns. */
  apply(generation: Generation, piece: WatchBatch): void;
  /** Lets go of the past and tells subscribers of progress. */
  sweep(): void;
  end(): void;
}

export function openReaders(
  sources: readonly ResourceSource[],
  report: (problem: string, error: unknown) => void,
): Readers {
  const waiters = createWaiters();
  const subscribers = new Map<string, Subscribers>();
  const caches = new Map<string, ResourceCache>();
  let serving: Generation | undefined;
  let ended = false;
  let told = 0;

  for (const { resource } of sources) {
    const own = createSubscribers((error) => report(`a subscriber of ${resource} failed`, error));
    subscribers.set(resource, own);
    const parts = { resource, subscribers: own, waiters, serving: () => serving, ended: () => ended };
    caches.set(resource, createResourceCache(parts));
  }

  function leftOut(key: string, error: unknown): void {
    report(`the record at ${key} cannot be read and is left out`, error);
  }

  return {
    resource(name) {
      const found = caches.get(name);
      if (found === undefined) throw new RangeError(`no resource ${name} in the cache`);
      return found;
    },
    resources: () => Array.from(caches.values()),
    loaded: () => serving !== undefined,
    revision: () => serving?.revision() ?? 0,
    install(generation) {
      for (const [key, error] of generation.unreadable) {
        if (serving === undefined && !(error instanceof UndecryptableRecord))
          throw new UnreadableRecord(key, { cause: error });
        leftOut(key, error);
      }
      serving = generation;
      for (const one of subscribers.values()) one.end();
      waiters.reached(generation.revision());
    },
    apply(generation, piece) {
      const changes = generation.apply(piece.events, piece.revision);
      if (generation !== serving) return;
      const revision = generation.revision();
      for (const { resource, events } of changes) subscribers.get(resource)?.deliver(events, revision);
      waiters.reached(revision);
      if (generation.unreadable.size === 0) return;
      for (const { key } of piece.events) {
        if (generation.unreadable.has(key)) leftOut(key, generation.unreadable.get(key));
      }
    },
    sweep() {
      serving?.sweep();
      const revision = serving?.revision() ?? 0;
      if (revision === told) return;
      told = revision;
      for (const one of subscribers.values()) one.progress(revision);
    },
    end() {
      ended = true;
      waiters.end();
      for (const one of subscribers.values()) one.end();
    },
  };
}
