/** What belongs into the commit of an object beside it: writes to objects of other kinds, and guards. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { apiVersionOf } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import { StatusError, serverTimeout } from '../../apimachinery/errors.js';
import type { Entry } from '../../cache/interface.js';
import type { CommitResult, Guard, StoredRecord, Write } from '../../storage/interface.js';
import { StorageError } from '../../storage/interface.js';
import type { Content } from './namespacecontents.js';
import { contentsOf } from './namespacecontents.js';
import { keepForeign } from '../hosttransaction/foreign.js';
import { beginMetadata, desiredStateDiffers, keepMetadata } from '../object/metadata.js';
import type { ResourceStore } from './resourcestore.js';
import { entryOf, readStored, storeKey } from './resourcestore.js';
import { PATIENCE_MS } from './waitforcache.js';
import type { Settings } from '../settings.js';
import type { Requester } from '../strategy.js';

/** A write of one object, as its effects see it: admitted and validated, about to be committed. */
export interface Change {
  /** The object as it will be, with uid and namespace; undefined when it is removed. Not to be changed. */
  readonly next: KubeObject | undefined;
  /** Undefined when it is created. Shared: never change it. */
  readonly previous: KubeObject | undefined;
  readonly requester: Requester;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** Nothing will be written; what effects throw is still the answer. */
  readonly dryRun: boolean;
}

/** Further writes and guards that belong into the commit of the object itself. */
export interface Effects {
  readonly writes: readonly Write[];
  readonly guards: readonly Guard[];
  /** Whether the object itself gives rights: its write is answered once this server decides by it. */
  readonly decidesAccess?: boolean;
}

/** The objects of other kinds, to make writes to them. */
export interface CommitObjects {
  readonly settings: Settings;
  /** RangeError when the kind is not served. `group`: `''` for core. */
  kind(this: void, group: string, plural: string): CommitKind;
  /** A private record, as the store has it now. */
  record(this: void, key: string): Promise<StoredRecord | undefined>;
  /** What is in a namespace, as {@link contentsOf}. */
  contents(this: void, namespace: string): Promise<readonly Content[]>;
}

/**
 * The objects of one kind. Writes are made by the server itself: neither admitted nor validated, with no owner of their
 * fields. A write whose expectation fails makes the effects be asked again, with the state that was met.
 */
export interface CommitKind {
  /** As last known: from the cache, or from the store where an attempt before met another state. */
  known(namespace: string, name: string): Entry | undefined;
  /** As the store has it now. */
  read(namespace: string, name: string): Promise<Entry | undefined>;
  /**
   * Those whose names begin so, as last known, of a kind that another API server has: there a removal may have failed
   * after its commit. Of other kinds none.
   */
  strays(namespace: string, beginning: string): Iterable<Entry>;
  /**
   * Makes `object` (its name, labels, owners and members; not changed) what is there, in the place of `current`, whose
   * uid, creation time and managed fields it keeps; with none `current`, a new object. No write where it is so already,
   * unless another API server has it and it `becomes` so by this change: it may be so by another commit under way, which
   * must not take it back when it fails.
   */
  put(namespace: string, object: KubeObject, current: Entry | undefined, becomes?: boolean): readonly Write[];
  /** Removes it at once, whatever its finalizers. */
  remove(current: Entry): Write;
}

/** How often others may come first to what belongs to an object. */
const ATTEMPTS = 50;

/**
 * Commits the writes of an object, its own first, with its effects: of one change, or of several that are one to the
 * store. Throws StorageError of its own writes and guards.
 */
export async function commitObject(
  store: ResourceStore,
  writes: readonly Write[],
  guards: readonly Guard[],
  ...changes: readonly Change[]
): Promise<CommitResult> {
  const { strategy, storage } = store;
  if (strategy.effects === undefined) return storage.commit(writes, guards);
  const own = new Set([...writes, ...guards].map(({ key }) => key));
  const met = new Map<string, StoredRecord | undefined>();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const all = changes.map((change) => ({ change, objects: new Peers(store, change, met) }));
    const more: Effects[] = [];
    for (const { change, objects } of all) more.push(await strategy.effects(change, objects));
    const check = (revision: number): Promise<void> =>
      all.some(({ objects }) => objects.decideAccessElsewhere)
        ? deriveAnew(store, changes, revision)
        : Promise.resolve();
    try {
      const result = await storage.commit(
        [...writes, ...more.flatMap((effects) => effects.writes)],
        [...guards, ...more.flatMap((effects) => effects.guards)],
      );
      if (all.some(({ objects }) => objects.decideAccess) || more.some(({ decidesAccess }) => decidesAccess))
        await store.cache.reach(Math.max(...result.revisions), PATIENCE_MS);
      await check(Math.max(...result.revisions));
      return result;
    } catch (error) {
      const other = stateMet(error);
      if (other !== undefined && own.has(other.key)) await check(other.record?.revision ?? 0);
      if (other === undefined || own.has(other.key)) throw error;
      met.set(other.key, other.record);
    }
  }
  throw serverTimeout(store.definition, 'write');
}

/**
 * Commits of one object that are under way at the same time may undo at another API server what another of them has put
 * there: who ends looks that it is as the object of this revision, or a later one, says. Where that cannot be done now,
 * it is left to who comes later.
 */
async function deriveAnew(store: ResourceStore, changes: readonly Change[], revision: number): Promise<void> {
  if (!(await store.cache.reach(revision, PATIENCE_MS))) return;
  for (const change of changes) {
    const { namespace = '', name = '' } = (change.next ?? change.previous)?.metadata ?? {};
    try {
      await repairObject(store, namespace, name, change);
    } catch (error) {
      if (!(error instanceof StorageError || error instanceof StatusError)) throw error;
    }
  }
}

