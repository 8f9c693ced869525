import { expect, test } from '@jest/globals';
import { nextTurn } from '../ticks.js';
import { Newcomers } from './newcomers.js';

test('the turn in which a connection came is left to others, and so is the next only if another came', async () => {
  const newcomers = new Newcomers();
  expect(newcomers.come).toBe(false);
  expect(newcomers.came()).toBe(true);
  expect(newcomers.come).toBe(true);
  await nextTurn();
  expect(newcomers.come).toBe(false);
});

test('after so many turns there is one for everything else, and then they have theirs again', async () => {
  const newcomers = new Newcomers();
  const seen: boolean[] = [];
  for (let at = 0; at < 20; at += 1) {
    expect(newcomers.came()).toBe(at === 0);
    expect(newcomers.came()).toBe(false);
    seen.push(newcomers.come);
    await nextTurn();
  }
  expect(seen).toEqual(seen.map((_one, at) => at !== 16));
});

test('one that comes after a turn without any is the first again', async () => {
  const newcomers = new Newcomers();
  newcomers.came();
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(newcomers.came()).toBe(true);
  expect(newcomers.come).toBe(true);
});
