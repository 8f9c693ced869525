/** Creates the stores of all kinds, from their strategies, on one storage. */
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { type ObjectOf, type ResourceDefinition, apiVersionOf, type KubeObject } from '../../api/resource.js';
import { compileSchema } from '../apimachinery/schema/compile.js';
import { newestRevision, type NewestRevision } from '../cache/watch/consistent.js';
import type { Cache, CacheOptions, ResourceSource } from '../cache/interface.js';
import type { HostStorages } from '../storage/host/storages.js';
import type { Storage } from '../storage/interface.js';
import type { Admission } from './admission.js';
import { ageColumn } from './object/columns.js';
import { humanAge } from '../apimachinery/table.js';
import { joinedCache, openCaches, type HostCache } from './hosttransaction/caches.js';
import { withHost } from './hosttransaction/transaction.js';
import { derivationOf } from './object/derivedobjects.js';
import { indexedValue } from './object/indexkeys.js';
import { resourceName, resourcePrefix } from './keys.js';
import { foreignCodec, recordCodec, type RecordCodec } from './object/record.js';
import { storageAliasCodec, type StorageAlias } from './object/storagealias.js';
import {
  virtualResourceStore,
  type RequestServices,
  type VirtualResource,
  type VirtualResourceStore,
} from './virtualresource.js';
import { storageResource, type ResourceStore } from './resourcestore.js';
import { waitForCache } from './transaction/waitforcache.js';
import type { Strategy } from './strategy.js';
import { trackedKind } from './object/fieldmanager.js';
import { WriteBudgets } from './transaction/writebudget.js';
import { WriteQueues } from './transaction/writequeues.js';
import { beginSpan, traced } from '../tracing/current.js';

/** Records of the store below `prefix`, by the name of the resource in the cache. */
type PrivateRecords = Pick<ResourceSource, 'resource' | 'prefix'>;

/** A stored kind and its strategy. */
export interface StoredKind<
  D extends ResourceDefinition = ResourceDefinition,
  Services extends RequestServices = RequestServices,
> {
  readonly definition: D;
  readonly strategy?: Strategy<ObjectOf<D>>;
  /** Set if its objects are stored as those of another registered kind. */
  readonly form?: StorageAlias;
  /** Private records that belong to its objects: cached with them, and never served. */
  readonly records?: readonly PrivateRecords[];
  /** Set if POST of the kind is handled by this function, which stores the object itself. */
  readonly answerCreate?: VirtualResource<D, Services>['answer'];
}

export type RegistryOptions = CacheOptions & {
  /** The HMAC key for hashes of access keys, the same for all servers of a store; absent: a random one. */
  readonly pepper?: KeyObject;
  /** Settings of the operator that strategies depend on, as their kinds declare them; absent: none. */
  readonly settings?: object;
  /** The storages of kinds that are stored in another API server; absent: none. */
  readonly host?: HostStorages;
  /** The annotation by which an object there says that its owners exist: set together with its owner references. */
  readonly ownersAnnotation?: string;
};

/** A kind, as its folder exports it. */
export type Registration = StoredKind | VirtualResource;

export interface Registry {
  readonly stores: readonly ResourceStore[];
  /** Stores of kinds that another API server stores: to read, and to write as effects. */
  readonly hostStores: readonly ResourceStore[];
  /** Virtual resources, which are not stored. */
  readonly requests: readonly VirtualResourceStore[];
  /** The cache of the store, with the resources of `hostCaches`. */
  readonly cache: Cache;
  readonly hostCaches: readonly HostCache[];
  /** The newest revision of the store. */
  readonly newestRevision: NewestRevision;
  close(): Promise<void>;
}

/** Calls `admission` after it created all stores, as plugins read them. Rejects like `openCache`. */
export async function openRegistry(
  storage: Storage,
  registrations: readonly Registration[],
  admission: (stores: readonly ResourceStore[], cache: Cache) => Admission,
  options: RegistryOptions = {},
): Promise<Registry> {
  const requests = registrations.flatMap(requestOf).map(virtualResourceStore);
  const stored = registrations.filter((each): each is StoredKind => !isRequest(each));
  const { pepper = createSecretKey(randomBytes(32)), host = () => undefined } = options;
  const { settings = {}, ownersAnnotation } = options;
  const parts = partsOf(stored, (definition) => host(definition) !== undefined);
  const own = parts.filter(({ foreign }) => foreign !== true);
  const ours = own.map((part) => ({ ...sourceOf(part), ...derivedFrom(part, own) }));
  const theirs = parts.flatMap((part) => {
    const at = host(part.definition);
    return at === undefined ? [] : [{ ...sourceOf(part), storage: at }];
  });
  const { own: ownCache, hostCaches } = await openCaches(
    {
      storage,
      own: [...ours, ...stored.flatMap(({ records = [] }) => records).map(privateSource)],
      host: theirs,
    },
    options,
  );
  const cache = joinedCache(ownCache, hostCaches);
  const closing = new AbortController();
  const { report = () => undefined } = options;
  const atHost = { kinds: hostCaches, ownersAnnotation };
  const whole = hostCaches.length === 0 ? storage : withHost(storage, atHost, report, closing.signal);
  const newest = newestRevision(storage);
  const late: Admission = {
    mutate: (...args) => traced(beginSpan('mutatingadmission'), chain.mutate(...args)),
    validate: (...args) => traced(beginSpan('validatingadmission'), chain.validate(...args)),
  };
  const peer: ResourceStore['peer'] = (wanted) => servedStore(byName, wanted);
  const writeBudgets = new WriteBudgets();
  const stores = parts.map((part): ResourceStore => {
    const view = cache.resource(resourceName(part.definition));
    const decides = part.strategy.decidesAccess === true && part.foreign !== true;
    const records = decides ? waitForCache(whole, view) : whole;
    const shared = { admission: late, peer, peers: () => stores, newestRevision: newest };
    const writes = { pepper, settings, writeBudgets, writeQueues: new WriteQueues() };
    return { ...part, ...shared, ...writes, storage: records, cache: view };
  });
  const byName = new Map(stores.map((store) => [resourceName(store.definition), store]));
  const chain = admission(stores, cache);
  return {
    stores: stores.filter(({ foreign }) => foreign !== true),
    hostStores: stores.filter(({ foreign }) => foreign === true),
    requests,
    cache,
    hostCaches,
    newestRevision: newest,
    async close() {
      closing.abort();
      await cache.close();
    },
  };
}

