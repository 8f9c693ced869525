/** Many watches of one collection, and how long until all of them have what is written. */
import type { IncomingMessage } from 'node:http';
import type { Client } from './client.js';
import { applyLoad } from './load.js';

const NEWLINE = 10;
const DELIVERY_TIMEOUT_MS = 30_000;

/** Counts events that came, of all watches together. */
export interface Fanout {
  arrived(events: number): void;
  /** Resolves when so many have arrived from now on; rejects after half a minute. */
  expect(events: number): Promise<void>;
}

export function createFanout(): Fanout {
  let missing = 0;
  let done = (): void => undefined;
  return {
    arrived(events) {
      missing -= events;
      if (missing <= 0) done();
    },
    expect(events) {
      missing = events;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${missing} events did not come`)),
          DELIVERY_TIMEOUT_MS,
        );
        done = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}

/** Of a collection as it is now, to watch it from there on. `send`: of either client. */
export async function revisionOf({ send }: Pick<Client, 'send'>, collection: string): Promise<string> {
  const { body } = await send({ path: `${collection}?limit=1` });
  return /"resourceVersion": ?"(\d+)"/.exec(body.toString())?.[1] ?? '';
}

/** Watches a collection from now on, 20 opened at a time. Every line is one event. */
export function openWatches(
  client: Client,
  collection: string,
  count: number,
  arrived: (events: number) => void,
): Promise<IncomingMessage[]> {
  return openStreams(client, collection, count, () => (chunk) => arrived(countLines(chunk)));
}

/** @param heard makes for each watch what is given the pieces of its stream */
export async function openStreams(
  client: Client,
  collection: string,
  count: number,
  heard: () => (chunk: Buffer) => void,
): Promise<IncomingMessage[]> {
  const revision = await revisionOf(client, collection);
  const path = `${collection}?watch=true&timeoutSeconds=600&resourceVersion=${revision}`;
  const streams: IncomingMessage[] = [];
  await applyLoad(20, { operations: count, seconds: 60 }, async () => {
    const stream = await client.open({ path });
    if (stream.statusCode !== 200) throw new Error(`watch: ${stream.statusCode ?? 0}`);
    stream.on('data', heard());
    stream.on('error', () => undefined); // its destruction at the end
    streams.push(stream);
    return 0;
  });
  return streams;
}

/** Every line of a stream is one event. */
export function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}
