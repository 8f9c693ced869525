import { must, type Client } from '../client.js';
import { applyLoad } from '../load.js';
import { API_VERSION, KIND, create, createConfigMap, createShared, nameOf, pathOf } from '../objects.js';
import { onBoth, type Context, type Measured, type Row } from './row.js';

const CLIENTS = 32;
/**
 * Writes of a kind before it is measured, on every server: one that runs for weeks has compiled its code, and V8 is done
 * with the path of a write after some ten thousand.
 */
const WARM_UP = 10_000;
/** After thousands of creates of another kind. */
const CREATE_WARM_UP = 2500;
/** Those that the rows of reads list, too. */
const LIST_NAMESPACE = 'list-10000';
const LIST_OBJECTS = 10_000;
const PATCHED_NAMESPACE = 'list-1000';
const PATCHED_OBJECTS = 1000;

/** Each on every server one object. */
async function measureCreate(context: Context): Promise<Measured> {
  await context.seeded('creates', 0);
  const create = (client: Client, index: number) => createConfigMap(client, 'creates', index);
  return measureCreates(context, create, CREATE_WARM_UP, context.quick ? 1000 : 5000);
}

/** Shared secrets. They, and what warms up, are the objects that the rows of reads list. */
async function measureCreateSharedSecret(context: Context): Promise<Measured> {
  const count = context.quick ? 1000 : 2500;
  await context.seeded(LIST_NAMESPACE, LIST_OBJECTS - count);
  const createNext = (client: Client, index: number) =>
    create(client, LIST_NAMESPACE, LIST_OBJECTS - count + index);
  return measureCreates(context, createNext, 0, count);
}

/** Creates in a namespace of their own, after `warmUp` of the same. */
const measureCreatesOf =
  (namespace: string, createOne: typeof create, warmUp: number, count: number, clients = CLIENTS) =>
  async (context: Context): Promise<Measured> => {
    await context.seeded(namespace, 0);
    const createNext = (client: Client, index: number) => createOne(client, namespace, index);
    return measureCreates(
      context,
      createNext,
      warmUp,
      context.quick ? Math.min(count, 1000) : count,
      clients,
    );
  };

const COLD_SECONDS = 5;

/** What a server that has just started costs in its first seconds of creates. */
const measureColdCreates =
  (createOne: typeof create) =>
  async (context: Context): Promise<Measured> => {
    await context.seeded('cold', 0);
    const client = context.client(CLIENTS);
    const load = () =>
      applyLoad(CLIENTS, { operations: 1_000_000, seconds: COLD_SECONDS }, (index) =>
        createOne(client, 'cold', index),
      );
    const measured = await context.measure(load);
    client.close();
    return measured;
  };

async function measureCreates(
  context: Context,
  createNext: (client: Client, index: number) => Promise<number>,
  warmUp: number,
  count: number,
  clients = CLIENTS,
): Promise<Measured> {
  const client = context.client(clients);
  const load = (operations: number, from: number) =>
    applyLoad(clients, { operations, seconds: 20 }, (index) => createNext(client, from + index));
  await load(warmUp, 0);
  const measured = await context.measure(() => load(count, warmUp));
  context.created(warmUp + (measured.load?.operations ?? 0));
  client.close();
  return measured;
}

const measurePatch = (context: Context): Promise<Measured> => measureChange(context, patch);
const measureApply = (context: Context): Promise<Measured> => measureChange(context, applyFields);
const measureUpdate = (context: Context): Promise<Measured> => measureChange(context, update);

async function measureChange(context: Context, change: typeof patch): Promise<Measured> {
  const count = context.quick ? 1000 : 5000;
  await context.seeded(PATCHED_NAMESPACE, PATCHED_OBJECTS);
  const client = context.client(CLIENTS);
  const write = (index: number) => change(client, PATCHED_NAMESPACE, index % PATCHED_OBJECTS, index);
  await applyLoad(CLIENTS, { operations: context.quick ? count : WARM_UP, seconds: 120 }, write);
  const measured = await context.measure(() =>
    applyLoad(CLIENTS, { operations: count, seconds: 20 }, (index) => write(index + WARM_UP)),
  );
  client.close();
  return measured;
}

