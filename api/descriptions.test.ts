/** Every field, item and value of every schema that is published says what it is: `kubectl explain` shows it. */
import { describe, expect, test } from '@jest/globals';
import { openapiDocuments } from '../pkg/apimachinery/openapi/documents.js';
import type { OpenapiSchema } from '../pkg/apimachinery/openapi/schema.js';
import { KINDS } from '../pkg/management/kinds.js';

const documents = openapiDocuments(KINDS.map(({ definition }) => definition));

/** Paths of what is not described. A reference is described by what it refers to, a field also beside it. */
function undescribed(schema: OpenapiSchema, path: string): string[] {
  const {
    properties = {},
    items,
    additionalProperties,
    allOf,
  } = schema as {
    properties?: Record<string, OpenapiSchema>;
    items?: OpenapiSchema;
    additionalProperties?: OpenapiSchema | boolean;
    allOf?: OpenapiSchema[];
  };
  const refers = '$ref' in schema || allOf?.some((part) => '$ref' in part) === true;
  const fields = Object.entries(properties);
  return [
    ...(describes(schema) || refers ? [] : [path]),
    ...fields.filter(([, field]) => !describes(field)).map(([name]) => `${path}.${name}`),
    ...fields.flatMap(([name, field]) => undescribed(field, `${path}.${name}`)),
    ...(items === undefined ? [] : undescribed(items, `${path}[]`)),
    ...(typeof additionalProperties === 'object' ? undescribed(additionalProperties, `${path}{}`) : []),
  ];
}

const describes = ({ description }: OpenapiSchema): boolean =>
  typeof description === 'string' && description !== '';

describe('descriptions', () => {
  test.each(documents.paths)('of %s', (path) => {
    const { schemas } = documents.v3(path).components as { schemas: Record<string, OpenapiSchema> };
    expect(Object.keys(schemas).length).toBeGreaterThan(0);
    expect(Object.entries(schemas).flatMap(([name, schema]) => undescribed(schema, name))).toEqual([]);
  });

  test('of OpenAPI v2', () => {
    const definitions = Object.entries(documents.v2().definitions as Record<string, OpenapiSchema>);
    expect(definitions.length).toBeGreaterThan(0);
    expect(definitions.flatMap(([name, schema]) => undescribed(schema, name))).toEqual([]);
  });

  test('what is missing is found', () => {
    const schema = {
      description: 'All.',
      properties: {
        list: { description: 'A list.', items: { type: 'string' } },
        map: { description: 'A map.', additionalProperties: { type: 'string' } },
        bare: { allOf: [{ $ref: '#/x' }] },
      },
    };
    expect(undescribed(schema, 'x')).toEqual(['x.bare', 'x.list[]', 'x.map{}']);
  });
});
