import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { encodeObject } from './canonical.js';
import { partialMetadataBytes } from './metadatabytes.js';

const CASES: readonly (readonly [string, KubeObject])[] = [
  ['nothing but a name', { kind: 'K', apiVersion: 'v1', metadata: { name: 'a' } }],
  ['no metadata members', { kind: 'K', apiVersion: 'v1', metadata: {} }],
  [
    'braces, quotes and backslashes in values',
    {
      kind: 'K',
      apiVersion: 'g/v1',
      metadata: { name: 'a', annotations: { a: '}"{', b: '\\', 'c"}': '\\"', d: '\u2028é😀' } },
      spec: { metadata: { name: 'inner' } },
    },
  ],
  [
    'nested maps and lists',
    {
      kind: 'K',
      apiVersion: 'v1',
      metadata: {
        name: 'a',
        ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'o', uid: 'u' }],
        managedFields: [{ manager: 'm', operation: 'Update', fieldsV1: { 'f:data': { '.': {} } } }],
      } as KubeObject['metadata'],
      data: { k: '{"metadata":{}}' },
    },
  ],
  ['a kind that looks like metadata', { kind: '"metadata":{', apiVersion: 'v1', metadata: { name: 'a' } }],
];

describe('extracts metadata from canonical bytes', () => {
  test.each(CASES)('%s', (_name, object) => {
    for (const version of ['v1', 'v1beta1'] as const) {
      const text = partialMetadataBytes(encodeObject(object), version).toString();
      expect(JSON.parse(text)).toEqual({
        kind: 'PartialObjectMetadata',
        apiVersion: `meta.k8s.io/${version}`,
        metadata: object.metadata,
      });
    }
  });

  test.each(['', '{}', '{"kind":"K","metadata":{"name":"a"', '{"metadata":{"name":"a\\'])(
    '%j is refused',
    (text) => {
      expect(() => partialMetadataBytes(Buffer.from(text), 'v1')).toThrow(RangeError);
    },
  );
});
