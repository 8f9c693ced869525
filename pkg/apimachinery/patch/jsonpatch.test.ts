import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../api/resource.js';
import { testVectors } from '../../../test/vectors/table.js';
import { StatusError } from '../errors.js';
import { runToCompletion } from '../eventloop/slices.js';
import { jsonPatchSteps } from './jsonpatch.js';

const applyJsonPatch = (document: JsonValue, patch: JsonValue): JsonValue =>
  runToCompletion(jsonPatchSteps(document, patch));

function errorOf(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('expected a StatusError');
}

describe('vectors', () => testVectors('jsonpatch'));

test('compares numbers by value', () => {
  expect(
    applyJsonPatch({ a: 1 }, JSON.parse('[{"op":"test","path":"/a","value":1.0}]') as JsonValue),
  ).toEqual({ a: 1 });
});

test('refuses more than 10000 operations', () => {
  const error = errorOf(() =>
    applyJsonPatch({}, new Array<JsonValue>(10001).fill({ op: 'add', path: '/a' })),
  );
  expect([error.code, error.message]).toEqual([
    413,
    'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  ]);
});

test('refuses copies of more than 3 MiB in total', () => {
  const double = { op: 'copy', from: '/a', path: '/a/-' };
  expect(
    errorOf(() => applyJsonPatch({ a: ['x'.repeat(1000)] }, new Array<JsonValue>(40).fill(double))).code,
  ).toBe(422);
});

test('refuses a patch that nests deeper than a body may', () => {
  const wrap: JsonValue[] = [
    { op: 'add', path: '/n', value: {} },
    { op: 'move', from: '/d', path: '/n/d' },
    { op: 'move', from: '/n', path: '/d' },
  ];
  const patch = Array.from({ length: 900 }, () => wrap).flat();
  expect(errorOf(() => applyJsonPatch({ d: 1 }, patch)).code).toBe(422);
});

test('refuses nesting that would exhaust the stack', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(390)}{}${'}'.repeat(390)}`) as JsonValue;
  const wrap: JsonValue[] = [
    { op: 'add', path: '/n', value: deep },
    { op: 'move', from: '/d', path: `/n${'/a'.repeat(390)}/d` },
    { op: 'move', from: '/n', path: '/d' },
  ];
  const patch = [...Array.from({ length: 200 }, () => wrap).flat(), { op: 'copy', from: '/d', path: '/e' }];
  expect(errorOf(() => applyJsonPatch({ d: 1 }, patch)).code).toBe(422);
});

describe('names of JavaScript are ordinary members', () => {
  const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue;
  test.each([
    ['add __proto__', '{}', '[{"op":"add","path":"/__proto__","value":{"x":1}}]', '{"__proto__":{"x":1}}'],
    ['add constructor', '{}', '[{"op":"add","path":"/constructor","value":"c"}]', '{"constructor":"c"}'],
    [
      'nested',
      '{"constructor":{}}',
      '[{"op":"add","path":"/constructor/prototype","value":1}]',
      '{"constructor":{"prototype":1}}',
    ],
    ['test absent', '{}', '[{"op":"test","path":"/toString","value":null}]', '{}'],
    ['copy', '{"__proto__":1}', '[{"op":"copy","from":"/__proto__","path":"/b"}]', '{"__proto__":1,"b":1}'],
    ['remove', '{"__proto__":1}', '[{"op":"remove","path":"/__proto__"}]', '{}'],
    [
      'values',
      '{}',
      '[{"op":"add","path":"/a","value":{"__proto__":{"x":1}}}]',
      '{"a":{"__proto__":{"x":1}}}',
    ],
    [
      'add to a list',
      '{"a":[]}',
      '[{"op":"add","path":"/a/-","value":{"__proto__":{"x":1}}}]',
      '{"a":[{"__proto__":{"x":1}}]}',
    ],
    [
      'replace in a list',
      '{"a":[1]}',
      '[{"op":"replace","path":"/a/0","value":{"__proto__":{"x":1}}}]',
      '{"a":[{"__proto__":{"x":1}}]}',
    ],
  ])('%s', (_, document, patch, expected) => {
    expect(JSON.stringify(applyJsonPatch(parse(document), parse(patch)))).toBe(expected);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
  test.each(['/__proto__/x', '/constructor/prototype/x'])('refuses the missing member %s', (path) => {
    expect(errorOf(() => applyJsonPatch({}, [{ op: 'add', path, value: 1 }])).code).toBe(422);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
