import { expect, test } from '@jest/globals';
import { decisionCache, type FetchedDecision } from './decisioncache.js';

function fetching(ttlMs: number): { fetch: () => Promise<FetchedDecision<number>>; times: () => number } {
  let times = 0;
  return { fetch: () => Promise.resolve({ value: (times += 1), ttlMs }), times: () => times };
}

test('returns a cached decision synchronously until it expires', async () => {
  let now = 0;
  const answers = decisionCache<number>(10, () => now);
  const { fetch } = fetching(1000);
  expect(await answers.get('a', fetch)).toBe(1);
  now = 999;
  expect(answers.get('a', fetch)).toBe(1);
  now = 1000;
  expect(await answers.get('a', fetch)).toBe(2);
});

test('concurrent callers share a request; uncacheable decisions are only for them', async () => {
  const answers = decisionCache<number>(10);
  const { fetch, times } = fetching(0);
  expect(await Promise.all([answers.get('a', fetch), answers.get('a', fetch)])).toEqual([1, 1]);
  expect(await answers.get('a', fetch)).toBe(2);
  expect(times()).toBe(2);
});

test('reports a failure to the callers that wait, and does not cache it', async () => {
  const answers = decisionCache<number>(10);
  const fail = (): Promise<never> => Promise.reject(new Error('away'));
  const both = [answers.get('a', fail), answers.get('a', fail)].map((one) => Promise.resolve(one));
  expect(await Promise.allSettled(both)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  expect(await answers.get('a', fetching(1).fetch)).toBe(1);
});

test('does not cache a decision that was requested before the cache was cleared', async () => {
  const answers = decisionCache<number>(10);
  let finish: (answer: FetchedDecision<number>) => void = () => undefined;
  const late = answers.get('a', () => new Promise((resolve) => (finish = resolve)));
  answers.clear();
  const { fetch } = fetching(1000);
  expect(await answers.get('a', fetch)).toBe(1);
  finish({ value: 7, ttlMs: 1000 });
  expect(await late).toBe(7);
  expect(answers.get('a', fetch)).toBe(1);
});

test('drops the oldest decision when it is full', async () => {
  const answers = decisionCache<number>(2);
  const { fetch, times } = fetching(60_000);
  for (const key of ['a', 'b', 'c', 'b', 'c']) await answers.get(key, fetch);
  expect(times()).toBe(3);
  await answers.get('a', fetch);
  expect(times()).toBe(4);
});

test('answers of strangers take no places from the others', async () => {
  const answers = decisionCache<number>(2, () => 0);
  const { fetch } = fetching(1000);
  expect(await answers.get('known', fetch)).toBe(1);
  const refused = (): Promise<FetchedDecision<number>> =>
    Promise.resolve({ value: 0, ttlMs: 1000, unbounded: true });
  for (let at = 0; at < 10; at += 1) expect(await answers.get(`wrong-${at}`, refused)).toBe(0);
  expect(answers.get('known', fetch)).toBe(1);
  expect(answers.get('wrong-9', fetch)).toBe(0);
});