/**
 * Makes good what others did to what belongs to an object, if the object is there and does not change meanwhile. Throws
 * StorageError where it does.
 */
export async function repairObject(
  store: ResourceStore,
  namespace: string,
  name: string,
  { requester, now }: Pick<Change, 'requester' | 'now'>,
): Promise<void> {
  const { strategy, storage, cache } = store;
  const live = cache.latest().get(pathOf(store.definition, namespace, name));
  if (live === undefined || strategy.repair === undefined) return;
  const change: Change = { next: live.object(), previous: undefined, requester, now, dryRun: false };
  const objects = new Peers(store, change, new Map());
  const { writes, guards } = await strategy.repair(change, objects);
  if (writes.length === 0) return;
  const unchanged: Guard = { key: storeKey(store, namespace, name), expect: live.revision };
  const { revisions } = await storage.commit(writes, [unchanged, ...guards]);
  if (objects.decideAccess) await cache.reach(Math.max(...revisions), PATIENCE_MS);
}

/** The effects that a change would have now; what they refuse is thrown. */
export async function tryEffects(store: ResourceStore, change: Change): Promise<Effects> {
  const effects = await store.strategy.effects?.(change, new Peers(store, change, new Map()));
  return effects ?? { writes: [], guards: [] };
}

/** What is there in the place of what a write or guard expected. */
function stateMet(error: unknown): { key: string; record: StoredRecord | undefined } | undefined {
  if (!(error instanceof StorageError)) return undefined;
  const { failure } = error;
  if (failure.code === 'not found') return { key: failure.key, record: undefined };
  if (failure.code === 'exists' || failure.code === 'conflict')
    return { key: failure.key, record: failure.current };
  return undefined;
}

class Peers implements CommitObjects {
  /** Whether one of the writes changes who may do what. */
  decideAccess = false;
  /** Whether it does so at another API server. */
  decideAccessElsewhere = false;

  constructor(
    private readonly store: ResourceStore,
    private readonly change: Change,
    private readonly met: ReadonlyMap<string, StoredRecord | undefined>,
  ) {}

  get settings(): Settings {
    return this.store.settings;
  }

  readonly contents = (namespace: string): Promise<readonly Content[]> =>
    contentsOf(this.store.peers(), namespace);

  readonly record = async (key: string): Promise<StoredRecord | undefined> =>
    (await this.store.storage.get(key)).record;

  readonly kind = (group: string, plural: string): CommitKind => {
    const peer = this.store.peer({ group, plural });
    const { definition, strategy } = peer;
    const written = (): void => {
      if (strategy.decidesAccess !== true) return;
      this.decideAccess = true;
      if (peer.foreign === true) this.decideAccessElsewhere = true;
    };
    return {
      known: (namespace, name) => {
        const key = storeKey(peer, namespace, name);
        if (!this.met.has(key)) return peer.cache.latest().get(pathOf(definition, namespace, name));
        const record = this.met.get(key);
        if (record === undefined) return undefined;
        const bytes = peer.codec.decode(record.value, record.revision);
        return entryOf(namespace, name, record.revision, bytes);
      },
      read: (namespace, name) => readStored(peer, namespace, name),
      strays: (namespace, beginning) =>
        peer.foreign === true ? beginningWith(peer, namespace, beginning) : [],
      put: (namespace, object, current, becomes = false) => {
        const { same, write } = putWrite(peer, this.change, namespace, object, current);
        if (same && !(becomes && peer.foreign === true)) return [];
        written();
        return [write];
      },
      remove: ({ namespace, name, revision }) => {
        written();
        return { key: storeKey(peer, namespace, name), expect: revision };
      },
    };
  };
}

const pathOf = ({ namespaced }: ResourceDefinition, namespace: string, name: string): string =>
  namespaced ? `${namespace}/${name}` : name;

function* beginningWith(
  { definition, cache }: ResourceStore,
  namespace: string,
  beginning: string,
): Iterable<Entry> {
  const within = definition.namespaced ? `${namespace}/` : '';
  for (const entry of cache.latest().entries(within, within + beginning)) {
    if (!entry.name.startsWith(beginning)) return;
    yield entry;
  }
}

/** `same`: nothing changes by it. */
function putWrite(
  peer: ResourceStore,
  { requester, now }: Change,
  namespace: string,
  object: KubeObject,
  current: Entry | undefined,
): { readonly same: boolean; readonly write: Write } {
  const { definition, schema, strategy, codec } = peer;
  const next = copyJson({ ...object, kind: definition.kind, apiVersion: apiVersionOf(definition) });
  const meta = next.metadata;
  if (definition.namespaced) meta.namespace = namespace;
  schema.applyDefaults(next);
  strategy.applyDefaults?.(next);
  const context = { requester, subresource: '', now };
  const previous = current?.object();
  if (previous === undefined) {
    beginMetadata(meta, now, strategy.generation);
    strategy.prepareForCreate?.(next, context);
  } else {
    keepMetadata(meta, previous.metadata);
    if (peer.foreign === true) keepForeign(definition, next, previous);
    const { managedFields } = previous.metadata;
    if (managedFields !== undefined) meta.managedFields = managedFields;
    strategy.prepareForUpdate?.(next, previous, context);
    if (strategy.generation && desiredStateDiffers(next, previous))
      meta.generation = (previous.metadata.generation ?? 0) + 1;
  }
  const canonical = codec.encode(next);
  const same = current !== undefined && codec.serve(canonical, current.revision).equals(current.bytes);
  const key = storeKey(peer, namespace, meta.name ?? '');
  return { same, write: { key, value: codec.seal(canonical), expect: current?.revision ?? 'absent' } };
}
