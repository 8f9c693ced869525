import { describe, expect, test } from '@jest/globals';
import {
  storeMismatch,
  type Binding,
  type FoundStore,
  type KnownCluster,
  type NotedStore,
} from './storemismatch.js';

const BOUND: Binding = { id: 's1', cluster: 'c1', mark: 7 };
const STORE: FoundStore = { empty: false, binding: BOUND, revision: 1_000 };
const EMPTY: FoundStore = { empty: true, binding: undefined, revision: 1 };
const NOTED: NotedStore = { id: 's1', mark: 7, revision: 900 };
const CLUSTER: KnownCluster = { cluster: 'c1', noted: NOTED, projects: true };
const NEW: KnownCluster = { ...CLUSTER, noted: undefined };

describe('accepts a store', () => {
  test.each<[string, FoundStore, KnownCluster]>([
    ['as it was noted', STORE, CLUSTER],
    ['with later writes', { ...STORE, binding: { ...BOUND, mark: 9 }, revision: 2_000 }, CLUSTER],
    ['that is empty, for a cluster without a note', EMPTY, { ...NEW, projects: false }],
    ['that is not bound yet', { ...STORE, binding: undefined }, NEW],
    ['of a cluster without its note', STORE, NEW],
  ])('%s', (_what, store, cluster) => expect(storeMismatch(store, cluster)).toBeUndefined());
});

describe('refuses a store', () => {
  test.each<[string, FoundStore, KnownCluster, string]>([
    ['that is empty', EMPTY, CLUSTER, 'empty'],
    ['that is empty, for a cluster with projects', EMPTY, NEW, 'empty'],
    ['of servers of another installation', { ...STORE, binding: undefined }, CLUSTER, 'other'],
    ['with another id', { ...STORE, binding: { ...BOUND, id: 's2' } }, CLUSTER, 'other'],
    ['of another cluster', { ...STORE, binding: { ...BOUND, cluster: 'c2' } }, NEW, 'other'],
    ['with a lower mark', { ...STORE, binding: { ...BOUND, mark: 6 } }, CLUSTER, 'behind'],
    [
      'with a lower mark at a higher revision',
      { ...STORE, revision: 1e9, binding: { ...BOUND, mark: 6 } },
      CLUSTER,
      'behind',
    ],
    ['with a lower revision', { ...STORE, revision: 899 }, CLUSTER, 'behind'],
    [
      'with a damaged note',
      STORE,
      { ...CLUSTER, noted: { ...NOTED, mark: Number.MAX_SAFE_INTEGER } },
      'behind',
    ],
  ])('%s', (_what, store, cluster, reason) => expect(storeMismatch(store, cluster)?.reason).toBe(reason));
});
