import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { ExchangeEnd } from './exchangeend.js';
import { createStalls, STALLED_MS } from './stalls.js';

/** An answer that is looked at every five seconds, over a connection that has sent `sent(ms)` bytes. */
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
  for (; now <= 10 * STALLED_MS; now += 5_000) stalls.look(now);
  return cut;
}

test.each<[string, Parameters<typeof cutAfter>[0], number]>([
  ['an answer over HTTP/1.1 that does not move', {}, STALLED_MS],
  ['one that hardly moves', { sent: (ms) => ms / 10 }, STALLED_MS],
  ['one that moves', { sent: (ms) => ms }, Infinity],
  ['one over HTTP/2 that does not move', { waiting: () => 1000 }, STALLED_MS],
  ['one whose piece is taken slowly', { waiting: () => 1_000_000, sent: (ms) => ms * 10 }, 185_000],
  ['one that moves over HTTP/2', { waiting: (ms) => ms }, Infinity],
  ['one that has not begun', { answered: false }, Infinity],
  ['a watch', { lasting: true }, Infinity],
])('%s', (_name, options, ms) => {
  expect(cutAfter(options)).toBe(ms);
});
