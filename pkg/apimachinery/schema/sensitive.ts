import type { JsonSchema } from './jsonschema.js';
import { isObject } from './jsonschema.js';

const HIDDEN = '***';

/** A copy of `value` in which whatever the schema marks `x-sensitive` is hidden; keys of maps stay. */
export function hideSensitive(schema: JsonSchema, value: unknown): unknown {
  if (schema['x-sensitive'] === true) return hidden(value);
  if (Array.isArray(value)) return value.map((item) => inner(schema.items, item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => {
    const property = schema.properties !== undefined ? schema.properties[name] : schema.additionalProperties;
    return [name, inner(property, member)] as const;
  });
  return Object.fromEntries(entries);
}

const inner = (schema: JsonSchema | boolean | undefined, value: unknown): unknown =>
  typeof schema === 'object' ? hideSensitive(schema, value) : value;

function hidden(value: unknown): unknown {
  if (!isObject(value)) return value === null ? null : HIDDEN;
  return Object.fromEntries(Object.keys(value).map((key) => [key, HIDDEN]));
}
