import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ConfigMap } from '../../../api/core/v1/configmap.js';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import type { KubeObject } from '../../../api/resource.js';
import { conflict } from '../../apimachinery/errors.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { createObject } from '../generic/create.js';
import { deleteObject } from '../generic/delete.js';
import type { Change, TransactionObjects, Effects } from './effects.js';
import { kind as namespaces } from '../core/namespace/kind.js';
import { openRegistry, type Registry } from '../registry.js';
import { readStored, type ResourceStore } from '../resourcestore.js';
import { updateObject } from '../generic/update.js';

const OPTIONS = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
const ALLOW = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };

let directory: string;
let storage: Storage;
let registry: Registry;
let secrets: ResourceStore;
let maps: ResourceStore;
/** The effects of a secret call this first. */
let before: (change: Change, objects: TransactionObjects) => Promise<void>;
let asked: number;

/** Each secret has a ConfigMap of the same name with its display name. */
async function mirror(change: Change, objects: TransactionObjects): Promise<Effects> {
  asked += 1;
  const { next, previous } = change;
  const { name = '', namespace = '' } = (next ?? previous)?.metadata ?? {};
  const kind = objects.kind('', 'configmaps');
  const current = kind.cached({ namespace, name });
  await before(change, objects);
  if (current !== undefined && current.object().data === undefined) {
    throw conflict({ group: '', plural: 'configmaps' }, name, 'it is not its own');
  }
  if (next === undefined) return { writes: current === undefined ? [] : [kind.remove(current)], guards: [] };
  const { displayName } = next.spec as { displayName: string };
  const map: KubeObject = { kind: '', apiVersion: '', metadata: { name }, data: { displayName } };
  return { writes: kind.ensure(namespace, map, current), guards: [] };
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'effects-'));
  storage = await openEmbedded({ directory });
  const kinds = [
    namespaces,
    { definition: ConfigMap, strategy: { generation: false, decidesAccess: true } },
    { definition: SharedSecret, strategy: { generation: true, effects: mirror } },
  ];
  registry = await openRegistry(storage, kinds, () => ALLOW);
  [, maps, secrets] = registry.stores as [ResourceStore, ResourceStore, ResourceStore];
  before = () => Promise.resolve();
  asked = 0;
  const [spaces] = registry.stores as [ResourceStore];
  await createObject(spaces, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'a' } }, OPTIONS);
});

afterEach(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

const secret = (name: string, displayName: string): KubeObject => ({
  kind: 'SharedSecret',
  apiVersion: 'management.svc.example/v1',
  metadata: { name },
  spec: { displayName },
});
const create = (name: string, displayName: string, options = OPTIONS) =>
  createObject(secrets, 'a', secret(name, displayName), options);
const rename = (name: string, displayName: string, options = OPTIONS) =>
  updateObject(
    secrets,
    {
      namespace: 'a',
      name,
      subresource: '',
      change: (live) => ({ ...structuredClone(live), spec: { displayName } }),
      versionRequired: false,
    },
    options,
  );
const mapOf = async (name: string) => (await readStored(maps, { namespace: 'a', name }))?.object();
const put = (name: string, data: Record<string, string> | undefined) =>
  createObject(
    maps,
    'a',
    { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, ...(data && { data }) },
    OPTIONS,
  );

test('creates, updates and deletes effects in the commit of their object, and caches them before the response', async () => {
  const { revision } = await create('one', 'One');
  const made = maps.cache.latest().get('a/one');
  expect(made?.revision).toBe(revision + 1);
  expect(made?.object()).toMatchObject({
    kind: 'ConfigMap',
    metadata: { name: 'one', namespace: 'a', uid: expect.any(String), creationTimestamp: expect.any(String) },
    data: { displayName: 'One' },
  });
  await rename('one', 'Two');
  const changed = maps.cache.latest().get('a/one')?.object();
  expect(changed).toMatchObject({
    metadata: { uid: made?.object().metadata.uid },
    data: { displayName: 'Two' },
  });
  await deleteObject(secrets, { namespace: 'a', name: 'one' }, { dryRun: [] }, OPTIONS);
  expect(maps.cache.latest().get('a/one')).toBeUndefined();
});

test('computes effects again after a conflict on one of them, but not the object', async () => {
  await create('one', 'One');
  asked = 0;
  const states: unknown[] = [];
  before = async (_change, objects) => {
    states.push(objects.kind('', 'configmaps').cached({ namespace: 'a', name: 'one' })?.object().data);
    if (asked > 2) return;
    const change = (live: KubeObject): KubeObject => ({ ...structuredClone(live), data: { by: `${asked}` } });
    await updateObject(
      maps,
      { namespace: 'a', name: 'one', subresource: '', change, versionRequired: false },
      OPTIONS,
    );
  };
  await rename('one', 'Two');
  expect(states).toEqual([{ displayName: 'One' }, { by: '1' }, { by: '2' }]);
  expect(await mapOf('one')).toMatchObject({ data: { displayName: 'Two' } });
});

test('handles concurrent creates and deletes of effects', async () => {
  before = async () => {
    if (asked === 1) await put('one', { mine: 'yes' });
  };
  await create('one', 'One');
  expect(asked).toBe(2);
  before = async () => {
    if (asked === 3) await deleteObject(maps, { namespace: 'a', name: 'one' }, { dryRun: [] }, OPTIONS);
  };
  await rename('one', 'Two');
  expect(asked).toBe(4);
  expect(await mapOf('one')).toMatchObject({ data: { displayName: 'Two' } });
});

test.each([false, true])('returns a refusal by effects and writes nothing; dry run: %s', async (dryRun) => {
  await put('one', undefined);
  await expect(create('one', 'One', { ...OPTIONS, dryRun })).rejects.toMatchObject({ code: 409 });
  expect(await readStored(secrets, { namespace: 'a', name: 'one' })).toBeUndefined();
});

test('computes effects in a dry run and writes nothing', async () => {
  const dry = { ...OPTIONS, dryRun: true };
  await create('one', 'One', dry);
  expect([asked, await mapOf('one')]).toEqual([1, undefined]);
  await create('one', 'One');
  await rename('one', 'Two', dry);
  await deleteObject(secrets, { namespace: 'a', name: 'one' }, { dryRun: ['All'] }, dry);
  expect(asked).toBe(4);
  expect(await mapOf('one')).toMatchObject({ data: { displayName: 'One' } });
});

test('commits all concurrent writes of one object', async () => {
  await create('one', 'One');
  await Promise.all(Array.from({ length: 30 }, (_, at) => rename('one', `Name ${at}`)));
  const stored = await readStored(secrets, { namespace: 'a', name: 'one' });
  expect(await mapOf('one')).toMatchObject({ data: stored?.object().spec as object });
});

test('throws RangeError for effects on a kind that is not served', async () => {
  before = (_change, objects) => Promise.resolve(void objects.kind('', 'pods'));
  await expect(create('one', 'One')).rejects.toThrow(RangeError);
});
