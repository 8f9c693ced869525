/** The sentences in which Go's JSON decoder refuses a value of the wrong type. */
import { printValue } from '../errors.js';
import { base64Fault } from './formats.js';
import type { JsonSchema } from './jsonschema.js';
import type { ErrorObject } from './validator.js';
import { pointerSteps } from './fielderrors.js';

/** `kind`: the Go struct at the root, as the sentence names the field: `ConfigMap.data`. */
export function decodeSentence(error: ErrorObject, kind: string): string {
  const schema = (error.parentSchema ?? {}) as JsonSchema;
  const value: unknown = error.data;
  if (error.keyword === 'format') {
    if (schema.format === 'byte') return `illegal base64 data at input byte ${base64Fault(value as string)}`;
    if (schema.format === 'date-time') return timeSentence(value as string, '2006-01-02T15:04:05Z07:00');
    if (schema.format === 'micro-time')
      return timeSentence(value as string, '2006-01-02T15:04:05.000000Z07:00');
  }
  const steps = pointerSteps(error.instancePath).filter((step) => !/^\d+$/.test(step));
  return `json: cannot unmarshal ${jsonType(value)} into Go struct field ${[kind, ...steps].join('.')} of type ${goType(schema)}`;
}

function timeSentence(text: string, layout: string): string {
  return `parsing time ${printValue(text)} as "${layout}": cannot parse ${printValue(text)}`;
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return `number ${value}`;
  return typeof value;
}

function goType(schema: JsonSchema): string {
  const type = Array.isArray(schema.type) ? (schema.type[0] as string) : schema.type;
  switch (type) {
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'array':
      return `[]${goType(schema.items ?? {})}`;
    case 'object':
      if (typeof schema.additionalProperties !== 'object') return componentType(schema);
      return `map[string]${schema.additionalProperties.format === 'byte' ? '[]uint8' : goType(schema.additionalProperties)}`;
    default:
      return 'string';
  }
}

/** `v1.NamespaceSpec` of `io.k8s.api.core.v1.NamespaceSpec`. */
function componentType(schema: JsonSchema): string {
  const name = schema['x-component']?.split('.').slice(-2).join('.');
  return name ?? 'map[string]interface {}';
}
