import { expect, test } from '@jest/globals';
import { nextTurn } from '../../ticks.js';
import { pace } from './pace.js';

test('a burst of one share begins over several turns, in order; others begin at once', async () => {
  const begin = pace({ ofOne: 2, ofAll: 9 });
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

test('bursts of many shares begin in turns, and whoever has begun nothing begins at once', async () => {
  const begin = pace({ ofOne: 2, ofAll: 3 });
  const begun: string[] = [];
  const ask = (share: string): void => {
    const later = begin(share);
    if (later === undefined) begun.push(share);
    else void later.then(() => begun.push(share));
  };
  for (const share of ['a', 'b', 'c', 'd']) for (let at = 0; at < 3; at += 1) ask(share);
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'd']);
  ask('new');
  expect(begun.at(-1)).toBe('new');
  while (begun.length < 13) await nextTurn();
  expect(begun.slice(6)).toEqual(['a', 'b', 'c', 'd', 'b', 'c', 'd']);
});
