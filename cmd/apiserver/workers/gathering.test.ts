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

test('what all have answered is gathered, each once', async () => {
  const { all, answer } = asked();
  for (const one of ['a', 'b', 'a', 'c']) answer(one);
  expect(await all).toHaveLength(3);
});

test('one that has gone is not waited for', async () => {
  const { gathering, all, answer } = asked();
  answer('a');
  answer('b');
  gathering.gone('c');
  expect(await all).toHaveLength(2);
});

test('one that does not answer is waited for for two seconds', async () => {
  jest.useFakeTimers();
  const { all, answer } = asked();
  answer('a');
  jest.advanceTimersByTime(2_000);
  expect(await all).toHaveLength(1);
  answer('b');
  jest.useRealTimers();
});

test('where nobody is asked there is nothing to wait for', async () => {
  expect(await new Gathering<string>().begin([], () => undefined)).toEqual([]);
});
