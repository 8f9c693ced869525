/**
 * TypeBox's builders, as far as kinds use them: its static types, and plain objects at run time. The package itself is
 * hundreds of modules, which every start of every program that imports a kind would load; `type.test.ts` checks that
 * both build the same.
 */
import type { TSchema, Type as TypeBox } from 'typebox';

/** Marks a property that may be absent; invisible to JSON and to spreading, as TypeBox has it. */
const OPTIONAL = '~optional';

type Json = Record<string, unknown>;

function object(properties: Record<string, object>, options: Json = {}): Json {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function optional(schema: object): object {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true, enumerable: false });
}

const builders = {
  Array: (items: object, options: Json = {}) => ({ type: 'array', items, ...options }),
  Boolean: (options: Json = {}) => ({ type: 'boolean', ...options }),
  Integer: (options: Json = {}) => ({ type: 'integer', ...options }),
  Number: (options: Json = {}) => ({ type: 'number', ...options }),
  Object: object,
  Optional: optional,
  /** Keys are any strings. */
  Record: (_key: object, value: object, options: Json = {}) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: (options: Json = {}) => ({ type: 'string', ...options }),
  Unsafe: (schema: TSchema) => ({ ...schema }),
};

/** Use it as `Type` of `typebox`. */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;
