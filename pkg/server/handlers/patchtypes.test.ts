import { expect, test } from '@jest/globals';
import { patchKind } from './patchtypes.js';

const LISTED =
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

test.each([
  ['a/b', true, '415: Unsupported Media Type'],
  ['a/b,c/d', true, '415: Unsupported Media Type'],
  [undefined, true, '415: Unsupported Media Type'],
  [`a/b,${MERGE}`, true, LISTED],
  [`${MERGE}, a/b`, true, LISTED],
  ['a/b', false, LISTED],
  ['a/b,c/d', false, LISTED],
])('Content-Type %s, a kind of Kubernetes: %s', (contentType, builtIn, message) => {
  expect(() => patchKind(contentType, builtIn)).toThrow(message);
});

test('ignores media type parameters', () => {
  expect(patchKind(`${MERGE}; x=y,a/b`, true)).toBe(patchKind(MERGE, true));
});

test.each([
  ['{"kind":5}', 'cannot convert int64 to string'],
  ['{"kind":{"a":1}}', 'unrecognized type: string'],
  ['{"kind":true}', 'unrecognized type: string'],
  ['{"kind":1.5}', 'unrecognized type: string'],
  ['{"apiVersion":5}', 'cannot convert int64 to string'],
])('a strategic merge that leaves %s', (text, message) => {
  const { check } = patchKind('application/strategic-merge-patch+json', true);
  expect(() => check(JSON.parse(text))).toThrow(message);
  expect(() => check({ kind: 'X', data: 5 })).not.toThrow();
});

const REMAINS = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

test.each(['application/merge-patch+json', 'application/json-patch+json'])('%s', (type) => {
  const { check } = patchKind(type, true);
  const cannot = (what: string): string =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${what} of type string`;
  expect(() => check({ ...REMAINS, kind: 5 })).toThrow(cannot('number into Go struct field .kind'));
  expect(() => check({ ...REMAINS, kind: [] })).toThrow(cannot('array into Go struct field .kind'));
  expect(() => check({ ...REMAINS, apiVersion: true })).toThrow(
    cannot('bool into Go struct field .apiVersion'),
  );
  expect(() => check({ ...REMAINS, apiVersion: 'a/b/c' })).toThrow('unexpected GroupVersion string: a/b/c');
  expect(check(REMAINS)).toBe(REMAINS);
  const { kind: _kind, ...unnamed } = REMAINS;
  expect(check(unnamed)).toEqual(unnamed);
  const { apiVersion: _version, ...unversioned } = REMAINS;
  for (const lost of [unversioned, { ...REMAINS, apiVersion: null }, { ...REMAINS, apiVersion: '' }])
    expect(check(lost)).toEqual({});
});
