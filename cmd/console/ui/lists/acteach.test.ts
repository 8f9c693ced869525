import { expect, test } from '@jest/globals';
import { actEach } from './acteach.js';

test('all are tried, and those that failed are told', async () => {
  const told: number[] = [];
  const act = async (item: string): Promise<void> => {
    if (item === 'b') throw new Error('no');
  };
  const outcome = await actEach(['a', 'b', 'c'], act, new AbortController().signal, (tried) =>
    told.push(tried),
  );
  expect(outcome).toEqual({ tried: 3, failed: [{ item: 'b', error: new Error('no') }] });
  expect(told).toEqual([0, 1, 2, 3]);
});

test('a stop finishes what has begun, and begins nothing more', async () => {
  const stop = new AbortController();
  const done: string[] = [];
  const act = async (item: string): Promise<void> => {
    if (item === 'b') stop.abort();
    done.push(item);
  };
  expect(await actEach(['a', 'b', 'c'], act, stop.signal, () => undefined)).toEqual({ tried: 2, failed: [] });
  expect(done).toEqual(['a', 'b']);
});
