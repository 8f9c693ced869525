import { expect, test } from '@jest/globals';
import type { FairSeats, Leave } from './fairseats.js';
import { Overloaded, fairSeats } from './fairseats.js';

/** Enters, and notes when it is let in or turned away. */
function visitor(seats: FairSeats, log: string[]) {
  const leaves = new Map<string, Leave>();
  const enter = async (name: string, cost: number): Promise<void> => {
    try {
      leaves.set(name, await seats.enter(name.replace(/\d+$/, ''), cost));
      log.push(`+${name}`);
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
      log.push(`-${name}`);
    }
  };
  return {
    /** `a1`: the first request of user a. */
    async enter(name: string, cost = 1) {
      void enter(name, cost);
      await settle();
    },
    async leave(name: string) {
      leaves.get(name)?.();
      await settle();
    },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const HOUR = 3_600_000;

function world(limit: number, places: number, patienceMs = HOUR) {
  const log: string[] = [];
  return { log, ...visitor(fairSeats({ limit, places, patienceMs }), log) };
}

test('as many as there are seats, the others when one leaves', async () => {
  const { log, enter, leave } = world(2, 2);
  for (const name of ['a1', 'a2', 'a3']) await enter(name);
  expect(log).toEqual(['+a1', '+a2']);
  await leave('a1');
  await leave('a1');
  expect(log).toEqual(['+a1', '+a2', '+a3']);
  await enter('a4');
  await leave('a2');
  await leave('a3');
  await leave('a4');
  expect(log).toEqual(['+a1', '+a2', '+a3', '+a4']);
});

test('users take turns, however many one of them sends', async () => {
  const { log, enter, leave } = world(1, 10);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) await enter(name);
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) await leave(name);
  expect(log).toEqual(['+a1', '+a2', '+b1', '+c1', '+a3', '+b2', '+a4']);
});

test('where no place is left to wait, whoever has most waiting is turned away', async () => {
  const { log, enter, leave } = world(1, 3);
  for (const name of ['a1', 'a2', 'a3', 'a4']) await enter(name);
  await enter('a5');
  await enter('b1');
  await enter('b2');
  expect(log).toEqual(['+a1', '-a5', '-a4', '-b2']);
  for (const name of ['a1', 'a2', 'b1']) await leave(name);
  expect(log.slice(4)).toEqual(['+a2', '+b1', '+a3']);
});

test('a big request takes more seats, never more than there are, and is not passed by small ones', async () => {
  const { log, enter, leave } = world(3, 9);
  await enter('a1', 2);
  await enter('b1', 99);
  await enter('c1', 1);
  expect(log).toEqual(['+a1']);
  await leave('a1');
  expect(log).toEqual(['+a1', '+b1']);
  await leave('b1');
  expect(log).toEqual(['+a1', '+b1', '+c1']);
});

test('whoever has waited too long is turned away, and the next comes', async () => {
  const seats = fairSeats({ limit: 2, places: 9, patienceMs: 1 });
  const first = await seats.enter('a', 1);
  await expect(seats.enter('b', 2)).rejects.toThrow(Overloaded);
  first();
  expect(seats.enter('b', 2)).toBeInstanceOf(Function);
});

test('without a limit nobody waits', () => {
  const seats = fairSeats({ limit: 0, places: 0, patienceMs: HOUR });
  for (let at = 0; at < 1000; at += 1) expect(seats.enter('a', 1)).toBeInstanceOf(Function);
});
