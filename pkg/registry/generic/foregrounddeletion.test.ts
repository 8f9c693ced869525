import { expect, test } from '@jest/globals';
import { finalizerWarning } from './foregrounddeletion.js';

const DELETED = '2026-01-01T00:00:00Z';
const warningAfter = (seconds: number, ...finalizers: string[]): string | undefined =>
  finalizerWarning(
    {
      kind: 'Space',
      apiVersion: 'space.example/v1',
      metadata: { name: 'a', creationTimestamp: DELETED, deletionTimestamp: DELETED, finalizers },
    },
    Date.parse(DELETED) + seconds * 1_000,
  );

test('a deletion warns of the finalizers of others at once, and of those of its own group after a minute', () => {
  const own = 'space.example/namespace';
  expect(warningAfter(1, own, 'foregroundDeletion')).toBeUndefined();
  expect(warningAfter(1, own, 'space.example.com/a')).toMatch(
    /removed: space\.example\.com\/a \(set 1s ago\)$/,
  );
  expect(warningAfter(120, own)).toMatch(/removed: space\.example\/namespace \(set \S+ ago\)$/);
  expect(warningAfter(120, 'orphan')).toBeUndefined();
});
