import { describe, expect, test } from '@jest/globals';
import {
  compactionTarget,
  etcdRevisionOf,
  firstEtcdRevisionAfter,
  newestOf,
  positionOf,
  revisionOf,
} from './revision.js';

describe('revisions', () => {
  test.each([
    // [etcd revision, position, our revision, the first etcd revision with something after it, compacted to]
    [1, 0, 64, 1, 0],
    [1, 63, 127, 2, 1],
    [2, 0, 128, 2, 1],
    [7, 5, 453, 7, 6],
    [7, 63, 511, 8, 7],
    [2 ** 46, 63, 2 ** 52 + 63, 2 ** 46 + 1, 2 ** 46],
  ])(
    'are computed from etcd revision %i, position %i: %i',
    (etcdRevision, position, revision, after, target) => {
      expect(revisionOf(etcdRevision, position)).toBe(revision);
      expect(etcdRevisionOf(revision)).toBe(etcdRevision);
      expect(positionOf(revision)).toBe(position);
      expect(firstEtcdRevisionAfter(revision)).toBe(after);
      expect(compactionTarget(revision)).toBe(target);
      expect(newestOf(etcdRevision)).toBeGreaterThanOrEqual(revision);
    },
  );
});
