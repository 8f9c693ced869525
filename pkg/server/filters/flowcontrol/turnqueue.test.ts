import { expect, test } from '@jest/globals';
import { ExchangeEnd } from '../../exchangeend.js';
import { nextTurn } from '../../../apimachinery/eventloop/turns.js';
import { Overloaded } from './fairslots.js';
import { TurnQueue } from './turnqueue.js';
import type { Flow } from './shares.js';

const HOUR = 3_600_000;
const SLICE_MS = 3;

/** Each started request advances the clock by a millisecond. */
function world(queueLength = 100, aTurn = 100) {
  let ms = 0;
  const newcomers = { come: false };
  const timing = { sliceMs: SLICE_MS, timeoutMs: HOUR / 2, now: () => ms };
  const queue = new TurnQueue({ ...timing, aTurn, queueLength, newcomers });
  const log: string[] = [];
  const begin = (name: string): void => {
    log.push(name);
    ms += 1;
  };
  const enter = (name: string, end?: ExchangeEnd): void => {
    const flow: Flow = { share: name.replace(/\d+$/, ''), turn: '', part: 1 };
    const refused = (error: unknown): void => {
      if (!(error instanceof Overloaded)) throw error;
      log.push(`-${name}`);
    };
    try {
      const later = queue.enter(flow, end);
      if (later === undefined) begin(name);
      else void later.then(() => begin(name), refused);
    } catch (error) {
      refused(error);
    }
  };
  return {
    queue,
    log,
    enter,
    newcomers,
    pass(time: number) {
      ms += time;
    },
    /** Runs a turn of the event loop. Returns the requests that it started. */
    async turn(): Promise<string[]> {
      const before = log.length;
      await nextTurn();
      return log.slice(before);
    },
  };
}

test('begins requests until the time slice of a turn is used up, and the rest in later turns', async () => {
  const { enter, turn, log } = world();
  for (let at = 1; at <= 8; at += 1) enter(`a${at}`);
  expect(log).toEqual(['a1', 'a2', 'a3']);
  expect(await turn()).toEqual(['a4', 'a5', 'a6']);
  expect(await turn()).toEqual(['a7', 'a8']);
  await turn();
  enter('a9');
  expect(log.at(-1)).toBe('a9');
});

test('begins a limited number of requests in a turn, however short they are', async () => {
  const { enter, turn, log } = world(100, 2);
  for (let at = 1; at <= 5; at += 1) enter(`a${at}`);
  expect(log).toEqual(['a1', 'a2']);
  expect(await turn()).toEqual(['a3', 'a4']);
  expect(await turn()).toEqual(['a5']);
});

test('alternates between waiting users, however many requests one of them sends', async () => {
  const { enter, turn } = world();
  for (const name of ['x1', 'x2', 'x3', 'a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) enter(name);
  expect(await turn()).toEqual(['a1', 'b1', 'c1']);
  expect(await turn()).toEqual(['a2', 'c2', 'a3']);
  expect(await turn()).toEqual(['a4']);
});

test('rejects a user with a full share if the queue is full, in favour of a user with less', () => {
  const { enter, log, queue } = world(4);
  for (const name of ['x1', 'x2', 'x3', 'a1', 'a2', 'a3', 'a4']) enter(name);
  expect(log).toEqual(['x1', 'x2', 'x3']);
  enter('a5');
  expect(log.at(-1)).toBe('-a5');
  enter('b1');
  expect(queue.waiting).toBe(4);
});

test('rejects the newest request of the user with the most waiting', async () => {
  const { enter, turn } = world(4);
  for (const name of ['x1', 'x2', 'x3', 'a1', 'a2', 'a3', 'a4', 'b1']) enter(name);
  expect(await turn()).toEqual(['-a4', 'a1', 'b1', 'a2']);
  expect(await turn()).toEqual(['a3']);
});

test('rejects requests after the queue timeout, and no others', async () => {
  const { enter, turn, pass } = world();
  for (const name of ['x1', 'x2', 'x3', 'a1', 'a2', 'b1']) enter(name);
  pass(HOUR / 4);
  enter('c1');
  pass(HOUR / 4);
  expect((await turn()).sort()).toEqual(['-a1', '-a2', '-b1', 'c1']);
});

test('removes disconnected clients from the queue', async () => {
  const { enter, turn, queue } = world();
  const end = new ExchangeEnd(() => undefined);
  for (const name of ['x1', 'x2', 'x3']) enter(name);
  enter('a1', end);
  enter('b1');
  end.finish();
  expect(queue.waiting).toBe(1);
  expect((await turn()).sort()).toEqual(['-a1', 'b1']);
});

test('begins no waiting requests in a turn for new connections', async () => {
  const { enter, turn, newcomers } = world();
  for (let at = 1; at <= 5; at += 1) enter(`a${at}`);
  newcomers.come = true;
  expect(await turn()).toEqual([]);
  enter('a6');
  expect(await turn()).toEqual([]);
  newcomers.come = false;
  expect(await turn()).toEqual(['a4', 'a5', 'a6']);
});
