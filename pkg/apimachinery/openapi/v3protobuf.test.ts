import { expect, test } from '@jest/globals';
import { KINDS } from '../../management/kinds.js';
import { openapiDocuments } from './documents.js';
import type { OpenapiV3 } from './v3.js';
import { encodeOpenapiV3 } from './v3protobuf.js';

const documents = openapiDocuments(KINDS.map(({ definition }) => definition));
const EMPTY = { openapi: '3.0.0', info: { title: 't', version: 'v1' }, paths: {} };
const withSchema = (schema: object): OpenapiV3 =>
  ({ ...EMPTY, components: { schemas: { A: schema }, securitySchemes: {} } }) as unknown as OpenapiV3;

test.each([
  ['a type', { type: 'string' }, '0a09ca0106737472696e67'],
  ['a reference', { $ref: '#/x' }, '12050a03232f78'],
  ['a default of a known type', { default: true }, '0a058a02021001'],
  ['a default of another type, which is left out', { default: {} }, '0a00'],
])('%s', (_what, schema, expected) => {
  expect(encodeOpenapiV3(withSchema(schema)).toString('hex')).toContain(expected);
});

test.each(documents.paths)('encodes %s', (path) => {
  const encoded = documents.v3Protobuf(path);
  const schemas = Object.keys(documents.v3(path).components.schemas);
  expect(schemas).not.toEqual([]);
  expect(schemas.filter((name) => !encoded.includes(name))).toEqual([]);
});

test('throws on a member without a field', () => {
  expect(() => encodeOpenapiV3(withSchema({ title: 'x' }))).toThrow('openapi: no field for title');
});
