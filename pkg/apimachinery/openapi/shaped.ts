/** Converts parts of OpenAPI documents to the form of their protobuf messages. */
import type { OpenapiSchema } from './schema.js';

export type Members = Readonly<Record<string, unknown>>;
/** Converts a member to the form of its message. */
export type Shape = (value: never) => unknown;

export const asIs = (value: unknown): unknown => value;
/** Any value, as YAML. */
export const any = (value: unknown): object => ({ yaml: JSON.stringify(value) });
export const listed = (shape: (each: OpenapiSchema) => object) => (list: readonly OpenapiSchema[]) =>
  list.map(shape);
// Callers give maps of schemas; `Members` leaves the type of values open.
const mapValues = (map: Members, shape: (value: OpenapiSchema) => object): Members =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, shape(value as OpenapiSchema)]));
/** A map with its entries below `map`. */
export const mapped = (shape: (value: OpenapiSchema) => object) => (map: Members) => ({
  map: mapValues(map, shape),
});

/** Members with the prefix `x-` are extensions; all others must be in `shapes`, otherwise throws RangeError. */
export function shaped(value: Members, shapes: Readonly<Record<string, Shape>>): Members {
  const members: Record<string, unknown> = {};
  const extensions: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (name.startsWith('x-')) extensions[name] = any(member);
    else if (shapes[name] === undefined) throw new RangeError(`openapi: no field for ${name}`);
    // Each shape converts the members of its name.
    else members[name] = shapes[name](member as never);
  }
  return Object.keys(extensions).length === 0 ? members : { ...members, extensions };
}

/** The keywords of a schema that both versions' messages have unchanged. */
export const PLAIN_KEYWORDS: Readonly<Record<string, Shape>> = Object.fromEntries(
  [
    'description',
    'format',
    'multipleOf',
    'maximum',
    'exclusiveMaximum',
    'minimum',
    'exclusiveMinimum',
    'maxLength',
    'minLength',
    'pattern',
    'maxItems',
    'minItems',
    'uniqueItems',
    'maxProperties',
    'minProperties',
    'required',
  ].map((name) => [name, asIs]),
);
