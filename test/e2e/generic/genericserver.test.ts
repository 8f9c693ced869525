/** The generic storey serves kinds without anything of the product: `pkg/` without `pkg/management/`. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { defineResource } from '../../../api/resource.js';
import { Type } from '../../../api/type.js';
import { fieldInvalid } from '../../../pkg/apimachinery/fielderror.js';
import type { StoredKind } from '../../../pkg/registry/registry.js';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { openEtcd } from '../../../pkg/storage/etcd/open.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import {
  startGenericServer,
  type GenericServer,
  type GenericServerOptions,
} from '../../fixtures/servers/genericserver.js';
import { describeWith, type Outcome } from '../../fixtures/program.js';
import { etcdIsThere, findProgram, startEtcd } from '../../fixtures/stores/etcd.js';

const Lamp = defineResource({
  group: 'lights.example',
  version: 'v1',
  kind: 'Lamp',
  plural: 'lamps',
  shortNames: ['la'],
  namespaced: true,
  description: 'Lamp lights a room.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object({
        watts: Type.Optional(Type.Integer({ minimum: 1, default: 7, description: 'Its power, in watts.' })),
      }),
    ),
  }),
});

const kind: StoredKind<typeof Lamp> = {
  definition: Lamp,
  strategy: {
    generation: true,
    validate: ({ spec: { watts = 0 } = {} }) =>
      watts > 100 ? [fieldInvalid('spec.watts', watts, 'must be at most 100')] : [],
  },
};

const lamp = (name: string, watts?: number): string =>
  JSON.stringify({ apiVersion: 'lights.example/v1', kind: 'Lamp', metadata: { name }, spec: { watts } });

/** Runs kubectl as one user, while the server answers in this process. */
type Kubectl = (args: readonly string[], input?: string) => Promise<Outcome>;

