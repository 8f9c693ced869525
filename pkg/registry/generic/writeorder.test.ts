/** The order of the stages of each write, recorded by a plugin and a strategy. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Namespace } from '../../../api/core/v1/namespace.js';
import { defineResource, type JsonValue, type KubeObject } from '../../../api/resource.js';
import { Type } from '../../../api/type.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import { parseListOptions } from '../../apimachinery/options/list.js';
import { EMPTY_QUERY } from '../../apimachinery/options/query.js';
import { runToCompletion } from '../../apimachinery/eventloop/slices.js';
import { patchKind } from '../../server/handlers/patchtypes.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import type { Admission } from '../admission.js';
import { decodeObject } from '../object/decode.js';
import { openRegistry, type Registry } from '../registry.js';
import type { Strategy } from '../strategy.js';
import { EVERYTHING } from '../visibilityfilter.js';
import { applyObject } from './apply.js';
import { createObject } from './create.js';
import { putObject } from './createonupdate.js';
import { deleteObject } from './delete.js';
import { deleteCollection } from './deletecollection.js';
import { moveObject } from './move.js';
import type { ResourceStore, Stored } from '../resourcestore.js';
import { parseSelection } from './selectionpredicate.js';
import type { UpdateRequest } from '../object/updaterequest.js';
import { updateObject } from './update.js';

const Probe = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Probe',
  plural: 'probes',
  namespaced: true,
  createOnUpdate: true,
  unconditionalUpdate: true,
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  description: 'Probe records the stages of its writes.',
  schema: Type.Object({
    spec: Type.Optional(Type.Object({ size: Type.Optional(Type.Integer()) })),
    status: Type.Optional(Type.Object({ phase: Type.Optional(Type.String()) })),
  }),
});

let stages: string[] = [];
const at = (stage: string): void => void stages.push(stage);
const found = (stage: string): [] => (at(stage), []);

const strategy: Strategy = {
  generation: true,
  applyDefaults: () => at('defaults'),
  prepareForCreate: () => at('prepareForCreate'),
  prepareForUpdate: () => at('prepareForUpdate'),
  validate: () => found('validate'),
  validateCreate: () => found('validateCreate'),
  validateUpdate: () => found('validateUpdate'),
  warnings: () => found('warnings'),
  effects: () => (at('effects'), Promise.resolve({ writes: [], guards: [] })),
  prepareForDelete: () => at('prepareForDelete'),
};

const sizeOf = ({ spec }: KubeObject): unknown => (spec as { size?: number } | undefined)?.size;
let seen: { size: unknown; managers: unknown } | undefined;

const probe: Admission = {
  mutate: ({ definition, operation }, object) => {
    if (definition !== Probe) return Promise.resolve();
    at(`mutating ${operation}`);
    const managers = object.metadata.managedFields?.map(({ manager }) => manager);
    seen = { size: sizeOf(object), managers };
    object.metadata.labels = { ...object.metadata.labels, from: 'admission' };
    return Promise.resolve();
  },
  validate: ({ definition, operation }) => {
    if (definition === Probe) at(`validating ${operation}`);
    return Promise.resolve([]);
  },
};

let directory: string;
let storage: Storage;
let registry: Registry;
let store: ResourceStore;

const options = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'client',
};
const decoded = (value: object): KubeObject =>
  runToCompletion(decodeObject(store, [Probe], copyJson(value) as JsonValue)).object;
const probeObject = (name: string, more: object = {}): KubeObject =>
  decoded({ kind: 'Probe', apiVersion: 'example.com/v1', metadata: { name }, spec: { size: 1 }, ...more });
const create = (name: string): Promise<Stored> => createObject(store, 'a', probeObject(name), options);
const allowed = (): Promise<void> => (at('authorize create'), Promise.resolve());

const updateOf = (name: string, change: UpdateRequest['change'], more: object = {}): UpdateRequest => ({
  namespace: 'a',
  name,
  subresource: '',
  versionRequired: false,
  change,
  ...more,
});

const put = (name: string, more: object, subresource = ''): Promise<unknown> => {
  const object = probeObject(name, more);
  const request = updateOf(name, () => copyJson(object), { subresource, versionRequired: true });
  return putObject(store, object, request, options, allowed);
};

const patch =
  (type: string, body: JsonValue) =>
  (name: string): Promise<unknown> => {
    const kind = patchKind(`application/${type}+json`, false);
    const { value } = runToCompletion(kind.decode(Buffer.from(JSON.stringify(body)), 'Strict'));
    const change = (live: KubeObject): KubeObject =>
      decoded(runToCompletion(kind.apply(live as unknown as JsonValue, value, store.schema)) as object);
    return updateObject(store, updateOf(name, change), options);
  };

const apply = (name: string): Promise<unknown> => {
  const config = { kind: 'Probe', apiVersion: 'example.com/v1', metadata: { name }, spec: { size: 5 } };
  const request = { namespace: 'a', name, subresource: '', config, force: true };
  const decode = (value: JsonValue): Promise<KubeObject> => Promise.resolve(decoded(value as object));
  return applyObject(store, { ...request, decode, authorizeCreation: allowed }, options);
};

const deletion = { dryRun: [] };
const UPDATED = [
  'prepareForUpdate',
  'validate',
  'validateUpdate',
  'warnings',
  'validating UPDATE',
  'effects',
];
const CREATED = [
  'mutating CREATE',
  'prepareForCreate',
  'validate',
  'validateCreate',
  'warnings',
  'validating CREATE',
  'effects',
];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'writeorder-'));
  storage = await openEmbedded({ directory });
  const kinds = [{ definition: Namespace }, { definition: Probe, strategy }];
  registry = await openRegistry(storage, kinds, () => probe);
  const [namespaces, probes] = registry.stores;
  store = probes!;
  for (const name of ['a', 'b'])
    await createObject(namespaces!, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }, options);
});

afterAll(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

beforeEach(() => {
  seen = undefined;
});

/** Returns the stages of a write to an existing object; `name` is its own. */
async function stagesOf(name: string, write: (name: string) => Promise<unknown>): Promise<readonly string[]> {
  const { revision } = await create(name);
  await store.cache.reach(revision, 5000);
  stages = [];
  await write(name);
  return stages;
}

