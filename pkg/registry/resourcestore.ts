import type { KeyObject } from 'node:crypto';
import type { KubeObject, ObjectKey, ObjectOf, ResourceDefinition } from '../../api/resource.js';
import type { TrackedKind } from '../apimachinery/managedfields/trackedkind.js';
import type { CompiledSchema } from '../apimachinery/schema/compile.js';
import { serverTimeout, type StatusError } from '../apimachinery/errors.js';
import type { NewestRevision } from '../cache/watch/consistent.js';
import type { Entry, ResourceCache } from '../cache/interface.js';
import type { StorageError } from '../storage/interface.js';
import type { Admission } from './admission.js';
import { objectPath, resourcePrefix } from './keys.js';
import type { StorageAlias } from './object/storagealias.js';
import type { RecordCodec } from './object/record.js';
import type { RecordStorage } from './transaction/waitforcache.js';
import { storeUnavailable, storeNotWritable } from './generic/storeunavailable.js';
import { undecryptableError } from './undecryptableerror.js';
import type { Strategy } from './strategy.js';
import type { WriteBudgets } from './transaction/writebudget.js';
import type { WriteQueues } from './transaction/writequeues.js';
import { parseStored } from '../apimachinery/encoding/parsestored.js';

/** The dependencies of the verbs for one kind. The verbs are functions beside this file. */
export interface ResourceStore<T extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition;
  readonly schema: CompiledSchema;
  /** The kind's field management. */
  readonly tracked: TrackedKind;
  readonly strategy: Strategy<T>;
  readonly codec: RecordCodec;
  /** Set if another store has the same objects as another kind: the conversion to that kind. */
  readonly form?: StorageAlias;
  /** Whether another API server stores the objects: fields of others are preserved. */
  readonly foreign?: true;
  readonly storage: RecordStorage;
  readonly cache: ResourceCache<T>;
  readonly admission: Admission;
  /** Returns the store of another kind. Throws RangeError if it is not served. */
  readonly peer: (kind: Pick<ResourceDefinition, 'group' | 'plural'>) => ResourceStore;
  /** The stores of all stored kinds, here or in another API server. */
  readonly peers: () => readonly ResourceStore[];
  readonly settings: object;
  /** The HMAC key for hashes of access keys. */
  readonly pepper: KeyObject;
  /** The newest revision of the store, linearizable; concurrent requests share one read. */
  readonly newestRevision: NewestRevision;
  /** Queues of writers that contend for one object. */
  readonly writeQueues: WriteQueues;
  /** What each user may still write, to all kinds. */
  readonly writeBudgets: Pick<WriteBudgets, 'charge'>;
}

/** An object that was read or written. */
export interface Stored {
  readonly revision: number;
  /** The serialized object for clients. */
  readonly bytes: Buffer;
}

/** The kind as which objects are stored; validation errors name it. */
export const storageResource = ({
  definition,
  form,
}: Pick<ResourceStore, 'definition' | 'form'>): ResourceDefinition => form?.of ?? definition;

export function storeKey(store: ResourceStore, key: ObjectKey): string {
  return resourcePrefix(storageResource(store)) + objectPath(store.definition, key);
}

/** Makes an entry of a record that was not read from the cache. */
export function entryOf<T extends KubeObject = KubeObject>(
  { namespace, name }: ObjectKey,
  revision: number,
  bytes: Buffer,
): Entry<T> {
  let parsed: T | undefined;
  const parse = (): T => parseStored<T>(bytes);
  return {
    path: namespace === '' ? name : `${namespace}/${name}`,
    namespace,
    name,
    revision,
    byteLength: bytes.length,
    bytes,
    object: () => (parsed ??= parse()),
    parse,
  };
}

/** Reads the record from the store, not from the cache. */
export async function readStored<T extends KubeObject>(
  store: ResourceStore<T>,
  key: ObjectKey,
): Promise<Entry<T> | undefined> {
  const { record } = await store.storage.get(storeKey(store, key));
  if (record === undefined) return undefined;
  return entryOf(key, record.revision, store.codec.decode(record.value, record.revision));
}

/** The store of a kind; undefined if it is not served. */
export function storeOf<D extends ResourceDefinition>(
  stores: readonly ResourceStore[],
  kind: D,
): ResourceStore<ObjectOf<D>> | undefined {
  // The definition determines the type of the store's objects.
  return stores.find(({ definition }) => definition === kind) as ResourceStore<ObjectOf<D>> | undefined;
}

/** The store of a kind. Throws Error if it is not served. */
export function servedStore<D extends ResourceDefinition>(
  stores: readonly ResourceStore[],
  kind: D,
): ResourceStore<ObjectOf<D>> {
  const store = storeOf(stores, kind);
  if (store === undefined) throw new Error(`${kind.kind} is not served`);
  return store;
}

/** The error for a storage failure that is not specific to a verb. */
export function unavailable(store: ResourceStore, operation: string, error: StorageError): Error {
  if (error.failure.code === 'undecryptable') return undecryptableError(error.failure);
  if (error.failure.code !== 'unavailable') return error;
  const { asked, clients } = error.failure;
  const answer = answerOf();
  answer.cause = error;
  return answer;

  function answerOf(): StatusError {
    if (clients !== undefined) return storeNotWritable(clients, store.definition);
    return asked === false ? storeUnavailable(store.definition) : serverTimeout(store.definition, operation);
  }
}
