import type { KeyObject } from 'node:crypto';
import type { KubeObject, ObjectOf, ResourceDefinition } from '../../../api/resource.js';
import type { TrackedKind } from '../../apimachinery/managedfields/trackedkind.js';
import type { CompiledSchema } from '../../apimachinery/schema/compile.js';
import { serverTimeout, type StatusError } from '../../apimachinery/errors.js';
import type { NewestRevision } from '../../cache/watch/consistent.js';
import type { Entry, ResourceCache } from '../../cache/interface.js';
import type { StorageError } from '../../storage/interface.js';
import type { Admission } from '../admission.js';
import { objectPath, resourcePrefix } from '../keys.js';
import type { StorageAlias } from '../object/storagealias.js';
import type { RecordCodec } from '../object/record.js';
import type { RecordStorage } from './waitforcache.js';
import type { Settings } from '../settings.js';
import { storeUnavailable, storeNotWritable } from './storeunavailable.js';
import { undecryptableError } from '../undecryptableerror.js';
import type { Strategy } from '../strategy.js';
import type { WriteQueues } from '../transaction/writequeues.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Everything the verbs need to serve one kind. The verbs are functions beside this file. */
export interface ResourceStore<T extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition;
  readonly schema: CompiledSchema;
  /** How ownership of the kind's fields is tracked. */
  readonly tracked: TrackedKind;
  readonly strategy: Strategy<T>;
  readonly codec: RecordCodec;
  /** Where another store has the same objects, as another kind: how they are kept there. */
  readonly form?: StorageAlias;
  /** Whether another API server has the objects: what it and others keep in them stays. */
  readonly foreign?: true;
  readonly storage: RecordStorage;
  readonly cache: ResourceCache<T>;
  readonly admission: Admission;
  /** The store of another kind. RangeError when it is not served. */
  readonly peer: (kind: Pick<ResourceDefinition, 'group' | 'plural'>) => ResourceStore;
  /** The stores of all kinds that are kept, here or by another API server. */
  readonly peers: () => readonly ResourceStore[];
  readonly settings: Settings;
  /** Under which keys are hashed. */
  readonly pepper: KeyObject;
  /** The newest revision of the store, linearizable; requests that wait together share one read. */
  readonly newestRevision: NewestRevision;
  /** Of writers that meet at one object. */
  readonly writeQueues: WriteQueues;
}

/** An object as it came out of a read or a write. */
export interface Stored {
  readonly revision: number;
  /** What a client is sent. */
  readonly bytes: Buffer;
}

/** The kind as which the objects of a kind are kept, and as which refusals of what is in them name it. */
export const storageResource = ({
  definition,
  form,
}: Pick<ResourceStore, 'definition' | 'form'>): ResourceDefinition => form?.of ?? definition;

export function storeKey(store: ResourceStore, namespace: string, name: string): string {
  return resourcePrefix(storageResource(store)) + objectPath(store.definition, namespace, name);
}

/** An entry of a record that does not come from the cache. */
export function entryOf<T extends KubeObject = KubeObject>(
  namespace: string,
  name: string,
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

/** The record as the store has it now, around the cache. */
export async function readStored<T extends KubeObject>(
  store: ResourceStore<T>,
  namespace: string,
  name: string,
): Promise<Entry<T> | undefined> {
  const { record } = await store.storage.get(storeKey(store, namespace, name));
  if (record === undefined) return undefined;
  return entryOf(namespace, name, record.revision, store.codec.decode(record.value, record.revision));
}

/** The store of a kind; undefined where it is not served. */
export function storeOf<D extends ResourceDefinition>(
  stores: readonly ResourceStore[],
  kind: D,
): ResourceStore<ObjectOf<D>> | undefined {
  // A store has objects of the kind that it is found by.
  return stores.find(({ definition }) => definition === kind) as ResourceStore<ObjectOf<D>> | undefined;
}

/** The answer to a storage failure that no verb gives a meaning of its own. */
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
