/** Clients of the host's objects for controllers. */
import { Lease } from '../../../api/coordination.k8s.io/v1/lease.js';
import type { KubeObject, ObjectKey, ResourceDefinition } from '../../../api/resource.js';
import { alreadyExists, notFound, serverTimeout, staleResourceVersion } from '../../apimachinery/errors.js';
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import type { ResourceClient } from '../interface.js';
import type { HostClient } from '../../hostclient/interface.js';
import { objectPath, resourcePrefix } from '../../registry/keys.js';
import type { Registry } from '../../registry/registry.js';
import { deleteAtHost } from '../../storage/host/deletes.js';
import { hostStorage } from '../../storage/host/storages.js';
import { StorageError, type StoredRecord } from '../../storage/interface.js';
import { cachedReads } from './cachedreads.js';
import { deletionOf } from './deletion.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** The maximum of conflicts of an update. */
const ATTEMPTS = 100;

type Writes = Pick<
  ResourceClient,
  'definition' | 'live' | 'create' | 'update' | 'delete' | 'repair' | 'removeShadowed'
>;

/**
 * Clients of the host's kinds: of those that this server caches, and of Leases, which are read from the host.
 * Writes go to the host unchanged: its admission applies, and the semantics of its DELETE.
 */
export function hostResources(
  client: HostClient,
  { hostStores, hostCaches }: Pick<Registry, 'hostStores' | 'hostCaches'>,
): ResourceClient[] {
  const cached = hostStores.map((store): ResourceClient => ({
    ...writesOf(client, store.definition),
    foreign: true,
    followed: () => hostCaches.some(({ cache, whole }) => cache === store.cache && whole.healthy()),
    ...cachedReads(store),
  }));
  return [...cached, uncached(writesOf(client, Lease))];
}

/** A client without a cache, for few objects that change often. */
function uncached(writes: Writes): ResourceClient {
  return {
    ...writes,
    foreign: true,
    cached: () => undefined,
    list: () => [],
    count: () => 0,
    follow: () => ({ cancel: () => undefined }),
  };
}

function writesOf(client: HostClient, definition: ResourceDefinition): Writes {
  const storage = hostStorage(client, definition);
  const keyOf = (key: ObjectKey): string => resourcePrefix(definition) + objectPath(definition, key);
  const live: Writes['live'] = async (key) => {
    const { record } = await withStatusErrors(definition, key.name, storage.get(keyOf(key)));
    return record === undefined ? undefined : objectOf(record);
  };
  return {
    definition,
    live,
    async create(namespace, object) {
      const { name = '' } = object.metadata;
      const metadata = { ...object.metadata, ...(definition.namespaced && { namespace }) };
      const value = encodeObject({ ...object, metadata });
      const write = { key: keyOf({ namespace, name }), value, expect: 'absent' as const };
      await withStatusErrors(definition, name, storage.commit([write]));
    },
    async update(target, change) {
      const { name, uid, subresource = '' } = target;
      if (subresource !== '')
        throw new RangeError(`${subresource} of the host's objects is not written here`);
      for (let attempt = 1; ; attempt += 1) {
        const current = await live(target);
        const other = uid !== undefined && current?.metadata.uid !== uid;
        if (current === undefined || other) throw notFound(definition, name);
        const { resourceVersion } = current.metadata;
        const next = change(structuredClone(current));
        if (next === undefined) return;
        if (next.metadata.resourceVersion !== resourceVersion) throw staleResourceVersion(definition, name);
        const write = {
          key: keyOf(target),
          value: encodeObject(next),
          expect: Number(resourceVersion),
        };
        try {
          await storage.commit([write]);
          return;
        } catch (error) {
          if (!isConflict(error) || attempt === ATTEMPTS) throw explained(definition, name, error);
        }
      }
    },
    delete: (key, request) =>
      withStatusErrors(definition, key.name, deleteAtHost(client, definition, key, deletionOf(request))),
    // These objects have no further records.
    repair: async () => undefined,
    removeShadowed: async () => false,
  };
}

function objectOf({ value, revision }: StoredRecord): KubeObject {
  const object = parseStored<KubeObject>(value);
  object.metadata.resourceVersion = String(revision);
  return object;
}

const isConflict = (error: unknown): boolean =>
  error instanceof StorageError && error.failure.code === 'conflict';

/** Controllers get each failure as a StatusError. */
async function withStatusErrors<T>(
  definition: ResourceDefinition,
  name: string,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw explained(definition, name, error);
  }
}

function explained(definition: ResourceDefinition, name: string, error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  switch (error.failure.code) {
    case 'exists':
      return alreadyExists(definition, name);
    case 'not found':
      return notFound(definition, name);
    case 'conflict':
      return staleResourceVersion(definition, name);
    default: {
      const answer = serverTimeout(definition, 'write');
      answer.cause = error;
      return answer;
    }
  }
}
