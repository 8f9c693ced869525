import { expect, test } from '@jest/globals';
import { StorageError } from '../interface.js';
import { sameStore } from './samestore.js';

const header = (cluster_id: string, revision: number) => ({ cluster_id, revision: String(revision) });

test('answers of one cluster that goes on are believed', () => {
  const lost: string[] = [];
  const same = sameStore((reason) => lost.push(reason));
  same.heard(header('10', 5), 0);
  same.heard(header('10', 7), same.reached());
  // Asked before the one that was answered first.
  same.heard(header('10', 6), 5);
  same.saw({ cluster_id: '10' });
  same.check();
  expect([same.reached(), lost]).toEqual([7, []]);
});

test.each([
  ['another cluster', header('11', 9)],
  ['a revision that was passed', header('10', 6)],
])('%s ends it for good, and is told once', (_what, answer) => {
  const lost: string[] = [];
  const same = sameStore((reason) => lost.push(reason));
  same.heard(header('10', 7), 0);
  expect(() => same.heard(answer, 7)).toThrow(StorageError);
  expect(() => same.heard(header('10', 8), 7)).toThrow(StorageError);
  expect(() => same.check()).toThrow(StorageError);
  expect(lost).toHaveLength(1);
});
