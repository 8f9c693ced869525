import { expect, test } from '@jest/globals';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import { Newcomers } from './newcomers.js';

test('reserves a turn for new connections, and the next only after another connection', async () => {
  const newcomers = new Newcomers();
  expect(newcomers.come).toBe(false);
  expect(newcomers.came()).toBe(true);
  expect(newcomers.come).toBe(true);
  await nextTurn();
  expect(newcomers.come).toBe(false);
});

test('leaves one turn for other work after sixteen reserved turns', async () => {
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

test('treats a connection after an idle turn as the first', async () => {
  const newcomers = new Newcomers();
  newcomers.came();
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(newcomers.came()).toBe(true);
  expect(newcomers.come).toBe(true);
});
