/**
 * The official JavaScript client: pages, patches and applies of typed and untyped objects, watches, an informer through
 * a 410, a controller with a finalizer. `informer.test.ts` beside it is about connections that are cut.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  Watch,
  makeInformer,
  setHeaderOptions,
  type Informer,
  type KubernetesListObject,
  type KubernetesObject,
  type ObjectCache,
} from '@kubernetes/client-node';
import { startServer, VIEWER_TOKEN, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

type Secret = KubernetesObject & { spec?: { description?: string; data?: Record<string, string> } };
type SecretList = KubernetesListObject<Secret> & {
  metadata?: { _continue?: string; continue?: string; remainingItemCount?: number };
};
/** A WatchEvent: its type, and the name or version of its object. */
type Seen = readonly [type: string, name: string];

const VERSION = 'management.svc.example/v1';
const FINALIZER = 'example.com/clientnode';

let server: ServerFixture;
let config: KubeConfig;
let viewer: KubeConfig;

beforeAll(async () => {
  server = await startServer();
  config = configOf();
  viewer = configOf(VIEWER_TOKEN);
});
afterAll(() => server?.remove());

function configOf(token?: string): KubeConfig {
  const loaded = new KubeConfig();
  loaded.loadFromFile(server.kubeconfig);
  if (token !== undefined) loaded.users = loaded.users.map(({ name }) => ({ name, token }));
  return loaded;
}

/** SharedSecrets of a namespace as a user. */
class Secrets {
  readonly path: string;
  private readonly where: { group: string; version: string; namespace: string; plural: string };
  private readonly api: CustomObjectsApi;

  constructor(
    readonly config: KubeConfig,
    namespace: string,
  ) {
    this.api = config.makeApiClient(CustomObjectsApi);
    this.where = { group: 'management.svc.example', version: 'v1', namespace, plural: 'sharedsecrets' };
    this.path = `/apis/${VERSION}/namespaces/${namespace}/sharedsecrets`;
  }

  async create(name: string, spec: object = {}, metadata: object = {}): Promise<Secret> {
    const body = { apiVersion: VERSION, kind: 'SharedSecret', metadata: { name, ...metadata }, spec };
    return (await this.api.createNamespacedCustomObject({ ...this.where, body })) as Secret;
  }

  async patch(name: string, body: object, type: PatchStrategy = PatchStrategy.MergePatch): Promise<Secret> {
    const patched = this.api.patchNamespacedCustomObject(
      { ...this.where, name, body },
      setHeaderOptions('Content-Type', type),
    );
    return (await patched) as Secret;
  }

  share = (name: string): Promise<Secret> =>
    this.patch(name, { spec: { access: [{ verbs: ['get'], users: ['viewer'] }] } });

  delete = (name: string): Promise<unknown> => this.api.deleteNamespacedCustomObject({ ...this.where, name });

  async list(query: { limit?: number; _continue?: string } = {}): Promise<SecretList> {
    return (await this.api.listNamespacedCustomObject({ ...this.where, ...query })) as SecretList;
  }

  informer(): Informer<Secret> & ObjectCache<Secret> {
    return makeInformer<Secret>(this.config, this.path, () => this.list());
  }
}

async function namespaceOf(prefix: string): Promise<string> {
  const made = await config
    .makeApiClient(CoreV1Api)
    .createNamespace({ body: { metadata: { generateName: `${prefix}-` } } });
  return made.metadata?.name ?? '';
}

const namesOf = (objects: readonly KubernetesObject[]): string[] =>
  objects.map(({ metadata }) => metadata?.name ?? '').sort();

const status = (code: number): object => expect.objectContaining({ code });

test('reads a list in pages, of one state', async () => {
  const secrets = new Secrets(config, await namespaceOf('pages'));
  for (const name of ['a', 'b', 'c', 'd', 'e']) await secrets.create(name);
  const first = await secrets.list({ limit: 2 });
  expect(first.metadata?.remainingItemCount).toBe(3);
  await secrets.create('ab');
  const second = await secrets.list({ limit: 2, _continue: first.metadata?.continue });
  const third = await secrets.list({ limit: 2, _continue: second.metadata?.continue });
  expect(namesOf([...first.items, ...second.items, ...third.items])).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(third.metadata?.continue ?? '').toBe('');
  expect(third.metadata?.resourceVersion).toBe(first.metadata?.resourceVersion);
});

