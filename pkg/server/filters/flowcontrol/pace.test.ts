import { expect, test } from '@jest/globals';
import { nextTurn } from '../../ticks.js';
import { pace } from './pace.js';

test('a burst of one share begins over several turns, in order; others begin at once', async () => {
  const begin = pace(2);
  const begun: number[] = [];
  for (let at = 0; at < 5; at += 1) void Promise.resolve(begin('a')).then(() => begun.push(at));
  expect(begin('b')).toBeUndefined();
  await nextTurn();
  await nextTurn();
  expect(begun.slice(0, 2)).toEqual([0, 1]);
  while (begun.length < 5) await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  await nextTurn();
  await nextTurn();
  expect(begin('a')).toBeUndefined();
});
