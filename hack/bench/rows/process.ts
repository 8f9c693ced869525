import { setTimeout as sleep } from 'node:timers/promises';
import { must, type Client } from '../client.js';
import { residentBytes } from '../cpu.js';
import { pathOf } from '../objects.js';
import { onBoth, type Context, type Measured, type Row } from './row.js';

const OBJECTS = 20_000;
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
/** What a slow reader waits between two pieces. */
const SLOW_READER_MS = 5;
/** In the bookmark after the objects of a watch-list. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
/** Of the server's memory while lists are sent. */
const SAMPLE_MS = 20;

/** How much the server grows by while ten clients at once read a list of 10,000 objects as fast as they can. */
function measureListMemory(context: Context): Promise<Measured> {
  return measureGrowth(context, (client) => must(client, { path: pathOf('list-10000') }));
}

/** The same with watches that begin with that list, whose clients take a piece every few milliseconds. */
function measureWatchListMemory(context: Context): Promise<Measured> {
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  return measureGrowth(context, async (client) => {
    const stream = await client.open({ path: `${pathOf('list-10000')}?${query}&timeoutSeconds=600` });
    if (stream.statusCode !== 200) throw new Error(`watch: ${stream.statusCode ?? 0}`);
    let end = '';
    for await (const piece of stream) {
      end = end.slice(-INITIAL_EVENTS_END.length) + (piece as Buffer).toString('latin1');
      if (end.includes(INITIAL_EVENTS_END)) break;
      await sleep(SLOW_READER_MS);
    }
    stream.destroy();
  });
}

/** How much the server grows by while ten clients at once do the same; one has done it before. */
async function measureGrowth(
  context: Context,
  read: (client: Client) => Promise<unknown>,
): Promise<Measured> {
  await context.seeded('list-10000', LISTED);
  const client = context.client(LISTS);
  const { pid } = context.target;
  await read(client);
  await sleep(SETTLE_MS);
  const before = residentBytes(pid);
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, residentBytes(pid))), SAMPLE_MS);
  await Promise.all(Array.from({ length: LISTS }, () => read(client)));
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
  {
    name: 'growth with 10 watch-lists of 10,000 at once',
    unit: 'memory',
    aim: onBoth(0.1e9),
    run: measureWatchListMemory,
  },
  { name: 'memory with 20,000 objects', unit: 'memory', aimRatio: onBoth(4), run: measureFull },
];
