import { Deliveries, revisionIn } from '../deliveries.js';
import { createFanout, openStreams, openWatches } from '../fanout.js';
import { applyLoad, applyPaced, type Load } from '../load.js';
import { pathOf } from '../objects.js';
import { onBoth, type Context, type Measured, type Row } from './row.js';
import { patch, patched } from './writes.js';

const WATCHES = 500;
const WARM_UP = 40;
const OBJECTS = 10;
const WRITERS = 4;

/** Every write waits until all watches have its event: the latency is that of the last watcher. */
async function measureFanout(context: Context): Promise<Measured> {
  const namespace = 'watches';
  await context.seeded(namespace, 10);
  const watching = context.client(WATCHES);
  const writer = context.client(1);
  const fanout = createFanout();
  const streams = await openWatches(watching, pathOf(namespace), WATCHES, fanout.arrived);
  const write = async (index: number): Promise<number> => {
    const everywhere = fanout.expect(WATCHES);
    const size = await patch(writer, namespace, index % 10, index);
    await everywhere;
    return size;
  };
  await applyLoad(1, { operations: WARM_UP, seconds: 20 }, write);
  const operations = context.quick ? 60 : 250;
  const measured = await context.measure(() =>
    applyLoad(1, { operations, seconds: 20 }, (index) => write(index + WARM_UP)),
  );
  for (const stream of streams) stream.destroy();
  watching.close();
  writer.close();
  return measured;
}

interface WatchedWrites {
  readonly watches: number;
  readonly writes: number;
  /** Between the beginnings of writes, in ms; 0: four at a time, each begins when the one before it is answered. */
  readonly pause: number;
}

/** The latency is from the begin of a write until the last watch has its event. */
const measureWrites =
  ({ watches, writes, pause }: WatchedWrites) =>
  async (context: Context): Promise<Measured> => {
    const namespace = `watches-${watches}`;
    await context.seeded(namespace, OBJECTS);
    const watching = context.client(watches);
    const writer = context.client(WRITERS);
    const deliveries = new Deliveries(watches);
    const streams = await openStreams(watching, pathOf(namespace), watches, () => deliveries.reader());
    const write = async (index: number): Promise<number> => {
      const begun = performance.now();
      const answer = await patched(writer, namespace, index % OBJECTS, index);
      deliveries.wrote(revisionIn(answer), begun);
      return answer.length;
    };
    const load = async (operations: number, from: number): Promise<Load> => {
      const begun = performance.now();
      const bounds = { operations, seconds: 60 };
      const done = await applyPaced(WRITERS, pause, bounds, (index) => write(from + index));
      const latencies = await deliveries.latencies();
      return { ...done, latencies, seconds: (performance.now() - begun) / 1000 };
    };
    const count = context.quick ? writes / 4 : writes;
    await load(count / 2, 0);
    const measured = await context.measure(() => load(count, count / 2));
    for (const stream of streams) stream.destroy();
    watching.close();
    writer.close();
    return measured;
  };

export const watchRows: readonly Row[] = [
  {
    name: '100 watches, 100 writes a second',
    unit: 'cpu',
    aimRatio: { embedded: 4, etcd: 3 },
    run: measureWrites({ watches: 100, writes: 1500, pause: 10 }),
  },
  {
    name: '500 watches, writes flat out',
    unit: 'cpu',
    aimRatio: { embedded: 4, etcd: 3.5 },
    run: measureWrites({ watches: 500, writes: 400, pause: 0 }),
  },
  { name: 'one write to 500 watches', unit: 'cpu', aim: onBoth(1300e-6), run: measureFanout },
];
