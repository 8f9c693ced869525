import { describe, expect, test } from '@jest/globals';
import type { Guard, Write } from '../../interface.js';
import {
  MAX_BATCH_BYTES,
  MAX_BATCH_WRITES,
  fitsAlone,
  batchRecord,
  batchTransaction,
  packBatch,
  planCommit,
  revisionsOf,
  type PlannedCommit,
} from './batch.js';
import { revisionOf } from '../revision.js';

const dataKey = (key: string) => Buffer.from(`/d/${key}`);
const put = (key: string, bytes = 1): Write => ({ key, value: Buffer.alloc(bytes), expect: 'absent' });
const remove = (key: string): Write => ({ key, expect: 'present' });
const guard = (key: string): Guard => ({ key, expect: 'absent' });
const plan = (writes: Write[], guards: Guard[] = []): PlannedCommit => planCommit(writes, guards, dataKey);
const puts = (name: string, count: number) => Array.from({ length: count }, (_, one) => put(`${name}${one}`));

describe('packing', () => {
  const half = MAX_BATCH_BYTES / 2;
  test.each<[string, PlannedCommit[], number[]]>([
    ['independent commits travel together', [plan([put('a')]), plan([put('b')])], [0, 1]],
    ['two that write one key do not', [plan([put('a')]), plan([put('a')]), plan([put('b')])], [0, 2]],
    ['one that writes what another guards does not', [plan([put('a')], [guard('b')]), plan([put('b')])], [0]],
    ['one that guards what another writes does not', [plan([put('a')]), plan([put('b')], [guard('a')])], [0]],
    ['two that guard one key do', [plan([put('a')], [guard('g')]), plan([put('b')], [guard('g')])], [0, 1]],
    ['62 writes fill a batch', [plan(puts('a', 61)), plan(puts('b', 2)), plan([put('c')])], [0, 2]],
    ['1 MiB fills a batch', [plan([put('a', half)]), plan([put('b', half)]), plan([put('c')])], [0, 2]],
    ['a larger one travels alone', [plan([put('a', MAX_BATCH_BYTES)]), plan([put('b')])], [0]],
    ['a larger one waits for its own', [plan([put('b')]), plan([put('a', MAX_BATCH_BYTES)])], [0]],
    [
      'many guards leave less room for others',
      [plan([put('a')], guards(120)), ...singles(10)],
      [0, 1, 2, 3, 4, 5],
    ],
  ])('%s', (_name, waiting, taken) => {
    expect(packBatch(waiting)).toEqual(taken);
  });

  test('sends 62 single commits in one batch, below the limit of 128 operations', () => {
    const waiting = singles(100);
    const taken = packBatch(waiting);
    expect(taken).toHaveLength(MAX_BATCH_WRITES);
    const request = batchTransaction(
      taken.map((index) => waiting[index] as PlannedCommit),
      { key: dataKey('g'), modRevision: 0 },
      batchRecord('id', 0, []),
    );
    expect(request.success).toHaveLength(63);
  });

  test('reads positions back for a commit with 62 expected revisions, which fits', () => {
    const commit = plan(puts('a', 62).map((write) => ({ ...write, expect: 640 })));
    expect([commit.positions, fitsAlone(commit)]).toEqual([false, true]);
    expect(fitsAlone(plan([put('a')], guards(127)))).toBe(false);
  });
});

describe('revisions of a batch', () => {
  const commits = [
    plan([put('a'), put('b')]),
    plan([remove('c'), put('d'), remove('e')]),
    plan([remove('f')]),
  ];
  test.each<[string, boolean[], number[][]]>([
    ['all done', [true, true, true], [[1, 2], [3, 4, 5], [6]]],
    ['a delete moves up where a commit before it failed', [false, true, true], [[], [1, 4, 5], [6]]],
    ['only deletes', [false, false, true], [[], [], [1]]],
    ['none', [false, false, false], [[], [], []]],
  ])('%s', (_name, done, positions) => {
    const outcomes = done.map((one) => (one ? 'done' : ({ code: 'not found', key: 'x' } as const)));
    const revisions = revisionsOf(commits, outcomes, 9, true);
    expect(revisions).toEqual(positions.map((list) => list.map((position) => revisionOf(9, position))));
  });

  test('begin at position 0 for a commit of deletes without a record', () => {
    const revisions = revisionsOf([plan([remove('a'), remove('b')])], ['done'], 9, false);
    expect(revisions).toEqual([[revisionOf(9, 0), revisionOf(9, 1)]]);
  });

  test('depend on a record that lists deletes inside a commit', () => {
    expect(batchRecord('id', 5, commits)).toEqual({ id: 'id', time: 5, open: ['c'] });
  });
});

function guards(count: number): Guard[] {
  return Array.from({ length: count }, (_, one) => guard(`guarded${one}`));
}

function singles(count: number): PlannedCommit[] {
  return Array.from({ length: count }, (_, one) => plan([put(`single${one}`)]));
}
