import { expect, test } from '@jest/globals';
import type { KubeObject, ManagedFieldsEntry } from '../../../api/resource.js';
import { settleTimes } from './times.js';

const entry = (manager: string, time: string): ManagedFieldsEntry => ({ manager, operation: 'Apply', time });
const object = (entries: ManagedFieldsEntry[] | undefined, data: object, labels?: object): KubeObject =>
  ({
    kind: 'K',
    apiVersion: 'v1',
    metadata: {
      name: 'a',
      ...(labels !== undefined && { labels }),
      ...(entries !== undefined && { managedFields: entries }),
    },
    data,
  }) as KubeObject;
const before = [entry('m', '2026-01-01T00:00:00Z')];
const later = [entry('m', '2026-01-02T00:00:00Z')];

test.each<[string, KubeObject, ManagedFieldsEntry[] | undefined]>([
  ['only times differ', object(later, { a: '1' }, { l: '1' }), before],
  ['the data differ', object(later, { a: '2' }, { l: '1' }), later],
  ['a label is gone', object(later, { a: '1' }), later],
  ['a label is new', object(later, { a: '1' }, { l: '1', n: '1' }), later],
  ['another member is new', { ...object(later, { a: '1' }, { l: '1' }), more: 1 }, later],
  ['a member is gone', { ...object(later, { a: '1' }, { l: '1' }), data: undefined }, later],
  [
    'the manager differs',
    object([entry('n', later[0]?.time as string)], { a: '1' }, { l: '1' }),
    [entry('n', later[0]?.time as string)],
  ],
  ['there are more entries', object([...later, ...before], { a: '1' }, { l: '1' }), [...later, ...before]],
  ['there are none any more', object(undefined, { a: '1' }, { l: '1' }), undefined],
])('%s', (_name, next, settled) => {
  const live = object(before, { a: '1' }, { l: '1' });
  live.metadata.resourceVersion = '7';
  expect(settleTimes(live, next)).toEqual(settled);
});