test('gets 410 for a page of a state whose rights are gone', async () => {
  const namespace = await namespaceOf('rights');
  const secrets = new Secrets(config, namespace);
  for (const name of ['a', 'b', 'c']) await secrets.create(name);
  for (const name of ['a', 'b']) await secrets.share(name);
  const seen = new Secrets(viewer, namespace);
  const first = await seen.list({ limit: 1 });
  await secrets.share('c');
  const next = seen.list({ limit: 1, _continue: first.metadata?.continue });
  await expect(next).rejects.toEqual(status(410));
  expect(namesOf((await seen.list()).items)).toEqual(['a', 'b', 'c']);
});

const PATCHES: readonly (readonly [PatchStrategy, object])[] = [
  [PatchStrategy.JsonPatch, [{ op: 'add', path: '/spec/description', value: 'new' }]],
  [PatchStrategy.MergePatch, { spec: { description: 'new' } }],
  [PatchStrategy.StrategicMergePatch, { spec: { description: 'new' } }],
];

test.each(PATCHES)('patches a SharedSecret by %s', async (type, body) => {
  const secrets = new Secrets(config, await namespaceOf('patches'));
  await secrets.create('one', { data: { key: 'dmFsdWU=' } });
  const { spec, metadata } = await secrets.patch('one', body, type);
  expect(spec).toMatchObject({ description: 'new', data: { key: 'dmFsdWU=' } });
  expect(metadata?.generation).toBe(2);
});

test('merges a list by its key with a strategic merge patch of a typed object', async () => {
  const namespace = await namespaceOf('strategic');
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespacedServiceAccount({
    namespace,
    body: { metadata: { name: 'robot' }, secrets: [{ name: 'one' }] },
  });
  const patched = await core.patchNamespacedServiceAccount(
    { namespace, name: 'robot', body: { secrets: [{ name: 'two' }] } },
    setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
  );
  expect(patched.secrets?.map(({ name }) => name).sort()).toEqual(['one', 'two']);
});

describe('without types (KubernetesObjectApi)', () => {
  /** A Server-Side Apply. */
  const apply = (manager: string, namespace: string, spec: object, force?: boolean): Promise<Secret> =>
    KubernetesObjectApi.makeApiClient(config).patch<Secret>(
      { apiVersion: VERSION, kind: 'SharedSecret', metadata: { name: 'one', namespace }, spec } as Secret,
      undefined,
      undefined,
      manager,
      force,
      PatchStrategy.ServerSideApply,
    );

  test('applies; another manager conflicts until it forces', async () => {
    const namespace = await namespaceOf('apply');
    await apply('first', namespace, { description: 'first', data: { key: 'dmFsdWU=' } });
    const refused = apply('second', namespace, { description: 'second' });
    await expect(refused).rejects.toBeInstanceOf(ApiException);
    await expect(refused).rejects.toEqual(status(409));
    const forced = await apply('second', namespace, { description: 'second' }, true);
    expect(forced.spec).toMatchObject({ description: 'second', data: { key: 'dmFsdWU=' } });
    const left = await apply('first', namespace, {});
    expect(left.spec?.data).toBeUndefined();
    expect(left.spec?.description).toBe('second');
  });

  test('creates, reads, replaces and deletes what discovery names', async () => {
    const api = KubernetesObjectApi.makeApiClient(config);
    const header = { apiVersion: VERSION, kind: 'SharedSecret' };
    const metadata = { name: 'one', namespace: await namespaceOf('dynamic') };
    const made = await api.create<Secret>({ ...header, metadata });
    await expect(api.create({ ...header, metadata })).rejects.toEqual(status(409));
    const replaced = await api.replace<Secret>({ ...made, ...header, spec: { description: 'new' } });
    await expect(api.replace<Secret>({ ...made, ...header, spec: {} })).rejects.toEqual(status(409));
    const read = await api.read<Secret>({ ...header, metadata });
    expect(read.metadata?.resourceVersion).toBe(replaced.metadata?.resourceVersion);
    expect(namesOf((await api.list(VERSION, 'SharedSecret', metadata.namespace)).items)).toEqual(['one']);
    await api.delete({ ...header, metadata });
    await expect(api.read({ ...header, metadata })).rejects.toEqual(status(404));
  });
});

