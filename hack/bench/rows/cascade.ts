import { setTimeout as sleep } from 'node:timers/promises';
import { must, type Client } from '../client.js';
import { applyLoad, type Load } from '../load.js';
import { onBoth, type Context, type Measured, type Row } from './row.js';

const CLIENTS = 32;
const SEEDING_SECONDS = 120;
const NAMESPACE = 'cascade';
const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const LOOK_MS = 100;

/** From the DELETE of an owner until the last of its dependents is gone. */
async function measureCascade(context: Context): Promise<Measured> {
  const count = context.quick ? 2_000 : 10_000;
  const client = context.client(CLIENTS);
  await seedFamily(client, count);
  const measured = await context.measure(() => cascade(client, count));
  client.close();
  return measured;
}

async function seedFamily(client: Client, count: number): Promise<void> {
  const post = async (path: string, metadata: object): Promise<Buffer> =>
    (await must(client, { method: 'POST', path, body: JSON.stringify({ metadata }) })).body;
  await post('/api/v1/namespaces', { name: NAMESPACE });
  const owner = JSON.parse((await post(PATH, { name: 'owner' })).toString()) as { metadata: { uid: string } };
  const { uid } = owner.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  const bounds = { operations: count, seconds: SEEDING_SECONDS };
  const done = await applyLoad(CLIENTS, bounds, async (index) => {
    return (await post(PATH, { name: `dependent-${index}`, ownerReferences })).length;
  });
  if (done.operations < count) throw new Error(`only ${done.operations} of ${count} dependents`);
}

async function cascade(client: Client, count: number): Promise<Load> {
  const begun = performance.now();
  await must(client, { method: 'DELETE', path: `${PATH}/owner` });
  for (;;) {
    const { body } = await must(client, { path: `${PATH}?limit=1` });
    if (!body.includes('"name":"dependent-')) break;
    await sleep(LOOK_MS);
  }
  const elapsed = performance.now() - begun;
  return { operations: count, seconds: elapsed / 1000, latencies: [elapsed], bytes: 0 };
}

/** The garbage collector's work. The peers here have none. */
export const cascadeRows: readonly Row[] = [
  {
    name: 'cascade, for each dependent',
    unit: 'cpu',
    ownOnly: true,
    aim: onBoth(200e-6),
    run: measureCascade,
  },
];
