import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Namespace } from '../../../api/core/v1/namespace.js';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import { conflict } from '../../apimachinery/errors.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { Creation, createObject } from '../generic/create.js';
import { updateOrCreate } from '../generic/createonupdate.js';
import { guaranteedUpdate, type LiveState, type Step } from './guaranteedupdate.js';
import { openRegistry, type Registry } from '../registry.js';
import { readStored, storeKey, type ResourceStore } from '../resourcestore.js';
import { NO_EFFECTS, transactionOf } from './transaction.js';
import { updateObject } from '../generic/update.js';

const ALLOW = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
const OPTIONS = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
const TARGET = { operation: 'update', namespace: '', name: 'a', user: 'jane', queues: true } as const;
const OTHER = 'private/other';

let directory: string;
let storage: Storage;
let registry: Registry;
let store: ResourceStore;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guaranteed-'));
  storage = await openEmbedded({ directory });
  registry = await openRegistry(storage, [{ definition: Namespace }], () => ALLOW);
  [store] = registry.stores as [ResourceStore];
});

afterEach(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

const namespace = (name: string): KubeObject => ({ kind: 'Namespace', apiVersion: 'v1', metadata: { name } });
const labelled = (colour: string) => (live: KubeObject) => {
  const next = structuredClone(live);
  next.metadata.labels = { ...next.metadata.labels, [colour]: 'yes' };
  return next;
};
const update = (on: ResourceStore, colour: string) =>
  updateObject(
    on,
    { namespace: '', name: 'a', subresource: '', change: labelled(colour), versionRequired: false },
    OPTIONS,
  );
async function create(): Promise<void> {
  const { revision } = await createObject(store, '', namespace('a'), OPTIONS);
  await store.cache.reach(revision, 5000);
}

/** The store with a cache that stays at the current state. */
function behind(): ResourceStore {
  const old = store.cache.latest();
  return { ...store, cache: { ...store.cache, latest: () => old } };
}

/** A step that replaces the object, and expects `key` as given. */
function replacing(states: LiveState[], expect?: (state: LiveState) => number | 'absent'): Step<number> {
  return async (state) => {
    states.push(state);
    const { live } = state;
    if (live === undefined) throw conflict(Namespace, 'a', 'it is not there');
    const value = store.codec.seal(store.codec.encode({ ...labelled('red')(live.object()) }));
    const own = { key: storeKey(store, clusterScoped('a')), value, expect: live.revision };
    const required =
      expect === undefined
        ? []
        : [{ rule: 'Quota', writes: [{ key: OTHER, value: Buffer.from('1'), expect: expect(state) }] }];
    return {
      transaction: transactionOf([own], required, NO_EFFECTS),
      answer: ([revision = 0]) => revision,
    };
  };
}

test('runs the step again on the object that a conflicting transaction found', async () => {
  await create();
  const stale = behind();
  const { revision } = await update(store, 'blue');
  const states: LiveState[] = [];
  let reads = 0;
  const counted: ResourceStore = {
    ...stale,
    storage: { ...stale.storage, get: (...args) => ((reads += 1), stale.storage.get(...args)) },
  };
  const written = await guaranteedUpdate(counted, TARGET, replacing(states));
  expect(states.map(({ live }) => live?.revision)).toEqual([expect.any(Number), revision]);
  expect(states.map(({ bypassCache }) => bypassCache)).toEqual([false, false]);
  expect(reads).toBe(0);
  expect((await readStored(store, clusterScoped('a')))?.revision).toBe(written);
});

test('runs the step again on the record that failed a precondition, bypassing the cache', async () => {
  await create();
  const { revisions } = await storage.commit([{ key: OTHER, value: Buffer.from('0'), expect: 'absent' }]);
  const states: LiveState[] = [];
  await guaranteedUpdate(
    store,
    TARGET,
    replacing(states, ({ met }) => met.get(OTHER)?.revision ?? 'absent'),
  );
  expect(states.map(({ bypassCache }) => bypassCache)).toEqual([false, true]);
  expect(states[1]?.met.get(OTHER)?.revision).toBe(revisions[0]);
});

test('ends a write whose precondition always fails, and names the rule', async () => {
  await create();
  await storage.commit([{ key: OTHER, value: Buffer.from('0'), expect: 'absent' }]);
  const states: LiveState[] = [];
  await expect(
    guaranteedUpdate(
      store,
      TARGET,
      replacing(states, () => 'absent'),
    ),
  ).rejects.toMatchObject({
    status: { reason: 'ServerTimeout', message: expect.stringContaining('what Quota requires') },
  });
  expect(states).toHaveLength(100);
});

test('repeats a refusal based on the cache only if the store has another state', async () => {
  const stale = behind();
  await create();
  const states: LiveState[] = [];
  await guaranteedUpdate(stale, TARGET, replacing(states));
  expect(states.map(({ live }) => live !== undefined)).toEqual([false, true]);
  states.length = 0;
  const missing = { ...TARGET, name: 'b' };
  await expect(guaranteedUpdate(store, missing, replacing(states))).rejects.toMatchObject({ code: 409 });
  expect(states).toHaveLength(1);
});

test('ends the write at once on an unexpected error', async () => {
  await create();
  let asked = 0;
  const failing: Step<void> = () => Promise.reject(new RangeError(`${(asked += 1)}`));
  await expect(guaranteedUpdate(store, TARGET, failing)).rejects.toThrow(RangeError);
  expect(asked).toBe(1);
});

test('queues writers of one object: all succeed, and most run their step at most twice', async () => {
  await create();
  let runs = 0;
  const counted: ResourceStore = {
    ...store,
    admission: { ...ALLOW, mutate: () => Promise.resolve(void (runs += 1)) },
  };
  const colours = Array.from({ length: 32 }, (_, at) => `c${at}`);
  await Promise.all(colours.map((colour) => update(counted, colour)));
  const { labels } = (await readStored(store, clusterScoped('a')))?.object().metadata ?? {};
  expect(Object.keys(labels ?? {})).toEqual(expect.arrayContaining(colours));
  expect(runs).toBeLessThanOrEqual(3 * colours.length);
});

test('turns a create into an update if another writer created the object first', async () => {
  const write = (colour: string) =>
    updateOrCreate(
      store,
      { ...clusterScoped('b'), subresource: '', change: labelled(colour), versionRequired: false },
      OPTIONS,
      () =>
        Promise.resolve(
          new Creation(store, '', labelled(colour)(namespace('b')), {
            ...OPTIONS,
            managedFieldsNeeded: true,
          }),
        ),
    );
  const done = await Promise.all(['red', 'blue', 'green'].map(write));
  expect(done.filter(({ created }) => created)).toHaveLength(1);
  const { labels } = (await readStored(store, clusterScoped('b')))?.object().metadata ?? {};
  expect(labels).toMatchObject({ red: 'yes', blue: 'yes', green: 'yes' });
});

test('reports a taken name before a refusal of admission, and after validation errors', async () => {
  await create();
  const refusing: ResourceStore = {
    ...store,
    admission: { ...ALLOW, validate: () => Promise.reject(conflict(Namespace, 'a', 'no')) },
  };
  await expect(createObject(refusing, '', namespace('a'), OPTIONS)).rejects.toMatchObject({
    status: { reason: 'AlreadyExists' },
  });
  const bad = labelled('no label')(namespace('a'));
  await expect(createObject(refusing, '', bad, OPTIONS)).rejects.toMatchObject({ code: 422 });
});
