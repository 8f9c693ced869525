import type { Client } from '../client.js';
import { countLines, createFanout, openWatches, revisionOf } from '../fanout.js';
import { createHttp2Client } from '../http2client.js';
import { applyPaced, type Load } from '../load.js';
import { pathOf, seed } from '../objects.js';
import { patch } from '../rows/writes.js';
import type { GateRow, Prepared, Subject } from './row.js';

export interface WatchRow {
  readonly name: string;
  readonly watches: number;
  /** Between the beginnings of writes, in ms; 0: a write begins when those before it are answered, four at a time. */
  readonly pause: number;
  readonly http2: boolean;
}

const OBJECTS = 10;
const WRITES = 200;
const WRITERS = 4;

/** A row is prepared anew for its second comparison, on servers that have what the first one left. */
let preparations = 0;

/** Of each event that one watch gets: the server's CPU for writes and deliveries, by the number of deliveries. */
export const watchRow = ({ name, watches, pause, http2 }: WatchRow): GateRow => ({
  name,
  warmUps: 1,
  async prepare(subject: Subject): Promise<Prepared> {
    const namespace = `watched-${watches}-${preparations++}`;
    const writer = subject.client(32);
    await seed(writer, namespace, OBJECTS);
    const fanout = createFanout();
    const close = await (http2 ? watchOverHttp2 : watchOverHttp1)(
      subject,
      namespace,
      watches,
      fanout.arrived,
    );
    const writes = Math.ceil(WRITES * subject.scale);
    let from = 0;
    return {
      async load() {
        const delivered = fanout.expect(watches * writes);
        const load = await write(writer, namespace, { from, writes, pause });
        from += writes;
        await delivered;
        return { ...load, operations: watches * writes };
      },
      close() {
        close();
        writer.close();
      },
    };
  },
});

async function watchOverHttp1(
  subject: Subject,
  namespace: string,
  watches: number,
  arrived: (events: number) => void,
): Promise<() => void> {
  const client = subject.client(watches);
  const streams = await openWatches(client, pathOf(namespace), watches, arrived);
  return () => {
    for (const stream of streams) stream.destroy();
    client.close();
  };
}

/** Ten to a connection, as informers of one client share one. */
async function watchOverHttp2(
  { target }: Subject,
  namespace: string,
  watches: number,
  arrived: (events: number) => void,
): Promise<() => void> {
  const client = createHttp2Client(target.endpoint, Math.ceil(watches / 10));
  const revision = await revisionOf(client, pathOf(namespace));
  const path = `${pathOf(namespace)}?watch=true&timeoutSeconds=600&resourceVersion=${revision}`;
  const follow = () => client.follow({ path }, (piece) => arrived(countLines(piece)));
  const codes = await Promise.all(Array.from({ length: watches }, follow));
  if (codes.some(({ code }) => code !== 200)) throw new Error('watch over HTTP/2 was refused');
  return () => client.close();
}

interface Writes {
  readonly from: number;
  readonly writes: number;
  readonly pause: number;
}

async function write(client: Client, namespace: string, { from, writes, pause }: Writes): Promise<Load> {
  const one = (index: number) => patch(client, namespace, index % OBJECTS, from + index);
  return applyPaced(WRITERS, pause, { operations: writes, seconds: 30 }, one);
}