const kubectlOf =
  (directory: string, kubeconfig: string): Kubectl =>
  (args, input = '') =>
    new Promise((resolve) => {
      const flags = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(directory, 'cache')}`];
      const child = execFile(findProgram('kubectl') ?? 'kubectl', [...flags, ...args], (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
      child.stdin?.end(input);
    });

interface Store {
  readonly storage: Storage;
  remove(): Promise<void>;
}

async function embedded(directory: string): Promise<Store> {
  const storage = await openEmbedded({ directory: join(directory, 'store') });
  return { storage, remove: () => storage.close() };
}

async function etcd(): Promise<Store> {
  const server = await startEtcd();
  const storage = await openEtcd({ endpoints: [server.endpoint], prefix: '/generic' });
  return {
    storage,
    async remove() {
      await storage.close();
      await server.stop();
    },
  };
}

describeWith('kubectl').each([
  ['embedded', embedded],
  ...(etcdIsThere() ? ([['etcd', etcd]] as const) : []),
] as const)('a server of the generic storey on %s', (engine, open) => {
  let directory: string;
  let store: Store;
  let server: GenericServer;
  let admin: Kubectl;
  let dev: Kubectl;
  /** In their order, and whether each was answered in the turn in which it came. */
  const reads: { readonly url: string; readonly atOnce: boolean }[] = [];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'generic-'));
    store = await open(directory);
    const around: GenericServerOptions['around'] = (handler) => (exchange) => {
      const done = handler(exchange);
      const { method, url } = exchange.request;
      if (method === 'GET') reads.push({ url: url ?? '', atOnce: exchange.response.writableEnded });
      return done;
    };
    server = await startGenericServer(store.storage, [kind], { around });
    const user = (name: 'admin' | 'dev'): Kubectl => {
      const kubeconfig = join(directory, `${name}.yaml`);
      writeFileSync(kubeconfig, server.kubeconfigs[name]);
      return kubectlOf(directory, kubeconfig);
    };
    [admin, dev] = [user('admin'), user('dev')];
  });
  const ran = async (client: Kubectl, args: readonly string[], input?: string): Promise<string> => {
    const { code, out, err } = await client(args, input);
    expect([args, code, err]).toEqual([args, 0, expect.anything()]);
    return out;
  };
  afterAll(async () => {
    await server?.stop();
    await store?.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  test('applies, explains, patches, waits for and deletes objects of its own kind', async () => {
    await ran(admin, ['apply', '--server-side', '-f', '-'], lamp('desk'));
    expect(await ran(admin, ['get', 'la', 'desk', '-o', 'jsonpath={.spec.watts}'])).toBe('7');
    expect(await ran(admin, ['explain', 'lamps.spec.watts'])).toContain('Its power, in watts.');
    await ran(admin, ['patch', 'lamp', 'desk', '--type=merge', '-p', '{"spec":{"watts":40}}']);
    expect(await ran(admin, ['get', 'lamps'])).toMatch(/^NAME +AGE\ndesk /);
    await ran(admin, ['wait', 'lamp/desk', '--for=jsonpath={.spec.watts}=40']);
    await ran(admin, ['delete', 'lamp', 'desk', '--wait']);
    expect(await ran(admin, ['get', 'lamps', '-o', 'name'])).toBe('');
  });

  test('refuses what the schema, the strategy, admission and roles refuse', async () => {
    const refused = async (client: Kubectl, args: readonly string[], body = ''): Promise<string> => {
      const { code, err } = await client(args, body);
      expect(code).toBe(1);
      return err;
    };
    const create = ['create', '-f', '-'];
    expect(await refused(admin, create, lamp('dark', 0))).toContain('should be greater than or equal to 1');
    expect(await refused(admin, create, lamp('hot', 101))).toContain('must be at most 100');
    expect(await refused(admin, [...create, '-n', 'nowhere'], lamp('lost'))).toContain('"nowhere" not found');
    expect(await refused(dev, create, lamp('mine'))).toContain('cannot create resource "lamps"');
    await ran(admin, ['create', 'role', 'lighter', '--verb=create,get', '--resource=lamps.lights.example']);
    await ran(admin, ['create', 'rolebinding', 'lighter', '--role=lighter', '--user=dev']);
    await ran(dev, create, lamp('mine'));
    expect((await dev(['auth', 'can-i', 'delete', 'lamps'])).out).toBe('no\n');
  });

  test('answers the read of an object without a wait, but for what it asks etcd', async () => {
    const path = '/apis/lights.example/v1/namespaces/default/lamps/mine';
    reads.length = 0;
    for (const user of [admin, dev]) await ran(user, ['get', '--raw', path]);
    const read = { url: path, atOnce: engine === 'embedded' };
    expect(reads).toEqual([read, read]);
  });

  test('collects dependents and the content of a deleted namespace', async () => {
    await ran(admin, ['create', 'namespace', 'room']);
    await ran(admin, ['apply', '-n', 'room', '-f', '-'], lamp('owner'));
    const uid = await ran(admin, ['get', 'lamp', 'owner', '-n', 'room', '-o', 'jsonpath={.metadata.uid}']);
    const owner = { apiVersion: 'lights.example/v1', kind: 'Lamp', name: 'owner', uid };
    const dependent = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'dependent', ownerReferences: [owner] },
    };
    await ran(admin, ['create', '-n', 'room', '-f', '-'], JSON.stringify(dependent));
    await ran(admin, ['delete', 'lamp', 'owner', '-n', 'room', '--cascade=foreground']);
    expect(await ran(admin, ['get', 'configmap', '-n', 'room', '-o', 'name'])).toBe('');
    await ran(admin, ['apply', '-n', 'room', '-f', '-'], lamp('last'));
    await ran(admin, ['delete', 'namespace', 'room', '--wait']);
    expect(await ran(admin, ['get', 'lamps', '-A', '-o', 'name'])).not.toContain('last');
  });
});

test('nothing of it imports the product', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const read = new Set<string>();
  const follow = (file: string): void => {
    if (read.has(file)) return;
    read.add(file);
    for (const [, path = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from|import\() ?'(\.[^']+)\.js'/g,
    ))
      follow(`${normalize(join(dirname(file), path))}.ts`);
  };
  follow('test/fixtures/servers/genericserver.ts');
  expect(read.size).toBeGreaterThan(300);
  expect([...read].filter((file) => /management|^pkg\/(agent|tunnel)/.test(file))).toEqual([]);
});
