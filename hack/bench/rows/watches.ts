import type { IncomingMessage } from 'node:http';
import { applyLoad } from '../load.js';
import type { Client } from '../client.js';
import { pathOf } from '../objects.js';
import { onBoth, type Context, type Measured, type Row } from './row.js';
import { patch } from './writes.js';

const WATCHES = 500;
const WARM_UP = 40;
const NEWLINE = 10;

/** Every write waits until all watches have its event: the latency is that of the last watcher. */
async function measureFanout(context: Context): Promise<Measured> {
  const namespace = 'watches';
  await context.seeded(namespace, 10);
  const watching = context.client(WATCHES);
  const writer = context.client(1);
  const fanout = createFanout();
  const streams = await openWatches(watching, namespace, fanout.arrived);
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

/** Counts events that came, of all watches together. */
function createFanout() {
  let missing = 0;
  let done = (): void => undefined;
  return {
    arrived(events: number): void {
      missing -= events;
      if (missing <= 0) done();
    },
    expect(events: number): Promise<void> {
      missing = events;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${missing} events did not come`)), 30_000);
        done = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}

/** Watches from now on, 20 opened at a time. Every line is one event. */
async function openWatches(
  client: Client,
  namespace: string,
  arrived: (events: number) => void,
): Promise<IncomingMessage[]> {
  const body = (await client.send({ path: `${pathOf(namespace)}?limit=1` })).body.toString();
  const revision = /"resourceVersion": ?"(\d+)"/.exec(body)?.[1] ?? '';
  const path = `${pathOf(namespace)}?watch=true&timeoutSeconds=600&resourceVersion=${revision}`;
  const streams: IncomingMessage[] = [];
  await applyLoad(20, { operations: WATCHES, seconds: 60 }, async () => {
    const stream = await client.open({ path });
    if (stream.statusCode !== 200) throw new Error(`watch: ${stream.statusCode ?? 0}`);
    stream.on('data', (chunk: Buffer) => arrived(countLines(chunk)));
    stream.on('error', () => undefined); // its destruction at the end
    streams.push(stream);
    return 0;
  });
  return streams;
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

export const watchRows: readonly Row[] = [
  { name: 'one write to 500 watches', unit: 'cpu', aim: onBoth(1300e-6), run: measureFanout },
];
