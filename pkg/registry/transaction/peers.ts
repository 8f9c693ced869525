/** The objects of other kinds that a strategy writes. */
import { apiVersionOf, type KubeObject, type ResourceDefinition } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import type { Entry } from '../../cache/interface.js';
import type { Content, Change, TransactionKind, TransactionObjects } from './effects.js';
import { keepForeign } from '../object/foreign.js';
import { objectPath, resourcePrefix } from '../keys.js';
import { beginMetadata, desiredStateDiffers, keepMetadata } from '../object/metadata.js';
import { entryOf, readStored, storeKey, type ResourceStore } from '../resourcestore.js';
import { prefixEnd, type StoredRecord, type Write } from '../../storage/interface.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Limit for each kind of our own store; another API server returns all objects. */
const MAX = 100;

/** Without storage aliases, whose objects are those of the stored kind. */
const storedKinds = (stores: readonly ResourceStore[]): readonly ResourceStore[] =>
  stores.filter(({ form }) => form === undefined);

/** Reads from the stores, not from the cache. Rejects with StorageError. */
async function contentsOf(stores: readonly ResourceStore[], namespace: string): Promise<readonly Content[]> {
  const stored = storedKinds(stores).filter(({ definition }) => definition.namespaced);
  const found = await Promise.all(stored.map((store) => contentsOfKind(store, namespace)));
  return found.flat();
}

async function contentsOfKind(
  { definition, storage, codec }: ResourceStore,
  namespace: string,
): Promise<Content[]> {
  const start = `${resourcePrefix(definition)}${namespace}/`;
  const { records } = await storage.scan({ start, end: prefixEnd(start) }, { limit: MAX });
  return records.map(({ value, revision }) => ({
    definition,
    object: parseStored<KubeObject>(codec.decode(value, revision)),
  }));
}

export class Peers implements TransactionObjects {
  /** Whether one of the writes changes rights. */
  decideAccess = false;

  constructor(
    private readonly store: ResourceStore,
    private readonly change: Change,
    private readonly met: ReadonlyMap<string, StoredRecord | undefined>,
  ) {}

  get settings(): object {
    return this.store.settings;
  }

  get definitions(): readonly ResourceDefinition[] {
    return storedKinds(this.store.peers()).map(({ definition }) => definition);
  }

  readonly contents = (namespace: string): Promise<readonly Content[]> =>
    contentsOf(this.store.peers(), namespace);

  readonly record = async (key: string): Promise<StoredRecord | undefined> =>
    (await this.store.storage.get(key)).record;

  readonly kind = (group: string, plural: string): TransactionKind => {
    const peer = this.store.peer({ group, plural });
    const { definition, strategy } = peer;
    const written = (): void => {
      if (strategy.decidesAccess === true) this.decideAccess = true;
    };
    return {
      cached: (of) => {
        const key = storeKey(peer, of);
        const cached = peer.cache.latest().get(objectPath(definition, of));
        if (!this.met.has(key)) return cached;
        const record = this.met.get(key);
        if (record === undefined) return undefined;
        if (cached !== undefined && cached.revision > record.revision) return cached;
        const bytes = peer.codec.decode(record.value, record.revision);
        return entryOf(of, record.revision, bytes);
      },
      read: (of) => readStored(peer, of),
      orphans: (namespace, beginning) =>
        peer.foreign === true ? beginningWith(peer, namespace, beginning) : [],
      ensure: (namespace, object, current, becomes = false) => {
        const { same, write } = putWrite(peer, this.change, namespace, object, current);
        if (same && !(becomes && peer.foreign === true)) return [];
        written();
        return [write];
      },
      remove: (entry) => {
        written();
        return { key: storeKey(peer, entry), expect: entry.revision };
      },
    };
  };
}

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

/** `same`: the write changes nothing. */
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
  const key = storeKey(peer, { namespace, name: meta.name ?? '' });
  return { same, write: { key, value: codec.seal(canonical), expect: current?.revision ?? 'absent' } };
}