/** Throws RangeError if the kind is not served. */
function servedStore(
  stores: ReadonlyMap<string, ResourceStore>,
  wanted: Parameters<ResourceStore['peer']>[0],
): ResourceStore {
  const name = resourceName(wanted);
  const found = stores.get(name);
  if (found === undefined) throw new RangeError(`${name} are not served`);
  return found;
}

function sourceOf({ codec, ...part }: StoreParts): ResourceSource {
  const listed = part.strategy.listsUnreadable === true;
  return {
    resource: resourceName(part.definition),
    prefix: resourcePrefix(storageResource(part)),
    namespaced: part.definition.namespaced,
    decode: codec.decode,
    setResourceVersion: codec.restamp,
    indexed: indexedValue(part.definition, codec.metadataOffset + '"metadata":{'.length),
    ...(listed && { placeholder: (path) => codec.encode(unreadableObject(part, path)) }),
  };
}

/** `stored`: the kinds of our store. */
function derivedFrom(
  { strategy: { derived } }: StoreParts,
  stored: readonly StoreParts[],
): Pick<ResourceSource, 'derivation'> {
  const derivation =
    derived &&
    derivationOf(derived, ({ group, plural }) => {
      const found = stored.find(
        ({ definition }) => definition.group === group && definition.plural === plural,
      );
      return found && { resource: resourceName(found.definition), codec: found.codec };
    });
  return derivation === undefined ? {} : { derivation };
}

type StoreParts = Pick<
  ResourceStore,
  'definition' | 'strategy' | 'schema' | 'codec' | 'tracked' | 'form' | 'foreign'
>;

function partsOf(
  kinds: readonly StoredKind[],
  isForeign: (definition: ResourceDefinition) => boolean,
): StoreParts[] {
  const compiled = kinds.map((kind) => ({ ...kind, schema: compileSchema(kind.definition) }));
  const codecs = new Map<ResourceDefinition, RecordCodec>(
    compiled.map(({ definition, schema }) => [
      definition,
      isForeign(definition) ? foreignCodec(definition) : recordCodec(definition, schema),
    ]),
  );
  const codecOf = (definition: ResourceDefinition): RecordCodec => {
    const codec = codecs.get(definition);
    if (codec === undefined) throw new RangeError(`${resourceName(definition)} are not served`);
    return codec;
  };
  return compiled.map(({ definition, strategy: given, form, schema }) => {
    const strategy = withDefaults(definition, given);
    const own = codecOf(definition);
    const codec = form === undefined ? own : storageAliasCodec(own, codecOf(form.of), form);
    const tracked = trackedKind(definition);
    const foreign = isForeign(definition) && { foreign: true as const };
    return { definition, strategy, schema, codec, tracked, ...(form !== undefined && { form }), ...foreign };
  });
}

const privateSource = (records: PrivateRecords): ResourceSource => ({
  ...records,
  namespaced: false,
  decode: (value) => Buffer.from(value),
  setResourceVersion: (bytes) => bytes,
});

function withDefaults(definition: ResourceDefinition, strategy: Strategy | undefined): Strategy {
  const columns = [ageColumn(humanAge)];
  if (strategy === undefined) return { generation: !definition.builtIn, columns };
  return strategy.columns === undefined ? { ...strategy, columns } : strategy;
}

function requestOf(registration: Registration): VirtualResource[] {
  if (isRequest(registration)) return [registration];
  const { definition, answerCreate: answer } = registration;
  return answer === undefined ? [] : [{ definition, answer, stored: true }];
}

const isRequest = (registration: Registration): registration is VirtualResource => 'answer' in registration;

/** The placeholder of an object whose record cannot be read. `path`: the part of its key after the resource prefix. */
function unreadableObject(
  { definition, schema }: Pick<StoreParts, 'definition' | 'schema'>,
  path: string,
): KubeObject {
  const slash = path.indexOf('/');
  const name = path.slice(slash + 1);
  const metadata = slash < 0 ? { name } : { name, namespace: path.slice(0, slash) };
  const object = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata };
  schema.applyDefaults(object);
  return object;
}
