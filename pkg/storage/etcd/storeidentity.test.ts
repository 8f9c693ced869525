import { expect, test } from '@jest/globals';
import { StorageError } from '../interface.js';
import { StoreIdentity } from './storeidentity.js';

const header = (cluster_id: string, revision: number) => ({ cluster_id, revision: String(revision) });

test('accepts answers of one cluster whose revision does not go back', () => {
  const lost: string[] = [];
  const identity = new StoreIdentity((reason) => lost.push(reason));
  identity.checkLinearizable(header('10', 5), 0);
  identity.checkLinearizable(header('10', 7), identity.newestRevision());
  // The request was sent before the one whose response arrived first.
  identity.checkLinearizable(header('10', 6), 5);
  identity.checkCluster({ cluster_id: '10' });
  identity.check();
  expect([identity.newestRevision(), lost]).toEqual([7, []]);
});

test.each([
  ['another cluster', header('11', 9)],
  ['an older revision', header('10', 6)],
])('%s makes every later check fail, and is reported once', (_what, answer) => {
  const lost: string[] = [];
  const identity = new StoreIdentity((reason) => lost.push(reason));
  identity.checkLinearizable(header('10', 7), 0);
  expect(() => identity.checkLinearizable(answer, 7)).toThrow(StorageError);
  expect(() => identity.checkLinearizable(header('10', 8), 7)).toThrow(StorageError);
  expect(() => identity.check()).toThrow(StorageError);
  expect(lost).toHaveLength(1);
});
