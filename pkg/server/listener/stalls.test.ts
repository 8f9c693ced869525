import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { ExchangeEnd } from '../exchangeend.js';
import { createStalls, STALLED_MS } from './stalls.js';

/** A response that is checked every five seconds, over a connection that has sent `sent(ms)` bytes. */
function cutAfter(options: {
  readonly sent?: (ms: number) => number;
  readonly waiting?: (ms: number) => number;
  readonly answered?: boolean;
  readonly lasting?: boolean;
}): number {
  const { sent = () => 0, waiting, answered = true, lasting = false } = options;
  let now = 0;
  let cut = Infinity;
  const end = new ExchangeEnd(() => {
    cut = now;
    end.finish();
  });
  end.lasting = lasting;
  const stream = waiting && {
    get bufferSize() {
      return waiting(now);
    },
  };
  const handle = {
    get bytesWritten() {
      return sent(now);
    },
    writeQueueSize: 0,
  };
  const stalls = createStalls();
  const socket = { _handle: { _parent: handle } } as unknown as Socket;
  stalls.add({ end, response: { headersSent: answered }, stream, socket });
  for (; now <= 10 * STALLED_MS; now += 5_000) stalls.check(now);
  return cut;
}

test.each<[string, Parameters<typeof cutAfter>[0], number]>([
  ['cuts a stalled answer over HTTP/1.1', {}, STALLED_MS],
  ['cuts an answer over HTTP/1.1 below the minimum rate', { sent: (ms) => ms / 10 }, STALLED_MS],
  ['keeps an answer over HTTP/1.1 in progress', { sent: (ms) => ms }, Infinity],
  ['cuts a stalled answer over HTTP/2', { waiting: () => 1000 }, STALLED_MS],
  [
    'cuts an answer over HTTP/2 if the client reads a chunk too slowly',
    { waiting: () => 1_000_000, sent: (ms) => ms * 10 },
    185_000,
  ],
  ['keeps an answer over HTTP/2 in progress', { waiting: (ms) => ms }, Infinity],
  ['keeps an answer before its first byte', { answered: false }, Infinity],
  ['keeps a watch', { lasting: true }, Infinity],
])('%s', (_name, options, ms) => {
  expect(cutAfter(options)).toBe(ms);
});
