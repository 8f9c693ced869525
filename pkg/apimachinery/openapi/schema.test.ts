import { expect, test } from '@jest/globals';
import { Type, type TSchema } from 'typebox';
import { time } from '../../../api/meta/v1/schema.js';
import type { JsonSchema } from './metaschemas.js';
import { openapiSchema, type Components } from './schema.js';

const empty = (dialect: Components['dialect']): Components => ({ dialect, schemas: new Map() });
const convert = (schema: TSchema, dialect: Components['dialect']): object => {
  return openapiSchema(schema as object as JsonSchema, empty(dialect));
};

const letters = Type.Union([Type.Literal('a'), Type.Literal('b')]);
const either = Type.Union([Type.String(), Type.Integer()]);

const cases: [string, TSchema, object, object?][] = [
  [
    'a map',
    Type.Record(Type.String(), Type.Integer()),
    { type: 'object', additionalProperties: { type: 'integer' } },
  ],
  ['one constant', Type.Literal('a'), { type: 'string', enum: ['a'] }],
  ['constants', letters, { type: 'string', enum: ['a', 'b'] }],
  ['an enum', Type.Enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  ['alternatives', either, { anyOf: [{ type: 'string' }, { type: 'integer' }] }, {}],
  ['null', Type.Union([Type.String(), Type.Null()]), { type: 'string', nullable: true }, {}],
  ['types', Type.Unsafe<string | null>({ type: ['string', 'null'] }), { type: 'string', nullable: true }, {}],
  ['a bound', Type.Number({ exclusiveMinimum: 0 }), { type: 'number', minimum: 0, exclusiveMinimum: true }],
  ['no more members', Type.Object({}, { additionalProperties: false }), { type: 'object' }],
  ['anything', Type.Unknown(), {}],
  [
    'rules of lists',
    Type.Array(Type.String(), { 'x-kubernetes-list-type': 'set', 'x-internal': 1 }),
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  ],
  [
    'required members',
    Type.Object({ a: Type.String(), b: Type.Optional(Type.Boolean({ default: true })) }),
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' }, b: { type: 'boolean', default: true } },
    },
  ],
];

test.each(cases)('%s', (_name, schema, v3, v2 = v3) => {
  expect(convert(schema, 'v3')).toEqual(v3);
  expect(convert(schema, 'v2')).toEqual(v2);
});

test('publishes a named component once with its own description', () => {
  const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';
  const into = empty('v3');
  expect(openapiSchema(time({ description: 'When it began.' }) as object as JsonSchema, into)).toEqual({
    description: 'When it began.',
    allOf: [{ $ref: `#/components/schemas/${name}` }],
  });
  expect(
    openapiSchema(time({ description: 'When it ended.', default: null }) as object as JsonSchema, into),
  ).toHaveProperty('allOf');
  expect([...into.schemas.keys()]).toEqual([name]);
  expect(into.schemas.get(name)).toMatchObject({ type: 'string', format: 'date-time' });
});
