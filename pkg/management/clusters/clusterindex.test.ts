import { expect, test } from '@jest/globals';
import { ClusterIndex } from './clusterindex.js';

test('has each key in its current cluster, and forgets those in none', () => {
  const index = new ClusterIndex();
  for (const key of ['a', 'b']) index.set(key, 'east');
  index.set('a', 'west');
  expect([index.keysOf('east'), index.keysOf('west'), index.clusterOf('a')]).toEqual([['b'], ['a'], 'west']);
  index.set('a', '');
  expect([index.keysOf('west'), index.clusterOf('a')]).toEqual([[], '']);
  index.clear();
  expect(index.keysOf('east')).toEqual([]);
});
