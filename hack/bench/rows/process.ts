import { setTimeout as sleep } from 'node:timers/promises';
import { must } from '../client.js';
import { residentBytes } from '../cpu.js';
import { pathOf } from '../objects.js';
import { onBoth, type Context, type Measured, type Row } from './row.js';

const OBJECTS = 15_000;
/** What a server has to do once after its start or after a load. */
const SETTLE_MS = 2000;

function measureStart({ target }: Context): Promise<Measured> {
  return Promise.resolve({ value: target.readySeconds, residentBytes: residentBytes(target.pid) });
}

async function measureMemory({ target }: Context): Promise<Measured> {
  await sleep(SETTLE_MS);
  const bytes = residentBytes(target.pid);
  return { value: bytes, residentBytes: bytes };
}

async function measureFull(context: Context): Promise<Measured> {
  const missing = OBJECTS - context.objects();
  if (missing > 0) await context.seeded('rest', missing);
  return measureMemory(context);
}

const LISTS = 10;
const LISTED = 10_000;
/** Of the server's memory while lists are sent. */
const SAMPLE_MS = 20;

/** How much the server grows by while ten clients at once read a list of 10,000 objects as fast as they can. */
async function measureListMemory(context: Context): Promise<Measured> {
  const namespace = 'list-10000';
  await context.seeded(namespace, LISTED);
  const client = context.client(LISTS);
  const { pid } = context.target;
  const lists = (): Promise<unknown> =>
    Promise.all(Array.from({ length: LISTS }, () => must(client, { path: pathOf(namespace) })));
  await must(client, { path: pathOf(namespace) });
  await sleep(SETTLE_MS);
  const before = residentBytes(pid);
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, residentBytes(pid))), SAMPLE_MS);
  await lists();
  clearInterval(sampling);
  client.close();
  return { value: most - before, residentBytes: most };
}

/** Before everything else. */
export const startRows: readonly Row[] = [
  { name: 'start to ready', unit: 'time', aim: onBoth(0.6), run: measureStart },
  { name: 'memory at start', unit: 'memory', aim: onBoth(0.12e9), run: measureMemory },
];

/** After everything else. */
export const endRows: readonly Row[] = [
  {
    name: 'growth with 10 LISTs of 10,000 at once',
    unit: 'memory',
    aim: onBoth(0.1e9),
    run: measureListMemory,
  },
  { name: 'memory with 15,000 objects', unit: 'memory', aim: onBoth(0.35e9), run: measureFull },
];
