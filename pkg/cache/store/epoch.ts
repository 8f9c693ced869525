/** The state of all resources from one load on. A rebuild makes a new one beside the old. */
import { keepFramedEvents, type Changes, type StoredEvent } from '../watch/event.js';
import type { ResourceSource } from '../interface.js';
import { DerivedEntries } from './derivedentries.js';
import { boundParsedObjects } from './parsedobjects.js';
import { ResourceState, type SharedMemory } from './resourcestate.js';
import type { RingLimits } from '../watch/ring.js';
import { Slabs } from './slabs.js';
import { UndecryptableRecord, type Undecryptable } from '../../storage/encryption/interface.js';
import type { StorageEvent, StoredRecord } from '../../storage/interface.js';

export interface EpochLimits extends RingLimits {
  readonly parsedBytes: number;
}

const NONE: ReadonlyMap<string, Undecryptable> = new Map();

export class Epoch {
  /**
   * Keys whose newest record could not be decoded, and why. To readers they are absent, or placeholders.
   */
  readonly corrupt = new Map<string, unknown>();
  readonly derived: DerivedEntries;
  private readonly shared: SharedMemory;
  private readonly states = new Map<string, ResourceState>();
  private readonly byPrefix = new Map<string, string[]>();
  private readonly undecryptableOf = new Map<string, Map<string, Undecryptable>>();
  private applied: number;

  /** @param start the revision at which the sources are scanned. */
  constructor(sources: readonly ResourceSource[], start: number, limits: EpochLimits) {
    this.shared = {
      slabs: new Slabs(),
      parsed: boundParsedObjects(limits.parsedBytes),
      framed: keepFramedEvents(),
    };
    this.applied = start;
    this.derived = new DerivedEntries(sources, (resource) => this.state(resource));
    for (const source of sources) {
      this.states.set(source.resource, new ResourceState(source, start, limits, this.shared));
      this.byPrefix.set(source.prefix, [...(this.byPrefix.get(source.prefix) ?? []), source.resource]);
    }
  }

  /** Everything up to it is applied. */
  revision(): number {
    return this.applied;
  }

  state(resource: string): ResourceState {
    const found = this.states.get(resource);
    if (found === undefined) throw new RangeError(`no resource ${resource} in the cache`);
    return found;
  }

  /** Undecryptable records of the resource, by path. */
  undecryptable(resource: string): ReadonlyMap<string, Undecryptable> {
    return this.undecryptableOf.get(resource) ?? NONE;
  }

  /** Puts a record of the first scan in. */
  load(source: ResourceSource, record: StoredRecord): void {
    const { key, value, revision } = record;
    const path = key.slice(source.prefix.length);
    if (this.derived.shadows(source.resource, path, revision, false)) return;
    try {
      this.checkDecrypted(source.resource, path, record);
      this.derived.load(source.resource, this.state(source.resource).load(path, value, revision));
    } catch (error) {
      this.corrupt.set(key, error);
      const state = this.state(source.resource);
      const placeholder = state.placeholder(path);
      if (placeholder !== undefined) state.load(path, placeholder, revision);
    }
  }

  /** Applies events in order, and sets the revision. Ignores keys of other resources. */
  apply(events: readonly StorageEvent[], revision: number): readonly Changes[] {
    const now = performance.now();
    const changes = new Map<string, StoredEvent[]>();
    const add = (resource: string, added: readonly StoredEvent[]): void => {
      const list = changes.get(resource);
      if (list === undefined) changes.set(resource, [...added]);
      else list.push(...added);
    };
    for (const event of events) {
      const prefix = resourcePrefix(event.key);
      const resources = this.byPrefix.get(prefix);
      if (resources === undefined || event.revision <= this.applied) continue;
      for (const resource of resources) {
        const change = this.applyOne(resource, event.key.slice(prefix.length), event, now);
        if (change === undefined) continue;
        add(resource, [change]);
        for (const derived of this.derived.apply(resource, change, now))
          add(derived.resource, derived.events);
      }
    }
    this.applied = Math.max(this.applied, revision);
    for (const resource of changes.keys()) this.state(resource).trim(now);
    return Array.from(changes, ([resource, list]) => ({ resource, events: list }));
  }

  /** Drops old events and framed events. */
  sweep(): void {
    const now = performance.now();
    for (const one of this.states.values()) one.trim(now);
    this.shared.framed.clear();
  }

  /** For measurements: bytes of records, in use and allocated. */
  memory(): { readonly live: number; readonly allocated: number } {
    return { live: this.shared.slabs.live(), allocated: this.shared.slabs.allocated() };
  }

  private applyOne(
    resource: string,
    path: string,
    event: StorageEvent,
    now: number,
  ): StoredEvent | undefined {
    if (this.derived.shadows(resource, path, event.revision, event.value === undefined)) return undefined;
    this.corrupt.delete(event.key);
    this.undecryptableOf.get(resource)?.delete(path);
    try {
      this.checkDecrypted(resource, path, event);
      return this.state(resource).apply(path, event.value, event.revision, now);
    } catch (error) {
      if (event.value === undefined) throw error;
      this.corrupt.set(event.key, error);
      const state = this.state(resource);
      return state.apply(path, state.placeholder(path), event.revision, now);
    }
  }

  /** Throws UndecryptableRecord, and notes it. */
  private checkDecrypted(
    resource: string,
    path: string,
    { key, revision, undecryptable: keyName }: Pick<StoredRecord, 'key' | 'revision' | 'undecryptable'>,
  ): void {
    if (keyName === undefined) return;
    const found = { key, revision, keyName };
    const paths = this.undecryptableOf.get(resource);
    if (paths === undefined) this.undecryptableOf.set(resource, new Map([[path, found]]));
    else paths.set(path, found);
    throw new UndecryptableRecord(found);
  }
}

/** `registry/<group>/<plural>/` of a key; `''` when it has no such beginning. */
function resourcePrefix(key: string): string {
  let end = -1;
  for (let slashes = 0; slashes < 3; slashes += 1) {
    end = key.indexOf('/', end + 1);
    if (end < 0) return '';
  }
  return key.slice(0, end + 1);
}
