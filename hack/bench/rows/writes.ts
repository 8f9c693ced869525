import { must, type Client } from '../client.js';
import { applyLoad } from '../load.js';
import { API_VERSION, KIND, create, nameOf, pathOf } from '../objects.js';
import type { Context, Measured, Row } from './row.js';

const CLIENTS = 32;
/**
 * Writes of a kind before it is measured, on every server: one that runs for weeks has compiled its code, and V8 is done
 * with the path of a write after some thousands.
 */
const WARM_UP = 4000;
/** Those that the rows of reads list, too. */
const LIST_NAMESPACE = 'list-10000';
const LIST_OBJECTS = 10_000;
const PATCHED_NAMESPACE = 'list-1000';
const PATCHED_OBJECTS = 1000;

/** Distinct objects, so that writes do not conflict. What warms up are the objects that the rows of reads list. */
async function measureCreate(context: Context): Promise<Measured> {
  const namespace = 'creates';
  const count = context.quick ? 1000 : 2500;
  await context.seeded(LIST_NAMESPACE, LIST_OBJECTS);
  await context.seeded(namespace, 0);
  const client = context.client(CLIENTS);
  const measured = await context.measure(() =>
    applyLoad(CLIENTS, { operations: count, seconds: 20 }, (index) => create(client, namespace, index)),
  );
  context.created(measured.load?.operations ?? 0);
  client.close();
  return measured;
}

const measurePatch = (context: Context): Promise<Measured> => measureChange(context, patch);
const measureApply = (context: Context): Promise<Measured> => measureChange(context, applyFields);

async function measureChange(context: Context, change: typeof patch): Promise<Measured> {
  const count = context.quick ? 1000 : 2500;
  await context.seeded(PATCHED_NAMESPACE, PATCHED_OBJECTS);
  const client = context.client(CLIENTS);
  const write = (index: number) => change(client, PATCHED_NAMESPACE, index % PATCHED_OBJECTS, index);
  await applyLoad(CLIENTS, { operations: WARM_UP, seconds: 20 }, write);
  const measured = await context.measure(() =>
    applyLoad(CLIENTS, { operations: count, seconds: 20 }, (index) => write(index + WARM_UP)),
  );
  client.close();
  return measured;
}

/** A JSON merge patch of the spec that changes the object; gives the bytes of the answer. */
export async function patch(
  client: Client,
  namespace: string,
  object: number,
  round: number,
): Promise<number> {
  const answer = await must(client, {
    method: 'PATCH',
    path: pathOf(namespace, nameOf(object)),
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ spec: { description: `Round ${round} of the benchmark.` } }),
  });
  return answer.body.length;
}

/** A server-side apply of one field, which changes the object; gives the bytes of the answer. */
async function applyFields(
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
      ...{ apiVersion: API_VERSION, kind: KIND, metadata: { name } },
      spec: { displayName: `Round ${round} of the benchmark.` },
    }),
  });
  return answer.body.length;
}

export const writeRows: readonly Row[] = [
  {
    name: 'create, 32 clients',
    unit: 'cpu',
    aim: { embedded: 200e-6, etcd: 250e-6 },
    run: measureCreate,
  },
  {
    name: 'merge patch, 32 clients',
    unit: 'cpu',
    aim: { embedded: 300e-6, etcd: 350e-6 },
    run: measurePatch,
  },
  {
    name: 'apply, 32 clients',
    unit: 'cpu',
    aim: { embedded: 400e-6, etcd: 450e-6 },
    run: measureApply,
  },
];
