import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../test/fixtures/wait.js';
import { createBackoff } from './backoff.js';
import { createWorkQueue, type WorkQueue } from './workqueue.js';

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

describe('keys of clusters', () => {
  const clusterOf = (key: string): string => key.split('/')[0] ?? '';

  test('a cluster that hangs delays no other, and has its own workers', async () => {
    const seen: string[] = [];
    let release = (): void => undefined;
    const hangs = new Promise<void>((resolve) => {
      release = resolve;
    });
    const queue = createWorkQueue({
      name: 'test',
      workers: 1,
      clusterWorkers: 2,
      clusterOf,
      failed: () => undefined,
      backoff: NEVER,
      reconcile(key) {
        seen.push(key);
        return clusterOf(key) === 'hung' ? hangs : Promise.resolve();
      },
    });
    for (let at = 0; at < 400; at += 1) queue.add(`hung/${at}`);
    for (let at = 0; at < 50; at += 1) queue.add(`good/${at}`);
    await turns(200);
    expect(seen.filter((key) => clusterOf(key) === 'hung')).toHaveLength(2);
    expect(seen.filter((key) => clusterOf(key) === 'good')).toHaveLength(50);
    expect(queue.counts.depth).toBe(398);
    const stopped = queue.stop();
    release();
    await stopped;
  });

  test.each([0, 20])('clusters take turns, also where one took %i ms', async (ms) => {
    const seen: string[] = [];
    const reconcile = (key: string): Promise<void> => {
      seen.push(key);
      for (const end = performance.now() + ms; performance.now() < end;);
      return Promise.resolve();
    };
    const queue = createWorkQueue({
      name: 'test',
      workers: 4,
      clusterOf,
      failed: () => undefined,
      reconcile,
    });
    for (const key of ['a/1', 'a/2', 'a/3', 'a/4', 'b/1']) queue.add(key);
    await turns(20);
    expect(seen.indexOf('b/1')).toBe(1);
  });

  test('the failures of one cluster do not delay the retries of another', async () => {
    const tries = new Map<string, number>();
    const queue = createWorkQueue({
      name: 'test',
      workers: 1,
      clusterOf,
      failed: () => undefined,
      reconcile(key) {
        const count = (tries.get(key) ?? 0) + 1;
        tries.set(key, count);
        return clusterOf(key) === 'bad' || count < 3 ? Promise.reject(new Error(key)) : Promise.resolve();
      },
    });
    for (let at = 0; at < 1_000; at += 1) queue.add(`bad/${at}`);
    await eventually('all have failed', () => Promise.resolve(tries.size === 1_000));
    queue.add('good/1');
    await eventually('it was retried', () => Promise.resolve(tries.get('good/1') === 3));
    await queue.stop();
  });

  test('a key whose cluster changes while it waits runs with the workers of the new one, and never twice', async () => {
    const clusters = new Map([['k', 'old']]);
    const running = new Set<string>();
    const seen: string[] = [];
    let release = (): void => undefined;
    const hangs = new Promise<void>((resolve) => {
      release = resolve;
    });
    const queue = createWorkQueue({
      name: 'test',
      workers: 1,
      failed: () => undefined,
      backoff: NEVER,
      clusterOf: (key) => clusters.get(key) ?? 'new',
      async reconcile(key) {
        expect(running.has(key)).toBe(false);
        running.add(key);
        seen.push(key);
        if (key === 'first') await hangs;
        running.delete(key);
      },
    });
    queue.add('first');
    await turns();
    queue.add('k');
    clusters.set('k', 'new');
    await turns();
    expect(seen).toEqual(['first']);
    queue.add('k');
    expect(queue.counts.depth).toBe(1);
    release();
    await turns();
    expect(seen).toEqual(['first', 'k']);
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
