/** The state of all resources from one load on. A rebuild makes a new one beside the old. */
import { keepFramedEvents } from '../watch/event.js';
import type { StoredEvent } from '../watch/event.js';
import type { ResourceSource } from '../interface.js';
import { boundParsedObjects } from './parsedobjects.js';
import { createResourceState } from './resourcestate.js';
import type { ResourceState, SharedMemory } from './resourcestate.js';
import type { RingLimits } from '../watch/ring.js';
import { createSlabs } from './slabs.js';
import { UndecryptableRecord } from '../../storage/encryption/interface.js';
import type { Undecryptable } from '../../storage/encryption/interface.js';
import type { StorageEvent, StoredRecord } from '../../storage/interface.js';

/** What a batch did to one resource. */
export interface Changes {
  readonly resource: string;
  readonly events: readonly StoredEvent[];
}

export interface Generation {
  /** Everything up to it is applied. */
  revision(): number;
  state(resource: string): ResourceState;
  /** Puts a record of the first scan in. */
  load(source: ResourceSource, record: StoredRecord): void;
  /**
   * Keys whose newest record could not be decoded, and why. To readers they are absent.
   */
  readonly unreadable: ReadonlyMap<string, unknown>;
  /** Of the resource, by path: those of the unreadable ones that cannot be decrypted. */
  undecryptable(resource: string): ReadonlyMap<string, Undecryptable>;
  /** Applies events in order, then stands at `revision`. What the sources do not know is passed over. */
  apply(events: readonly StorageEvent[], revision: number): readonly Changes[];
  /** Lets go what is held for a while only: old events, framed events. */
  sweep(): void;
  /** For measurements: bytes of records, in use and allocated. */
  memory(): { readonly live: number; readonly allocated: number };
}

export interface GenerationLimits extends RingLimits {
  readonly parsedBytes: number;
}

const NONE: ReadonlyMap<string, Undecryptable> = new Map();

/** @param start the revision at which the sources are scanned. */
export function createGeneration(
  sources: readonly ResourceSource[],
  start: number,
  limits: GenerationLimits,
): Generation {
  const shared: SharedMemory = {
    slabs: createSlabs(),
    parsed: boundParsedObjects(limits.parsedBytes),
    framed: keepFramedEvents(),
  };
  const states = new Map<string, ResourceState>();
  const byPrefix = new Map<string, string[]>();
  for (const source of sources) {
    states.set(source.resource, createResourceState(source, start, limits, shared));
    byPrefix.set(source.prefix, [...(byPrefix.get(source.prefix) ?? []), source.resource]);
  }
  const unreadable = new Map<string, unknown>();
  const undecryptable = new Map<string, Map<string, Undecryptable>>();
  let revision = start;

  function state(resource: string): ResourceState {
    const found = states.get(resource);
    if (found === undefined) throw new RangeError(`no resource ${resource} in the cache`);
    return found;
  }

  function applyOne(
    resource: string,
    path: string,
    event: StorageEvent,
    now: number,
  ): StoredEvent | undefined {
    unreadable.delete(event.key);
    undecryptable.get(resource)?.delete(path);
    try {
      checkDecrypted(resource, path, event);
      return state(resource).apply(path, event.value, event.revision, now);
    } catch (error) {
      if (event.value === undefined) throw error;
      unreadable.set(event.key, error);
      return state(resource).apply(path, undefined, event.revision, now);
    }
  }

  /** Throws UndecryptableRecord, and notes it. */
  function checkDecrypted(
    resource: string,
    path: string,
    { key, revision: at, undecryptable: keyName }: Pick<StoredRecord, 'key' | 'revision' | 'undecryptable'>,
  ): void {
    if (keyName === undefined) return;
    const found = { key, revision: at, keyName };
    const paths = undecryptable.get(resource);
    if (paths === undefined) undecryptable.set(resource, new Map([[path, found]]));
    else paths.set(path, found);
    throw new UndecryptableRecord(found);
  }

  return {
    revision: () => revision,
    state,
    load(source, record) {
      const { key, value, revision: at } = record;
      const path = key.slice(source.prefix.length);
      try {
        checkDecrypted(source.resource, path, record);
        state(source.resource).load(path, value, at);
      } catch (error) {
        unreadable.set(key, error);
      }
    },
    unreadable,
    undecryptable: (resource) => undecryptable.get(resource) ?? NONE,
    apply(events, upTo) {
      const now = performance.now();
      const changes = new Map<string, StoredEvent[]>();
      for (const event of events) {
        const prefix = resourcePrefix(event.key);
        const resources = byPrefix.get(prefix);
        if (resources === undefined || event.revision <= revision) continue;
        for (const resource of resources) {
          const change = applyOne(resource, event.key.slice(prefix.length), event, now);
          if (change === undefined) continue;
          const list = changes.get(resource);
          if (list === undefined) changes.set(resource, [change]);
          else list.push(change);
        }
      }
      revision = Math.max(revision, upTo);
      for (const resource of changes.keys()) state(resource).trim(now);
      return Array.from(changes, ([resource, list]) => ({ resource, events: list }));
    },
    sweep() {
      const now = performance.now();
      for (const one of states.values()) one.trim(now);
      shared.framed.clear();
    },
    memory: () => ({ live: shared.slabs.live(), allocated: shared.slabs.allocated() }),
  };
}

/** `registry/<group>/<plural>/` of a key; `''` when it has no such beginning. */
export function resourcePrefix(key: string): string {
  let end = -1;
  for (let slashes = 0; slashes < 3; slashes += 1) {
    end = key.indexOf('/', end + 1);
    if (end < 0) return '';
  }
  return key.slice(0, end + 1);
}
