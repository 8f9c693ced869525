/** Puts the kinds together with their strategies over one storage. */
import { randomBytes } from 'node:crypto';
import type { ResourceDefinition } from '../../api/resource.js';
import { compileSchema } from '../apimachinery/schema/compile.js';
import { openCache } from '../cache/cache.js';
import { newestRevision } from '../cache/consistent.js';
import type { Cache, CacheOptions, ResourceSource } from '../cache/interface.js';
import type { Storage } from '../storage/interface.js';
import type { Admission } from './admission.js';
import { ageColumn } from './columns.js';
import { humanAge } from '../apimachinery/table.js';
import { indexedValue } from './indexed.js';
import { resourceName, resourcePrefix } from './keys.js';
import { KEY_RECORDS } from './management/ownedaccesskey/keyrecord.js';
import { USE_RECORDS } from './management/ownedaccesskey/userecord.js';
import type { RecordCodec } from './record.js';
import { recordCodec } from './record.js';
import type { OtherForm } from './otherform.js';
import { otherFormCodec } from './otherform.js';
import type { RequestKind, RequestStore } from './requestkind.js';
import { requestStore } from './requestkind.js';
import type { ResourceStore } from './resourcestore.js';
import { keptAs } from './resourcestore.js';
import { settled } from './settled.js';
import type { Settings } from './settings.js';
import { DEFAULT_SETTINGS } from './settings.js';
import type { Strategy } from './strategy.js';
import { trackedKind } from './tracking.js';

/** A kind whose objects are kept, and what is special about it. */
export interface StoredKind {
  readonly definition: ResourceDefinition;
  readonly strategy?: Strategy;
  /** Where its objects are kept as those of another registered kind. */
  readonly form?: OtherForm;
}

/** `pepper`: under which keys are hashed, the same for all servers of a store; absent: one of this registry alone. */
export type RegistryOptions = CacheOptions & { readonly pepper?: Buffer; readonly settings?: Settings };

/** A kind, as its folder exports it. */
export type Registration = StoredKind | RequestKind;

export interface Registry {
  readonly stores: readonly ResourceStore[];
  /** Kinds that are answered and not kept. */
  readonly requests: readonly RequestStore[];
  readonly cache: Cache;
  close(): Promise<void>;
}

/**
 * `admission` is asked for once the stores are there, because plugins read them. Rejects as `openCache`.
 */
export async function openRegistry(
  storage: Storage,
  registrations: readonly Registration[],
  admission: (stores: readonly ResourceStore[], cache: Cache) => Admission,
  options: RegistryOptions = {},
): Promise<Registry> {
  const requests = registrations.filter(isRequest).map(requestStore);
  const kept = registrations.filter((each): each is StoredKind => !isRequest(each));
  const parts = partsOf(kept);
  const objects: ResourceSource[] = parts.map(({ codec, ...part }) => ({
    resource: resourceName(part.definition),
    prefix: resourcePrefix(keptAs(part)),
    namespaced: part.definition.namespaced,
    decode: codec.decode,
    resplice: codec.restamp,
    indexed: indexedValue(part.definition, codec.metadataOffset + '"metadata":{'.length),
  }));
  const cache = await openCache(storage, [...objects, ...PRIVATE_SOURCES], options);
  const { pepper = randomBytes(32), settings = DEFAULT_SETTINGS } = options;
  const newest = newestRevision(storage);
  const late: Admission = {
    mutate: (...args) => chain.mutate(...args),
    validate: (...args) => chain.validate(...args),
  };
  const peer: ResourceStore['peer'] = (wanted) => {
    const name = resourceName(wanted);
    const found = stores.find(({ definition }) => resourceName(definition) === name);
    if (found === undefined) throw new RangeError(`${name} are not served`);
    return found;
  };
  const stores = parts.map((part): ResourceStore => {
    const view = cache.resource(resourceName(part.definition));
    const records = part.strategy.decidesAccess === true ? settled(storage, view) : storage;
    const shared = { admission: late, peer, pepper, settings, newestRevision: newest };
    return { ...part, ...shared, storage: records, cache: view };
  });
  const chain = admission(stores, cache);
  return { stores, requests, cache, close: () => cache.close() };
}

type StoreParts = Pick<ResourceStore, 'definition' | 'strategy' | 'schema' | 'codec' | 'tracked' | 'form'>;

function partsOf(kinds: readonly StoredKind[]): StoreParts[] {
  const compiled = kinds.map((kind) => ({ ...kind, schema: compileSchema(kind.definition) }));
  const codecs = new Map<ResourceDefinition, RecordCodec>(
    compiled.map(({ definition, schema }) => [definition, recordCodec(definition, schema)]),
  );
  const codecOf = (definition: ResourceDefinition): RecordCodec => {
    const codec = codecs.get(definition);
    if (codec === undefined) throw new RangeError(`${resourceName(definition)} are not served`);
    return codec;
  };
  return compiled.map(({ definition, strategy = defaultStrategy(definition), form, schema }) => {
    const own = codecOf(definition);
    const codec = form === undefined ? own : otherFormCodec(own, codecOf(form.of), form);
    const tracked = trackedKind(definition);
    return { definition, strategy, schema, codec, tracked, ...(form !== undefined && { form }) };
  });
}

/** Private records move with the objects; they are looked into by nobody who serves. */
const PRIVATE_SOURCES: readonly ResourceSource[] = [KEY_RECORDS, USE_RECORDS].map((records) => ({
  ...records,
  namespaced: false,
  decode: (value) => Buffer.from(value),
  resplice: (bytes) => bytes,
}));

function defaultStrategy(definition: ResourceDefinition): Strategy {
  return { generation: !definition.builtIn, columns: [ageColumn(humanAge)] };
}

const isRequest = (registration: Registration): registration is RequestKind => 'answer' in registration;
