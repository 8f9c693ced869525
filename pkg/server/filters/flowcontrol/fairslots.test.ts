import { expect, test } from '@jest/globals';
import { ExchangeEnd } from '../../exchangeend.js';
import type { Flow } from './shares.js';
import { FairSlots, Overloaded, type Release } from './fairslots.js';

const flow = (share: string, part = 1, turn = ''): Flow => ({ share, turn, part });

/** Enters the queue, and logs when it is admitted or rejected. */
function visitor(seats: FairSlots, log: string[]) {
  const leaves = new Map<string, Release>();
  const enter = async (name: string, cost: number): Promise<void> => {
    try {
      leaves.set(name, await seats.enter(flow(name.replace(/\d+$/, '')), cost));
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

function world(limit: number, queueLength: number, timeoutMs = HOUR) {
  const log: string[] = [];
  return { log, ...visitor(new FairSlots({ limit, queueLength, timeoutMs }), log) };
}

test('admits requests up to the limit, and the next when a slot is released', async () => {
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

test('alternates between users, however many requests one of them sends', async () => {
  const { log, enter, leave } = world(1, 10);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) await enter(name);
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) await leave(name);
  expect(log).toEqual(['+a1', '+a2', '+b1', '+c1', '+a3', '+b2', '+a4']);
});

test('rejects a request of the user with the most slots when the queue is full', async () => {
  const { log, enter, leave } = world(1, 3);
  for (const name of ['a1', 'a2', 'a3', 'a4']) await enter(name);
  await enter('a5');
  await enter('b1');
  await enter('b2');
  expect(log).toEqual(['+a1', '-a5', '-a4', '-a3']);
  for (const name of ['a1', 'a2', 'b1']) await leave(name);
  expect(log.slice(4)).toEqual(['+a2', '+b1', '+b2']);
});

test('a large request takes several slots, up to the limit, and is not overtaken by small ones', async () => {
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

test('rejects a request after the queue timeout, and serves the next', async () => {
  const seats = new FairSlots({ limit: 2, queueLength: 9, timeoutMs: 1 });
  const first = await seats.enter(flow('a'), 1);
  await expect(seats.enter(flow('b'), 2)).rejects.toThrow(Overloaded);
  first();
  expect(seats.enter(flow('b'), 2)).toBeInstanceOf(Function);
});

test('admits all requests without a limit', () => {
  const seats = new FairSlots({ limit: 0, queueLength: 0, timeoutMs: HOUR });
  for (let at = 0; at < 1000; at += 1) expect(seats.enter(flow('a'), 1)).toBeInstanceOf(Function);
});

test('a full share waits, and other shares overtake it', async () => {
  const slots = new FairSlots({ limit: 4, queueLength: 10, timeoutMs: HOUR });
  const half = flow('a', 1 / 2);
  const held = [slots.enter(half, 1), slots.enter(half, 1)];
  for (const each of held) expect(each).toBeInstanceOf(Function);
  const waits = slots.enter(half, 1);
  expect(waits).toBeInstanceOf(Promise);
  expect(slots.enter(flow('b'), 1)).toBeInstanceOf(Function);
  expect(slots.counts()).toEqual({ taken: 3, waiting: 1 });
  (held[0] as Release)();
  expect(await waits).toBeInstanceOf(Function);
});

test('alternates between the turns of a share', async () => {
  const slots = new FairSlots({ limit: 1, queueLength: 10, timeoutMs: HOUR });
  const first = slots.enter(flow('s', 1, 'x'), 1) as Release;
  const order: string[] = [];
  for (const turn of ['x', 'x', 'y']) {
    void Promise.resolve(slots.enter(flow('s', 1, turn), 1)).then((release) => {
      order.push(turn);
      release();
    });
  }
  first();
  await settle();
  expect(order).toEqual(['x', 'y', 'x']);
});

test('removes disconnected clients from the queue', async () => {
  const slots = new FairSlots({ limit: 1, queueLength: 10, timeoutMs: HOUR });
  const first = slots.enter(flow('a'), 1) as Release;
  const end = new ExchangeEnd(() => undefined);
  const waits = slots.enter(flow('b'), 1, end) as Promise<Release>;
  end.finish();
  await expect(waits).rejects.toBeInstanceOf(Overloaded);
  expect(slots.counts()).toEqual({ taken: 1, waiting: 0 });
  first();
  expect(slots.counts()).toEqual({ taken: 0, waiting: 0 });
});

test('the limit of each share shrinks as shares are added, and a new share finds a slot', () => {
  const slots = new FairSlots({ limit: 400, queueLength: 400, timeoutMs: HOUR });
  const takenBy = (share: string): number => {
    for (let at = 0; ; at += 1) {
      const entered = slots.enter(flow(share, 1 / 8), 1);
      if (!(entered instanceof Promise)) continue;
      entered.catch(() => undefined);
      return at;
    }
  };
  const counts = Array.from({ length: 20 }, (_one, at) => takenBy(`m${at}`));
  expect(counts[0]).toBe(50);
  expect(counts.at(-1)).toBeLessThan(10);
  expect(slots.enter(flow('alice', 1 / 8), 1)).toBeInstanceOf(Function);
});

test('cuts a stalled answer of the largest share while a new share waits', async () => {
  const slots = new FairSlots({ limit: 3, queueLength: 9, timeoutMs: HOUR });
  const cut: string[] = [];
  const hold = (name: string, taken: () => number | undefined): void => {
    const end = new ExchangeEnd(() => void cut.push(name), taken);
    expect(slots.enter(flow(name), 1, end)).toBeInstanceOf(Function);
  };
  let moved = 0;
  hold('a', () => (moved += 1));
  hold('a', () => 7);
  hold('b', () => undefined);
  expect(await slots.enter(flow('c'), 1)).toBeInstanceOf(Function);
  expect(cut).toEqual(['a']);
});
