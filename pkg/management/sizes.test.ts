/** Every field of the kinds of this group that a client can fill has a maximum size. */
import { expect, test } from '@jest/globals';
import { jsonSchema, type JsonSchema } from '../apimachinery/schema/jsonschema.js';
import { KINDS } from './kinds.js';

/** Formats whose texts have a length of their own. */
const BOUNDED_FORMATS = ['date-time'];

/** The paths of fields without a maximum. Types of Kubernetes itself have the limits that their validation has. */
function unbounded(schema: JsonSchema, path: string): string[] {
  if (String(schema['x-component'] ?? '').startsWith('io.k8s.')) return [];
  const below = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => unbounded(each, `${path}.${name}`)),
    ...(schema.items === undefined ? [] : unbounded(schema.items, `${path}[]`)),
    ...(typeof schema.additionalProperties === 'object'
      ? unbounded(schema.additionalProperties, `${path}{}`)
      : []),
  ];
  return isBounded(schema) ? below : [path, ...below];
}

function isBounded(schema: JsonSchema): boolean {
  switch (schema.type) {
    case 'string':
      return (
        schema['maxLength'] !== undefined ||
        schema.enum !== undefined ||
        BOUNDED_FORMATS.includes(schema.format ?? '')
      );
    case 'array':
      return schema['maxItems'] !== undefined || schema['x-kubernetes-list-type'] === 'map';
    case 'object':
      return schema.additionalProperties !== undefined
        ? schema['maxProperties'] !== undefined
        : schema['x-kubernetes-preserve-unknown-fields'] !== true || schema['x-max-bytes'] !== undefined;
    default:
      return true;
  }
}

test('every text, list and map of every kind has a maximum size', () => {
  const own = KINDS.map(({ definition }) => definition).filter(
    ({ group }) => group === 'management.svc.example',
  );
  expect(own.length).toBeGreaterThan(15);
  expect(own.flatMap(({ kind, schema }) => unbounded(jsonSchema(schema), kind))).toEqual([]);
});
