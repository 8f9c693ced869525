import { createFanout, openWatches } from '../fanout.js';
import { applyLoad } from '../load.js';
import { pathOf } from '../objects.js';
import { onBoth, type Context, type Measured, type Row } from './row.js';
import { patch } from './writes.js';

const WATCHES = 500;
const WARM_UP = 40;

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

export const watchRows: readonly Row[] = [
  { name: 'one write to 500 watches', unit: 'cpu', aim: onBoth(1300e-6), run: measureFanout },
];
