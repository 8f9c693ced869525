import { describe, expect, test } from '@jest/globals';
import type { ObjectMeta, OwnerReference } from '../../../api/resource.js';
import { dedupeOwnerReferences, validateMetadataCreate, validateMetadataUpdate } from './metadata.js';

const BUILT_IN = { namespaced: true, nameRule: 'subdomain', builtIn: true } as const;
const OTHER = { ...BUILT_IN, builtIn: false };
const STORED: ObjectMeta = { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '64' };

describe('errors of an update', () => {
  test.each<[string, ObjectMeta, string]>([
    ['a bad label', { labels: { 'bad key': '1' } }, 'metadata.labels'],
    ['a bad annotation', { annotations: { 'bad key': '1' } }, 'metadata.annotations'],
    ['a new finalizer', { finalizers: ['x.example/new'] }, 'metadata.finalizers'],
    ['another uid', { uid: 'v' }, 'metadata.uid'],
  ])('list once %s', (_name, change, path) => {
    const previous = { ...STORED, deletionTimestamp: '2001-01-01T00:00:00Z' };
    const next = { ...previous, ...change };
    for (const rules of [BUILT_IN, OTHER])
      expect(validateMetadataUpdate(next, previous, rules)).toEqual([expect.objectContaining({ path })]);
  });

  test('are none for valid metadata', () => {
    expect(validateMetadataUpdate({ ...STORED }, STORED, BUILT_IN)).toEqual([]);
  });

  test('do not name the resourceVersion, which the store checks', () => {
    const { resourceVersion: _, ...next } = STORED;
    expect(validateMetadataUpdate(next, STORED, BUILT_IN)).toEqual([]);
    expect(validateMetadataUpdate(next, next, OTHER)).toEqual([]);
  });
});

describe('unqualified finalizers', () => {
  const meta = { ...STORED, finalizers: ['orphan', 'kubernetes', 'x.example/y', 'mine'] };

  test('are refused on built-in kinds', () => {
    expect(validateMetadataCreate(meta, BUILT_IN)).toEqual([
      {
        type: 'FieldValueInvalid',
        path: 'metadata.finalizers[3]',
        body: 'Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      },
    ]);
  });

  test('are taken on other kinds', () => {
    expect(validateMetadataCreate(meta, OTHER)).toEqual([]);
  });
});

describe('duplicate owner references', () => {
  const owner = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'x',
    uid,
    ...more,
  });

  test('are dropped with a warning', () => {
    const meta: ObjectMeta = { ownerReferences: [owner('u1'), owner('u2'), owner('u1'), owner('u2')] };
    expect(dedupeOwnerReferences(meta)).toBe(
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u1, u2',
    );
    expect(meta.ownerReferences).toEqual([owner('u1'), owner('u2')]);
  });

  test('have another warning after admission', () => {
    const meta: ObjectMeta = { ownerReferences: [owner('u1'), owner('u1')] };
    expect(dedupeOwnerReferences(meta, true)).toContain(
      'duplicate entries after mutating admission happens; API',
    );
  });

  test.each<[string, OwnerReference[] | undefined]>([
    ['none', undefined],
    ['one', [owner('u1')]],
    ['same uid, other flag', [owner('u1'), owner('u1', { controller: false })]],
  ])('%s stays', (_name, ownerReferences) => {
    const meta: ObjectMeta = { ownerReferences };
    expect(dedupeOwnerReferences(meta)).toBeUndefined();
    expect(meta.ownerReferences).toEqual(ownerReferences);
  });
});
