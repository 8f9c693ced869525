/** Concurrent changes of one object. */
import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../api/resource.js';
import { fieldEdits, mergedEdits, mergedNames } from './threeway.js';
import { HIDDEN } from './yamlobject.js';
import { HIDDEN_CHANGED, markedBeside, withPrints } from './yamlread.js';

const base = { metadata: { resourceVersion: '1' }, spec: { a: 'a', b: 'b', list: [1], gone: 'x' } };

test('keeps changes of one side, and asks about changes of both', () => {
  const mine = { ...base, spec: { a: 'mine', b: 'mine', list: [1], same: 's' } };
  const theirs = {
    metadata: { resourceVersion: '2' },
    spec: { a: 'a', b: 'theirs', list: [1, 2], gone: 'x', same: 's' },
    status: { phase: 'Ready' },
  };
  const edits = fieldEdits(base, mine, theirs);
  expect(edits.map(({ path, by }) => [path.join('.'), by])).toEqual([
    ['spec.a', 'mine'],
    ['spec.b', 'both'],
    ['spec.list', 'theirs'],
    ['spec.gone', 'mine'],
  ]);
  const expected = { a: 'mine', b: 'theirs', list: [1, 2], same: 's' };
  expect(mergedEdits(theirs, edits, () => 'theirs')).toEqual({ ...theirs, spec: expected });
  expect(mergedEdits(theirs, edits, () => 'mine')).toEqual({ ...theirs, spec: { ...expected, b: 'mine' } });
});

test('a field that both make, or that one takes away and the other changes, is asked', () => {
  const edits = fieldEdits({ a: 1 }, { b: { c: 1 } }, { a: 2, b: { c: 2, d: 1 } });
  expect(edits.map(({ path, by }) => [path.join('.'), by])).toEqual([
    ['a', 'both'],
    ['b.c', 'both'],
    ['b.d', 'theirs'],
  ]);
  expect(mergedEdits({ a: 2, b: { c: 2, d: 1 } }, edits, () => 'mine')).toEqual({ b: { c: 1, d: 1 } });
});

test('names of members of all objects are fields like any other', () => {
  const mine = JSON.parse('{"__proto__":{"polluted":1},"constructor":"x"}') as object;
  const edits = fieldEdits({}, mine, { b: 1 });
  const merged = mergedEdits({ b: 1 }, edits, () => 'mine');
  expect(JSON.parse(JSON.stringify(merged))).toEqual(
    JSON.parse('{"b":1,"__proto__":{"polluted":1},"constructor":"x"}'),
  );
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('a hidden value that somebody else changed is marked, and not shown', async () => {
  const secret = (data: object): KubeObject =>
    ({ kind: 'SharedSecret', apiVersion: 'v1', metadata: { name: 'a' }, spec: { data } }) as KubeObject;
  const [before, now] = [
    await withPrints(secret({ kept: 'djE=', changed: 'djE=' })),
    await withPrints(secret({ kept: 'djE=', changed: 'djI=', added: 'djE=' })),
  ];
  expect(JSON.stringify([before, now])).not.toMatch(/djE|djI/);
  expect(markedBeside(before, now)).toMatchObject({
    spec: { data: { kept: HIDDEN, changed: HIDDEN_CHANGED, added: HIDDEN } },
  });
});

test.each([
  [['a', 'b'], ['a', 'c'], ['a', 'b', 'd'], ['a', 'd', 'c'], ['d'], []],
  [['a'], ['a'], [], [], [], ['a']],
  [['a'], ['a', 'b'], ['a', 'b'], ['a', 'b'], ['b'], []],
  [[], ['b'], ['a'], ['a', 'b'], ['a'], []],
])('from %j, mine %j and theirs %j become %j', (was, mine, theirs, names, added, removed) => {
  expect(mergedNames(was, mine, theirs)).toEqual({ names, added, removed });
});
