import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Type as TypeBox, type TSchema } from 'typebox';
import { Type } from './type.js';

type Builders = typeof Type;

/** What to build, and how. */
type Recipe = (types: Builders) => TSchema;

const options = fc.record({ description: fc.string(), default: fc.jsonValue() }, { requiredKeys: [] });

const { recipe } = fc.letrec<{ recipe: Recipe }>((tie) => ({
  recipe: fc.oneof(
    { maxDepth: 4 },
    options.map(
      (given): Recipe =>
        (types) =>
          types.String(given),
    ),
    options.map(
      (given): Recipe =>
        (types) =>
          types.Integer(given),
    ),
    options.map(
      (given): Recipe =>
        (types) =>
          types.Number(given),
    ),
    options.map(
      (given): Recipe =>
        (types) =>
          types.Boolean(given),
    ),
    fc.tuple(tie('recipe'), options).map(
      ([of, given]): Recipe =>
        (types) =>
          types.Array(of(types), given),
    ),
    fc.tuple(tie('recipe'), options).map(
      ([of, given]): Recipe =>
        (types) =>
          types.Record(types.String(), of(types), given),
    ),
    tie('recipe').map(
      (of): Recipe =>
        (types) =>
          types.Unsafe({ ...of(types) }),
    ),
    fc
      .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.tuple(tie('recipe'), fc.boolean())), options)
      .map(([members, given]): Recipe => {
        const property = (types: Builders, [of, may]: [Recipe, boolean]) =>
          may ? types.Optional(of(types)) : of(types);
        return (types) =>
          types.Object(
            Object.fromEntries(Object.entries(members).map(([name, one]) => [name, property(types, one)])),
            given,
          );
      }),
  ),
}));

test('builds what TypeBox builds', () => {
  fc.assert(
    fc.property(recipe, (make) => {
      expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(TypeBox as unknown as Builders)));
    }),
  );
});
