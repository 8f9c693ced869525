import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { compareBytes, encodeObject, headLength, spliceResourceVersion } from './canonical.js';

const encode = (object: unknown): string => encodeObject(object as KubeObject).toString();

describe('encodeObject', () => {
  test.each<[string, unknown, string]>([
    [
      'empty metadata',
      { metadata: {}, kind: 'K', apiVersion: 'v1' },
      '{"kind":"K","apiVersion":"v1","metadata":{}}',
    ],
    [
      'metadata in order, without resourceVersion',
      {
        apiVersion: 'v1',
        kind: 'K',
        metadata: {
          labels: { b: '1', a: '2', '10': 'x', '9': 'y' },
          resourceVersion: '5',
          namespace: 'n',
          name: 'a',
          uid: undefined,
          finalizers: ['z', 'a'],
          creationTimestamp: '2001-01-01T00:00:00Z',
          generation: 1,
        },
      },
      '{"kind":"K","apiVersion":"v1","metadata":{"name":"a","namespace":"n","generation":1,"creationTimestamp":"2001-01-01T00:00:00Z","labels":{"10":"x","9":"y","a":"2","b":"1"},"finalizers":["z","a"]}}',
    ],
    [
      'lists of metadata in order',
      {
        kind: 'K',
        apiVersion: 'v1',
        metadata: {
          managedFields: [
            { time: 't', fieldsV1: { 'f:b': {}, 'f:a': {} }, manager: 'm', operation: 'Apply' },
          ],
          ownerReferences: [{ controller: true, uid: 'u', name: 'n', kind: 'K', apiVersion: 'v1' }],
        },
      },
      '{"kind":"K","apiVersion":"v1","metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u","controller":true}],"managedFields":[{"manager":"m","operation":"Apply","time":"t","fieldsV1":{"f:a":{},"f:b":{}}}]}}',
    ],
    [
      'the rest sorted and escaped',
      {
        kind: 'K',
        apiVersion: 'v1',
        metadata: {},
        spec: { b: '<&>\u2028"\n', a: [1, null, { d: 1, c: undefined }] },
        data: {},
      },
      '{"kind":"K","apiVersion":"v1","metadata":{},"data":{},"spec":{"a":[1,null,{"d":1}],"b":"\\u003c\\u0026\\u003e\\u2028\\"\\n"}}',
    ],
  ])('%s', (_, object, expected) => {
    expect(encode(object)).toBe(expected);
  });

  test('bytes do not depend on the order of members', () => {
    const one = {
      kind: 'K',
      apiVersion: 'v1',
      metadata: { name: 'a', labels: { x: '1', y: '2' } },
      spec: { a: 1, b: 2 },
    };
    const other = {
      spec: { b: 2, a: 1 },
      metadata: { labels: { y: '2', x: '1' }, name: 'a' },
      apiVersion: 'v1',
      kind: 'K',
    };
    expect(encode(one)).toBe(encode(other));
  });
});

test('names sort by code points', () => {
  expect(['\u{10000}', '\uffee', 'a'].sort(compareBytes)).toEqual(['a', '\uffee', '\u{10000}']);
});

test.each([[{ name: 'a' }], [{}]])('spliceResourceVersion into %j', (metadata) => {
  const stored = encodeObject({ kind: 'K', apiVersion: 'g/v1', metadata, spec: {} });
  const spliced = spliceResourceVersion(stored, headLength('K', 'g/v1'), 4711);
  expect(spliced.toString()).toMatch(
    /^\{"kind":"K","apiVersion":"g\/v1","metadata":\{"resourceVersion":"4711"/,
  );
  expect(JSON.parse(spliced.toString())).toEqual({
    kind: 'K',
    apiVersion: 'g/v1',
    metadata: { resourceVersion: '4711', ...metadata },
    spec: {},
  });
});