/** A JSON merge patch of the spec that changes the object; gives the answer. */
export async function patched(
  client: Client,
  namespace: string,
  object: number,
  round: number,
): Promise<Buffer> {
  const answer = await must(client, {
    method: 'PATCH',
    path: pathOf(namespace, nameOf(object)),
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ spec: { description: `Round ${round} of the benchmark.` } }),
  });
  return answer.body;
}

/** The same; gives the bytes of the answer. */
export const patch = async (...change: Parameters<typeof patched>): Promise<number> =>
  (await patched(...change)).length;

/** A server-side apply of one field, which changes the object; gives the bytes of the answer. */
export async function applyFields(
  client: Client,
  namespace: string,
  object: number,
  round: number,
): Promise<number> {
  const name = nameOf(object);
  const answer = await must(client, {
    method: 'PATCH',
    path: `${pathOf(namespace, name)}?fieldManager=applier&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: JSON.stringify({
      apiVersion: API_VERSION,
      kind: KIND,
      metadata: { name },
      spec: { displayName: `Round ${round} of the benchmark.` },
    }),
  });
  return answer.body.length;
}

/** A GET, and a PUT of what came with another description; gives the bytes of the second answer. */
export async function update(
  client: Client,
  namespace: string,
  object: number,
  round: number,
): Promise<number> {
  const path = pathOf(namespace, nameOf(object));
  const live = (await must(client, { path })).body.toString();
  const body = live.replace(/"description":"[^"]*"/, `"description":"Update ${round}."`);
  return (await must(client, { method: 'PUT', path, body })).body.length;
}

/** Creates come last: what those before them compiled is most of their path, too. */
export const writeRows: readonly Row[] = [
  {
    name: 'GET and PUT, 32 clients',
    unit: 'cpu',
    aimRatio: { embedded: 6, etcd: 5 },
    run: measureUpdate,
  },
  {
    name: 'merge patch, 32 clients',
    unit: 'cpu',
    aimRatio: { embedded: 7, etcd: 6 },
    run: measurePatch,
  },
  {
    name: 'apply, 32 clients',
    unit: 'cpu',
    aimRatio: { embedded: 7, etcd: 6 },
    run: measureApply,
  },
  {
    name: 'create SharedSecret, 32 clients',
    unit: 'cpu',
    aimRatio: { embedded: 5, etcd: 4 },
    run: measureCreateSharedSecret,
  },
  {
    name: 'create with an access rule, 32 clients',
    unit: 'cpu',
    aimRatio: onBoth(4),
    run: measureCreatesOf('shared', createShared, CREATE_WARM_UP, 2500),
  },
  {
    name: 'create with an access rule, 1 client',
    unit: 'cpu',
    aimRatio: onBoth(3),
    run: measureCreatesOf('shared-alone', createShared, 200, 800, 1),
  },
  {
    name: 'create SharedSecret, 1 client',
    unit: 'cpu',
    aimRatio: { embedded: 3, etcd: 2.5 },
    run: measureCreatesOf('creates-alone', create, 200, 800, 1),
  },
  {
    name: 'create ConfigMap, 32 clients',
    unit: 'cpu',
    aim: { embedded: 200e-6, etcd: 250e-6 },
    run: measureCreate,
  },
];

/** Of users' main write, and of the same without a rule: each on a server that nobody has asked anything. */
export const coldRows: readonly Row[] = [
  {
    name: 'create with an access rule, first 5 s',
    unit: 'cpu',
    cold: true,
    aimRatio: onBoth(2.5),
    run: measureColdCreates(createShared),
  },
  { name: 'create SharedSecret, first 5 s', unit: 'cpu', cold: true, run: measureColdCreates(create) },
];
