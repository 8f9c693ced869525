import { LAST_APPLIED } from '../managedfields/writeonly.js';
import { isObject, type JsonSchema } from './jsonschema.js';

const HIDDEN = '***';

const known = new WeakMap<JsonSchema, boolean>();

/** Whether the schema marks anything `x-sensitive`, at any depth. */
function mayHide(schema: JsonSchema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  known.set(schema, false);
  const below = [schema.items, schema.additionalProperties, ...Object.values(schema.properties ?? {})];
  const answer =
    schema['x-sensitive'] === true || below.some((each) => typeof each === 'object' && mayHide(each));
  known.set(schema, answer);
  return answer;
}

/** What a place in an object is or holds, by the schema: a sensitive value, such values further below, or none. */
export type Sensitivity = 'sensitive' | 'holds sensitive' | 'none';

/** Where `kubectl apply` notes all of an object. */
const NOTED: JsonSchema = {
  properties: {
    annotations: {
      properties: { [LAST_APPLIED]: { 'x-sensitive': true } },
    },
  },
};

/** The schema of a kind, in which kubectl's annotation is sensitive if anything else is. */
export const withNotedObject = (schema: JsonSchema): JsonSchema =>
  mayHide(schema) ? { ...schema, properties: { ...schema.properties, metadata: NOTED } } : schema;

/** `path`: names of members, keys and indices from the root of an object. */
export function sensitivityOf(schema: JsonSchema, path: readonly string[]): Sensitivity {
  let at: JsonSchema | boolean | undefined = schema;
  for (const name of path) {
    if (typeof at !== 'object') return 'none';
    if (at['x-sensitive'] === true) return 'sensitive';
    at = at.properties?.[name] ?? at.additionalProperties ?? at.items;
  }
  if (typeof at !== 'object') return 'none';
  if (at['x-sensitive'] === true) return 'sensitive';
  return mayHide(at) ? 'holds sensitive' : 'none';
}

/** Returns `value`, or a copy with all `x-sensitive` values redacted; keys of maps stay. */
export function hideSensitive(schema: JsonSchema, value: unknown): unknown {
  if (!mayHide(schema)) return value;
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
