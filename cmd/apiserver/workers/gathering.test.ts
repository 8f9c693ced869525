import { expect, jest, test } from '@jest/globals';
import type { MetricObject } from 'prom-client';
import { Gathering } from './gathering.js';

const ONE: MetricObject[] = [];

/** A gathering of three, which have been asked. */
function asked() {
  const gathering = new Gathering<string>();
  const rounds: number[] = [];
  const all = gathering.begin(['a', 'b', 'c'], (_one, round) => void rounds.push(round));
  const answer = (one: string): void => gathering.collected(one, { id: rounds[0] ?? 0, metrics: ONE });
  return { gathering, all, answer };
}

test('gathers each answer once when all have answered', async () => {
  const { all, answer } = asked();
  for (const one of ['a', 'b', 'a', 'c']) answer(one);
  expect(await all).toHaveLength(3);
});

test('does not wait for a worker that has ended', async () => {
  const { gathering, all, answer } = asked();
  answer('a');
  answer('b');
  gathering.gone('c');
  expect(await all).toHaveLength(2);
});

test('waits two seconds for a worker that does not answer', async () => {
  jest.useFakeTimers();
  const { all, answer } = asked();
  answer('a');
  jest.advanceTimersByTime(2_000);
  expect(await all).toHaveLength(1);
  answer('b');
  jest.useRealTimers();
});

test('completes at once without workers', async () => {
  expect(await new Gathering<string>().begin([], () => undefined)).toEqual([]);
});
