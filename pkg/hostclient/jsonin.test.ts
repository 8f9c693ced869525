import { describe, expect, test } from '@jest/globals';
import { jsonIn } from './jsonin.js';

const deep = `${'{"f:a":'.repeat(5000)}{}${'}'.repeat(5000)}`;
const namespace = `{"metadata":{"name":"a","managedFields":[{"fieldsV1":${deep}}]},"spec":{}}`;
const left = { metadata: { name: 'a' }, spec: {} };

describe('jsonIn', () => {
  test('parses JSON', () => {
    expect(jsonIn('{"metadata":{"managedFields":[1]}}')).toEqual({ metadata: { managedFields: [1] } });
  });

  test('drops managed fields that nest too deep from objects, lists and events', () => {
    expect(jsonIn(namespace)).toEqual(left);
    expect(jsonIn(`{"items":[${namespace},${namespace}]}`)).toEqual({ items: [left, left] });
    expect(jsonIn(`{"type":"ADDED","object":${namespace}}`)).toEqual({ type: 'ADDED', object: left });
  });

  test.each(['', '[', deep, `{"items":[null,1,${deep}]}`, '['.repeat(1e6) + ']'.repeat(1e6)])(
    'returns undefined for other text that is invalid or nests too deep',
    (text) => {
      expect(jsonIn(text)).toBeUndefined();
    },
  );
});
