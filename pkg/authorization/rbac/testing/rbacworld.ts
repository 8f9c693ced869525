/** What the tests of authorization share: the four kinds over a real store, and short ways to write them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../../../api/resource.js';
import { createObject } from '../../../registry/generic/create.js';
import { deleteObject } from '../../../registry/generic/delete.js';
import { kind as namespaces } from '../../../registry/core/namespace/kind.js';
import { kind as clusterRoles } from '../../../registry/rbac/clusterrole/kind.js';
import { kind as clusterRoleBindings } from '../../../registry/rbac/clusterrolebinding/kind.js';
import { kind as roles } from '../../../registry/rbac/role/kind.js';
import { kind as roleBindings } from '../../../registry/rbac/rolebinding/kind.js';
import type { PolicyRule } from '../../../registry/rbac/rules.js';
import { openRegistry, type Registry } from '../../../registry/registry.js';
import { updateObject } from '../../../registry/generic/update.js';
import { openEmbedded } from '../../../storage/embedded/embedded.js';
import type { Storage } from '../../../storage/interface.js';

const OPTIONS = {
  requester: { name: 'test', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};

export interface RbacWorld {
  readonly engine: Storage;
  readonly registry: Registry;
  /** `namespace`: `''` for cluster-scoped kinds. */
  create(kind: string, namespace: string, name: string, members?: Record<string, unknown>): Promise<void>;
  setRules(kind: 'Role' | 'ClusterRole', namespace: string, name: string, rules: PolicyRule[]): Promise<void>;
  remove(kind: string, namespace: string, name: string): Promise<void>;
  close(): Promise<void>;
}

/** `line`: what the registry has of the storage. */
export async function openRbacWorld(
  line: (engine: Storage) => Storage = (engine) => engine,
): Promise<RbacWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'rbac-'));
  const storage = await openEmbedded({ directory });
  const kinds = [namespaces, roles, clusterRoles, roleBindings, clusterRoleBindings];
  const everything = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
  const registry = await openRegistry(line(storage), kinds, () => everything, { retryMs: 1 });
  const storeOf = (kind: string) => {
    const store = registry.stores.find(({ definition }) => definition.kind === kind);
    if (store === undefined) throw new RangeError(`no kind ${kind}`);
    return store;
  };
  return {
    engine: storage,
    registry,
    async create(kind, namespace, name, members = {}) {
      const store = storeOf(kind);
      const { group, version } = store.definition;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const object: KubeObject = { kind, apiVersion, metadata: { name }, ...structuredClone(members) };
      store.schema.applyDefaults(object);
      store.strategy.applyDefaults?.(object);
      await createObject(store, namespace, object, OPTIONS);
    },
    async setRules(kind, namespace, name, rules) {
      const change = (live: KubeObject): KubeObject => ({ ...structuredClone(live), rules });
      const request = { namespace, name, subresource: '', change, versionRequired: false };
      await updateObject(storeOf(kind), request, OPTIONS);
    },
    async remove(kind, namespace, name) {
      await deleteObject(storeOf(kind), { namespace, name }, { dryRun: [] }, OPTIONS);
    },
    async close() {
      await registry.close();
      await storage.close();
      await rm(directory, { recursive: true });
    },
  };
}
