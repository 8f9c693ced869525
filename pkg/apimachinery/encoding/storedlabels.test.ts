import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '../../../api/resource.js';
import { encodeObject, headLength, spliceResourceVersion } from './canonical.js';
import { storedLabels } from './storedlabels.js';

const start = headLength('Thing', 'g/v1');
const labels = fc.dictionary(fc.string(), fc.string(), { maxKeys: 4 });
const metadata = fc.record(
  {
    name: fc.string(),
    namespace: fc.constantFrom('a', '"labels":{', '}'),
    generation: fc.integer(),
    labels,
    annotations: labels,
    finalizers: fc.array(fc.string()),
    managedFields: fc.constant([{ manager: 'm', fieldsV1: { 'f:labels': {} } }]),
    other: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

test('reads the labels of an object with any other metadata', () => {
  fc.assert(
    fc.property(metadata, fc.jsonValue(), fc.boolean(), (meta, spec, served) => {
      const object = {
        kind: 'Thing',
        apiVersion: 'g/v1',
        metadata: meta,
        spec,
        labels: { x: 'no' },
      } as KubeObject;
      const stored = encodeObject(object);
      const bytes = served ? spliceResourceVersion(stored, start, 4711) : stored;
      const parsed = JSON.parse(bytes.toString()) as KubeObject;
      expect(storedLabels(bytes, start)).toEqual(parsed.metadata.labels);
    }),
    { numRuns: 500 },
  );
});

test('stops at the end of truncated bytes', () => {
  const bytes = Buffer.from('{"kind":"Thing","apiVersion":"g/v1","metadata":{"name":"abc');
  expect(storedLabels(bytes, start)).toBeUndefined();
});
