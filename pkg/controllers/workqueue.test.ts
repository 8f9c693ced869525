import { describe, expect, test } from '@jest/globals';
import { createBackoff } from './backoff.js';
import { createWorkQueue } from './workqueue.js';
import type { WorkQueue } from './workqueue.js';

const NEVER = { next: () => 1e6, forget: () => undefined };

/** A queue whose reconciler waits for `release`. */
function held(workers: number): { queue: WorkQueue; seen: string[]; release: () => void } {
  const seen: string[] = [];
  let waiting: (() => void)[] = [];
  const queue = createWorkQueue({
    name: 'test',
    workers,
    reconcile: (key) => {
      seen.push(key);
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    failed: () => undefined,
    backoff: NEVER,
  });
  const release = (): void => {
    const now = waiting;
    waiting = [];
    for (const resolve of now) resolve();
  };
  return { queue, seen, release };
}

const turns = async (count = 5): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('a work queue', () => {
  test('holds a waiting key once', async () => {
    const { queue, seen } = held(1);
    for (const key of ['a', 'b', 'b', 'a']) queue.add(key);
    expect(queue.counts).toMatchObject({ depth: 2, adds: 2 });
    await turns();
    expect(seen).toEqual(['a']);
  });

  test('never processes a key concurrently, and repeats keys added meanwhile', async () => {
    const { queue, seen, release } = held(4);
    queue.add('a');
    await turns();
    queue.add('a');
    queue.add('a');
    await turns();
    expect(seen).toEqual(['a']);
    release();
    await turns();
    expect(seen).toEqual(['a', 'a']);
    release();
    await turns();
    expect(seen).toEqual(['a', 'a']);
  });

  test('processes at most as many keys as there are workers', async () => {
    const { queue, seen, release } = held(2);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await turns();
    expect(seen).toEqual(['a', 'b']);
    release();
    await turns();
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  test('retries failed keys, and counts the failures', async () => {
    const failures: string[] = [];
    let left = 3;
    let done = (): void => undefined;
    const succeeded = new Promise<void>((resolve) => {
      done = resolve;
    });
    const queue = createWorkQueue({
      name: 'test',
      workers: 1,
      reconcile: (key) => {
        left -= 1;
        if (left >= 0) return Promise.reject(new Error(key));
        done();
        return Promise.resolve();
      },
      failed: (key) => failures.push(key),
    });
    queue.add('a');
    await succeeded;
    expect(failures).toEqual(['a', 'a', 'a']);
    expect(queue.counts.retries).toBe(3);
  });

  test('finishes keys in flight before it stops, and starts no others', async () => {
    const { queue, seen, release } = held(1);
    queue.add('a');
    queue.add('b');
    await turns();
    let stopped = false;
    const stopping = queue.stop().then(() => {
      stopped = true;
    });
    await turns();
    expect(stopped).toBe(false);
    release();
    await stopping;
    queue.add('c');
    await turns();
    expect(seen).toEqual(['a']);
  });

  test('yields between keys that finish synchronously', async () => {
    let done = 0;
    const queue = createWorkQueue({
      name: 'test',
      workers: 1_000,
      reconcile: () => {
        done += 1;
        const until = performance.now() + 1;
        while (performance.now() < until);
        return Promise.resolve();
      },
      failed: () => undefined,
    });
    for (let key = 0; key < 100; key += 1) queue.add(String(key));
    await turns(1);
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(50);
    await queue.stop();
  });
});

describe('back-off', () => {
  test('doubles for a key up to a minute, and is reset by success', () => {
    const backoff = createBackoff(() => 0);
    const waits = Array.from({ length: 16 }, () => backoff.next('a'));
    expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(waits.at(-1)).toBe(60_000);
    backoff.forget('a');
    expect(backoff.next('a')).toBe(5);
  });

  test('limits the failures of all keys to ten a second after the first hundred', () => {
    const backoff = createBackoff(() => 0);
    const waits = Array.from({ length: 150 }, (_, key) => backoff.next(String(key)));
    expect(waits.slice(0, 100).every((wait) => wait === 5)).toBe(true);
    expect(waits.at(-1)).toBe(5_000);
  });
});