test.each<[string, (name: string) => Promise<unknown>, readonly string[]]>([
  ['PUT', (name) => put(name, { spec: { size: 2 } }), ['defaults', 'mutating UPDATE', ...UPDATED]],
  [
    'JSON patch',
    patch('json-patch', [{ op: 'replace', path: '/spec/size', value: 3 }]),
    ['defaults', 'mutating UPDATE', ...UPDATED],
  ],
  ['merge patch', patch('merge-patch', { spec: { size: 4 } }), ['defaults', 'mutating UPDATE', ...UPDATED]],
  [
    'strategic merge patch',
    patch('strategic-merge-patch', { spec: { size: 4 } }),
    ['defaults', 'mutating UPDATE', ...UPDATED],
  ],
  ['apply', apply, ['defaults', 'mutating UPDATE', ...UPDATED]],
  [
    'PUT of the status',
    (name) => put(name, { status: { phase: 'Ready' } }, 'status'),
    ['defaults', 'mutating UPDATE', ...UPDATED.slice(1)],
  ],
  [
    'delete',
    (name) => deleteObject(store, { namespace: 'a', name }, deletion, options),
    ['validating DELETE', 'effects'],
  ],
  [
    'delete with foreground propagation',
    (name) =>
      deleteObject(
        store,
        { namespace: 'a', name },
        { ...deletion, propagationPolicy: 'Foreground' },
        options,
      ),
    ['validating DELETE', 'prepareForDelete', 'effects'],
  ],
  [
    'deletecollection',
    (name) => {
      const selection = parseSelection(Probe, {
        labelSelector: '',
        fieldSelector: `metadata.name=${name}`,
        shardSelector: '',
      });
      const list = { namespace: 'a', options: parseListOptions(EMPTY_QUERY), selection, view: EVERYTHING };
      return deleteCollection(store, list, deletion, options, (step) => step);
    },
    ['validating DELETE', 'effects'],
  ],
  [
    'move',
    (name) => {
      const { requester } = options;
      const none = { check: () => undefined, change: () => undefined, dependents: () => [] };
      const move = { name, from: 'a', to: 'b', ...none, isEverywhere: () => true };
      return moveObject(store, move, { requester, dryRun: false, warn: () => undefined });
    },
    // The object is not validated again, as the mover changes nothing of it.
    ['effects', 'validating DELETE', 'validating CREATE', 'effects', 'effects'],
  ],
])('the stages of %s are in order', async (verb, write, expected) => {
  expect(await stagesOf(verb.toLowerCase().replaceAll(' ', '-'), write)).toEqual(expected);
});

test.each<[string, (name: string) => Promise<unknown>, readonly string[]]>([
  ['create', create, ['defaults', ...CREATED]],
  ['create by PUT', (name) => put(name, {}), ['defaults', 'authorize create', ...CREATED]],
  ['create by apply', apply, ['defaults', 'authorize create', ...CREATED]],
])('the stages of %s are in order', async (verb, write, expected) => {
  stages = [];
  await write(verb.toLowerCase().replaceAll(' ', '-'));
  expect(stages).toEqual(expected);
});

test('mutating admission sees the request with its managers; its own changes have no manager', async () => {
  await store.cache.reach((await create('owned')).revision, 5000);
  const { bytes } = await updateObject(
    store,
    updateOf('owned', (live) => decoded({ ...live, spec: { size: 9 } })),
    options,
  );
  const stored = JSON.parse(bytes.toString()) as KubeObject;
  expect(seen).toEqual({ size: 9, managers: ['client'] });
  expect(stored.metadata.labels).toEqual({ from: 'admission' });
  expect(JSON.stringify(stored.metadata.managedFields)).not.toContain('f:labels');
});

test.each([
  ['another version', { resourceVersion: '1' }, ['defaults', 'mutating UPDATE']],
  ['another uid', { uid: '00000000-0000-4000-8000-000000000000' }, ['defaults']],
])('refuses a PUT with %s at the right stage', async (what, metadata, expected) => {
  const name = what.replaceAll(' ', '-');
  const write = (): Promise<unknown> =>
    expect(put(name, { metadata: { name, ...metadata } })).rejects.toMatchObject({ code: 409 });
  expect(await stagesOf(name, write)).toEqual(expected);
});

test('refuses a string in place of an object before mutating admission', async () => {
  const request = updateOf('misfit', (live) => ({ ...copyJson(live), spec: 'x'.repeat(10) }));
  const write = (): Promise<unknown> =>
    expect(updateObject(store, request, options)).rejects.toMatchObject({ code: 422 });
  expect(await stagesOf('misfit', write)).toEqual([]);
});

test('reports the invalid field, and no metadata that the server restores', async () => {
  const write = (): Promise<unknown> =>
    expect(put('misfit-alone', { spec: 'x' })).rejects.toThrow(
      /^[^:]* is invalid: spec: [^:]*: "string": spec [^:]*: "string"$/,
    );
  expect(await stagesOf('misfit-alone', write)).toEqual(['defaults']);
});
