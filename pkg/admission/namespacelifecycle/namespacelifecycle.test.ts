/** Creates in a namespace that is being deleted are refused, even if the deletion starts during the create. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import { etcdIsThere, startEtcd } from '../../../test/fixtures/stores/etcd.js';
import { StatusError } from '../../apimachinery/errors.js';
import { applyObject } from '../../registry/generic/apply.js';
import { kind as configMaps } from '../../registry/core/configmap/kind.js';
import { createNamespace } from '../../registry/core/namespace/bootstrap.js';
import { findNamespace } from '../../registry/core/namespace/find.js';
import { kind as namespaces } from '../../registry/core/namespace/kind.js';
import { createObject } from '../../registry/generic/create.js';
import { deleteObject } from '../../registry/generic/delete.js';
import { openRegistry } from '../../registry/registry.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { updateObject } from '../../registry/generic/update.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import { openEtcd } from '../../storage/etcd/open.js';
import type { Storage } from '../../storage/interface.js';
import { AdmissionChain } from '../chain.js';
import { namespaceLifecycle } from './namespacelifecycle.js';

const options = {
  requester: { name: 'u', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};

interface Cluster {
  readonly namespaces: ResourceStore;
  readonly configMaps: ResourceStore;
  close(): Promise<void>;
}

async function openCluster(storage: Storage): Promise<Cluster> {
  const registry = await openRegistry(
    storage,
    [namespaces, configMaps],
    (stores) =>
      new AdmissionChain([
        namespaceLifecycle((name, bypassCache) => findNamespace(stores, name, bypassCache)),
      ]),
  );
  const [first, second] = registry.stores as [ResourceStore, ResourceStore];
  const close = async (): Promise<void> => {
    await registry.close();
    await storage.close();
  };
  return { namespaces: first, configMaps: second, close };
}

/** Runs between the admission of a create and its commit. */
type Meanwhile = (cluster: Cluster) => Promise<void>;

const nothing: Meanwhile = () => Promise.resolve();
const finish = { namespace: '', name: 'n', subresource: 'finalize', versionRequired: false };
const mark: Meanwhile = async (cluster) => {
  await deleteObject(cluster.namespaces, clusterScoped('n'), { dryRun: [] }, options);
};
const remove: Meanwhile = async (cluster) => {
  await mark(cluster);
  const change = (live: KubeObject): KubeObject => ({ ...structuredClone(live), spec: {} });
  await updateObject(cluster.namespaces, { ...finish, change }, options);
};
const label: Meanwhile = async ({ namespaces: store }) => {
  const change = (live: KubeObject): KubeObject => {
    const next = structuredClone(live);
    next.metadata.labels = { ...next.metadata.labels, at: String(Math.random()) };
    return next;
  };
  await updateObject(store, { ...finish, subresource: '', change }, options);
};
const recreate: Meanwhile = async (cluster) => {
  await remove(cluster);
  await createNamespace([cluster.namespaces], 'n');
};

const object = (): KubeObject => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } });
const VERBS: Record<string, (store: ResourceStore) => Promise<unknown>> = {
  create: (store) => createObject(store, 'n', object(), options),
  apply: (store) => {
    const config = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } };
    const decode = (value: unknown): Promise<KubeObject> => Promise.resolve(value as KubeObject);
    const authorizeCreation = (): Promise<void> => Promise.resolve();
    const request = { namespace: 'n', name: 'a', subresource: '', config, force: false };
    return applyObject(store, { ...request, decode, authorizeCreation }, options);
  },
};

/** The store of the kind. It calls `meanwhile` before its first `times` commits. */
function interrupted(cluster: Cluster, meanwhile: Meanwhile, times: number): ResourceStore {
  let left = times;
  const { storage } = cluster.configMaps;
  const commit: Storage['commit'] = async (...args) => {
    if (left-- > 0) await meanwhile(cluster);
    return storage.commit(...args);
  };
  return {
    ...cluster.configMaps,
    storage: { get: storage.get.bind(storage), scan: storage.scan.bind(storage), commit },
  };
}

const codeOf = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => 201,
    (error: unknown) => (error instanceof StatusError ? error.code : Promise.reject(error as Error)),
  );

interface Engine {
  open(): Promise<Storage>;
  end(): Promise<void>;
}

async function embedded(): Promise<Engine> {
  const directory = await mkdtemp(join(tmpdir(), 'lifecycle-'));
  let stores = 0;
  return {
    open: () => openEmbedded({ directory: join(directory, String(stores++)) }),
    end: () => rm(directory, { recursive: true }),
  };
}

async function onEtcd(): Promise<Engine> {
  const etcd = await startEtcd();
  let stores = 0;
  return {
    open: () => openEtcd({ endpoints: [etcd.endpoint], prefix: `/lifecycle${stores++}/` }),
    end: () => etcd.stop(),
  };
}

describe.each([
  { engine: 'embedded', start: embedded, there: true },
  { engine: 'etcd', start: onEtcd, there: etcdIsThere() },
])('on $engine', ({ start, there }) => {
  const engine = there ? start() : undefined;
  afterAll(async () => (await engine)?.end());

  (there ? test : test.skip).each([
    ['nothing happens', nothing, 1, 201],
    ['its namespace is labelled', label, 1, 201],
    ['its namespace is labelled 20 times', label, 20, 201],
    ['the deletion of its namespace begins', mark, 1, 403],
    ['its namespace is deleted', remove, 1, 404],
    ['its namespace is deleted and created again', recreate, 1, 201],
  ])('a create that is admitted before %s', async (_name, meanwhile, times, code) => {
    for (const [verb, write] of Object.entries(VERBS)) {
      const cluster = await openCluster(await (engine as Promise<Engine>).then(({ open }) => open()));
      await createNamespace([cluster.namespaces], 'n');
      expect([verb, await codeOf(write(interrupted(cluster, meanwhile, times)))]).toEqual([verb, code]);
      const { record } = await cluster.configMaps.storage.get('registry/core/configmaps/n/a');
      expect(record !== undefined).toBe(code === 201);
      await cluster.close();
    }
  });
});
