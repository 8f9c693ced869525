import type { ResourceDefinition } from '../../../api/resource.js';
import type { HostClient } from '../../hostclient/interface.js';
import { StorageError, type Capabilities, type Storage } from '../interface.js';
import { kindClient } from './kindclient.js';
import { hostRevision, scanKind } from './lists.js';
import { watchKind } from './watches.js';
import { writeObject } from './writes.js';

const CAPABILITIES: Capabilities = { engine: 'host', shared: true, durable: true };

/** The storage of a kind whose objects are at the host; undefined: they are not. */
export type HostStorages = (definition: ResourceDefinition) => Storage | undefined;

/** The kinds whose objects are at the host and cached by this server. */
const KINDS: ReadonlySet<string> = new Set([
  '/namespaces',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/clusterrolebindings',
]);

export const isHostKind = ({ group, plural }: ResourceDefinition): boolean => KINDS.has(`${group}/${plural}`);

export function hostStorages(client: HostClient): HostStorages {
  return (definition) => (isHostKind(definition) ? hostStorage(client, definition) : undefined);
}

/**
 * The objects of one kind at the host's API, with the host's resourceVersions as revisions. Values are
 * canonical JSON. A commit has one write, without guards; its revision is 0 for a delete. `watch` and `scan`
 * cover the whole kind, and `get` reads the newest state. A permanent refusal of the host is a StatusError
 * with its message.
 */
export function hostStorage(client: HostClient, definition: ResourceDefinition): Storage {
  const kind = kindClient(client, definition);
  return {
    capabilities: CAPABILITIES,
    async get(key) {
      const record = await kind.get(key);
      return { revision: record?.revision ?? 0, record };
    },
    scan: (range, options = {}) => scanKind(kind, range, options),
    async commit(writes, guards = []) {
      const [write] = writes;
      if (write === undefined || writes.length > 1 || guards.length > 0)
        throw new StorageError({ code: 'too large', what: 'writes', limit: 1 });
      return { revisions: [await writeObject(kind, write)] };
    },
    watch: (_range, options = {}) => watchKind(kind, options),
    currentRevision: () => hostRevision(kind),
    compact: async () => undefined,
    close: async () => undefined,
  };
}
