import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Entry } from '../../cache/interface.js';
import { WriteQueues, type WriteTurn } from './writequeues.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const flush = (): Promise<void> => jest.advanceTimersByTimeAsync(0).then(() => undefined);

/** Enters the queue and records the order of turns. */
function line(queues: WriteQueues, key = 'k') {
  const order: string[] = [];
  const turns: WriteTurn[] = [];
  const enter = (user: string, name = user): void => {
    void queues.enter(key, user).then((turn) => {
      order.push(name);
      turns.push(turn);
    });
  };
  return { order, turns, enter };
}

test('turns are sequential, each with the object of the previous one', async () => {
  const queues = new WriteQueues();
  const { order, turns, enter } = line(queues);
  expect(queues.contended('k')).toBe(false);
  for (const name of ['1', '2', '3']) enter('anna', name);
  await flush();
  expect(order).toEqual(['1']);
  expect(queues.contended('k')).toBe(true);
  expect(queues.contended('other')).toBe(false);
  const left = { revision: 7 } as Entry;
  turns[0]?.end(left);
  turns[0]?.end();
  await flush();
  expect(order).toEqual(['1', '2']);
  expect(turns[1]).toMatchObject({ newest: left, over: false, pauseMs: 0 });
  expect(turns[0]?.over).toBe(true);
  turns[1]?.end();
  await flush();
  turns[2]?.end();
  expect(queues.contended('k')).toBe(false);
});

test('users take turns', async () => {
  const queues = new WriteQueues();
  const { order, turns, enter } = line(queues);
  for (let number = 0; number < 50; number += 1) enter('mallory', `m${number}`);
  enter('anna');
  enter('bert');
  await flush();
  for (let number = 0; number < 5; number += 1) {
    turns[number]?.end();
    await flush();
  }
  expect(order).toEqual(['m0', 'm1', 'anna', 'bert', 'm2', 'm3']);
});

test('a slow writer does not block the others', async () => {
  const queues = new WriteQueues();
  const { order, turns, enter } = line(queues);
  enter('slow');
  enter('next');
  await jest.advanceTimersByTimeAsync(999);
  expect(order).toEqual(['slow']);
  await jest.advanceTimersByTimeAsync(2);
  expect(order).toEqual(['slow', 'next']);
  expect(turns.map(({ over }) => over)).toEqual([true, false]);
  // Its turn has ended.
  enter('last');
  turns[0]?.end();
  await flush();
  expect(order).toEqual(['slow', 'next']);
});

test('a writer waits at most four seconds', async () => {
  const queues = new WriteQueues();
  const { order, enter } = line(queues);
  for (let number = 0; number < 10; number += 1) enter('slow', `s${number}`);
  await jest.advanceTimersByTimeAsync(4_001);
  expect(order).toHaveLength(10);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(queues.contended('k')).toBe(false);
});

test('the next writer pauses after a conflict with another process', async () => {
  const queues = new WriteQueues();
  const { turns, enter } = line(queues);
  enter('anna', '1');
  enter('anna', '2');
  enter('anna', '3');
  await jest.advanceTimersByTimeAsync(10);
  turns[0]?.rivalled();
  turns[0]?.end();
  await flush();
  expect(turns[1]?.pauseMs).toBeGreaterThan(0);
  expect(turns[1]?.pauseMs).toBeLessThanOrEqual(10);
});