/** A watch until the server ends it: its events. */
async function watched(secrets: Secrets, query: Record<string, string | boolean>): Promise<Seen[]> {
  const seen: Seen[] = [];
  await new Promise<void>((resolve, reject) => {
    const note = (type: string, object: KubernetesObject & { code?: number }): void =>
      void seen.push([
        type,
        object.metadata?.name ?? String(object.code ?? object.metadata?.resourceVersion),
      ]);
    const done = (error: unknown): void => (error === null ? resolve() : reject(error as Error));
    new Watch(secrets.config).watch(secrets.path, query, note, done).catch(reject);
  });
  return seen;
}

test('watches each change in order, and goes on from the bookmark at the end', async () => {
  const secrets = new Secrets(config, await namespaceOf('watch'));
  const { metadata } = await secrets.create('before');
  await secrets.create('one');
  await secrets.patch('one', { spec: { description: 'new' } });
  await secrets.delete('before');
  // A bookmark is sent where the version has moved on without an event.
  await namespaceOf('besides');
  const query = { allowWatchBookmarks: true, timeoutSeconds: '2' };
  const seen = await watched(secrets, { ...query, resourceVersion: metadata?.resourceVersion ?? '' });
  const [, marked = ''] = seen.pop() ?? [];
  expect(seen).toEqual([
    ['ADDED', 'one'],
    ['MODIFIED', 'one'],
    ['DELETED', 'before'],
  ]);
  await secrets.create('after');
  const resumed = await watched(secrets, { ...query, resourceVersion: marked });
  expect(resumed[0]).toEqual(['ADDED', 'after']);
});

test('gets an event with 410 for a forgotten version', async () => {
  const secrets = new Secrets(config, await namespaceOf('forgotten'));
  expect(await watched(secrets, { resourceVersion: '1' })).toEqual([['ERROR', '410']]);
});

test('an informer lists again after the 410 that ends its watch, and goes on', async () => {
  const namespace = await namespaceOf('informer');
  const secrets = new Secrets(config, namespace);
  for (const name of ['shown', 'hidden']) await secrets.create(name);
  await secrets.share('shown');
  const informer = new Secrets(viewer, namespace).informer();
  const holds = (...names: string[]): Promise<boolean> =>
    eventually(names.join(), async () => namesOf(informer.list()).join() === names.sort().join());
  await informer.start();
  await holds('shown');
  await secrets.share('hidden');
  await holds('hidden', 'shown');
  await secrets.create('later', { access: [{ verbs: ['get'], users: ['viewer'] }] });
  await holds('hidden', 'later', 'shown');
  await secrets.delete('shown');
  await holds('hidden', 'later');
  await informer.stop();
});

test('a controller on an informer holds objects with a finalizer until it is done with them', async () => {
  const namespace = await namespaceOf('controller');
  const secrets = new Secrets(config, namespace);
  const core = config.makeApiClient(CoreV1Api);
  const done: string[] = [];
  const reconcile = async ({ metadata: { name = '', finalizers = [], deletionTimestamp } = {} }: Secret) => {
    if (deletionTimestamp === undefined && finalizers.length === 0)
      await secrets.patch(name, { metadata: { finalizers: [FINALIZER] } });
    if (deletionTimestamp === undefined || !finalizers.includes(FINALIZER)) return;
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: `${name}-farewell` } } });
    done.push(name);
    await secrets.patch(name, { metadata: { finalizers: null } });
  };
  const failures: unknown[] = [];
  const informer = secrets.informer();
  // Not 'change': the event of the removal has the object as it was before, with its finalizer.
  for (const event of ['add', 'update'] as const)
    informer.on(event, (found) => void reconcile(found).catch((error: unknown) => failures.push(error)));
  await informer.start();
  await secrets.create('one');
  await eventually(
    'the finalizer',
    async () => informer.get('one', namespace)?.metadata?.finalizers?.length === 1,
  );
  await secrets.delete('one');
  await eventually('the removal', async () => informer.get('one', namespace) === undefined);
  await informer.stop();
  expect({ done, failures }).toEqual({ done: ['one'], failures: [] });
  await core.readNamespacedConfigMap({ namespace, name: 'one-farewell' });
});
