import { expect, test } from '@jest/globals';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import { InSlices } from './inslices.js';

function world(queueLength: number) {
  let ms = 0;
  const done: number[] = [];
  const slices = new InSlices({ aTurn: 2, queueLength, timeoutMs: 10, now: () => ms });
  const add = (...pieces: number[]): void => {
    for (const piece of pieces) slices.add(() => void done.push(piece));
  };
  return { slices, done, add, pass: (time: number) => (ms += time) };
}

test('runs a limited number of tasks in a turn, in order', async () => {
  const { done, add, slices } = world(100);
  add(1, 2, 3, 4, 5);
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual([1, 2]);
  add(6);
  await nextTurn();
  expect(done).toEqual([1, 2, 3, 4]);
  await nextTurn();
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  add(7);
  await nextTurn();
  expect(done.at(-1)).toBe(7);
  expect(slices.waiting).toBe(0);
});

test('runs all overdue tasks in one turn', async () => {
  const { done, add, pass } = world(100);
  add(1, 2, 3, 4);
  pass(10);
  add(5);
  await nextTurn();
  expect(done).toEqual([1, 2, 3, 4]);
  await nextTurn();
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

test('runs a task at once if the queue is full', () => {
  const { slices, done, add } = world(2);
  add(1, 2, 3);
  expect(done).toEqual([3]);
  expect(slices.waiting).toBe(2);
});

test('runs the other tasks if one throws', async () => {
  const { slices, done, add } = world(10);
  slices.add(() => {
    throw new Error('gone');
  });
  add(1);
  expect(() => slices.atEndOfTurn()).toThrow('gone');
  await nextTurn();
  expect(done).toEqual([1]);
});
