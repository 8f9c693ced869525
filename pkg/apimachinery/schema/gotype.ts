/** The errors of Go's JSON decoder for a value of the wrong type. */
import { base64Fault } from './base64.js';
import { parseTime } from './gotime.js';
import type { JsonSchema } from './jsonschema.js';
import { pointerSteps, type ErrorObject } from './validator.js';

/** The schema of a number in a list of bytes. */
export const UINT8: JsonSchema = { type: 'integer', format: 'uint8' };

/** `root`: the schema of the Go struct `kind`. The error names the innermost struct and the path of fields. */
export function decodeSentence(error: ErrorObject, kind: string, root: JsonSchema): string {
  const schema: JsonSchema = error.parentSchema ?? {};
  const value: unknown = error.data;
  if (error.keyword === 'format' && typeof value === 'string') {
    if (schema.format === 'byte') return `illegal base64 data at input byte ${base64Fault(value)}`;
    const parsed = parseTime(value, schema.format === 'micro-time' ? 'micro' : 'seconds');
    if ('fault' in parsed) return parsed.fault;
  }
  const field = goField(pointerSteps(error.instancePath), kind, root);
  return `json: cannot unmarshal ${jsonType(value, schema)} into Go struct field ${field} of type ${goType(schema)}`;
}

/** `ObjectMeta.metadata.labels`: keys of maps and indexes of lists do not count. */
function goField(steps: readonly string[], kind: string, root: JsonSchema): string {
  let schema: JsonSchema = root;
  let struct = kind;
  const fields: string[] = [];
  for (const step of steps) {
    const { properties, items, additionalProperties } = schema;
    if (properties !== undefined) {
      if (fields.length > 0) struct = structName(schema) ?? struct;
      fields.push(step);
    }
    const values = typeof additionalProperties === 'object' ? additionalProperties : {};
    schema = properties === undefined ? (items ?? values) : (properties[step] ?? {});
  }
  return [struct, ...fields].join('.');
}

const structName = (schema: JsonSchema): string | undefined => schema['x-component']?.split('.').at(-1);

function jsonType(value: unknown, { format }: JsonSchema): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' && (format === UINT8.format || !Number.isSafeInteger(value)))
    return `number ${value}`;
  return typeof value === 'bigint' ? `number ${value}` : typeof value;
}

function goType(schema: JsonSchema): string {
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'integer':
      return INTEGERS[schema.format ?? ''] ?? 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'array':
      return `[]${goType(schema.items ?? {})}`;
    case 'object':
      if (typeof schema.additionalProperties !== 'object') return componentType(schema);
      return `map[string]${goType(schema.additionalProperties)}`;
    default:
      return schema.format === 'byte' ? '[]uint8' : 'string';
  }
}

const INTEGERS: Readonly<Record<string, string>> = { int32: 'int32', uint8: 'uint8' };

/** `v1.NamespaceSpec` of `io.k8s.api.core.v1.NamespaceSpec`. */
function componentType(schema: JsonSchema): string {
  const name = schema['x-component']?.split('.').slice(-2).join('.');
  return name ?? 'map[string]interface {}';
}
