/**
 * Converts values that Go does not store as JSON's text to the text that Go writes: bytes (`[]byte`: base64, or a
 * list of numbers) and times (`metav1.Time`, `metav1.MicroTime`).
 */
import { MICRO_TIME, TIME } from '../../../api/meta/v1/schema.js';
import { canonicalBase64 } from './base64.js';
import { isZeroTime, parseTime, type TimeForm } from './gotime.js';
import { isObject, type JsonSchema } from './jsonschema.js';

/** Modifies `value` and returns its replacement. Values of the wrong type are unchanged. */
export type Rewrite = (value: unknown) => unknown;

/** Undefined if the schema has no such values. `bytes`: whether to convert those. */
export function goForms(schema: JsonSchema, bytes: boolean): Rewrite | undefined {
  if (schema['x-component'] === TIME) return timeRewrite('seconds', schema.default === null);
  if (schema['x-component'] === MICRO_TIME) return timeRewrite('micro', schema.default === null);
  if (schema.format === 'byte') return bytes ? rewriteBytes : undefined;
  if (schema.properties !== undefined) return structRewrite(schema.properties, bytes);
  const inner = schema.items ?? schema.additionalProperties;
  const rewrite = typeof inner === 'object' ? goForms(inner, bytes) : undefined;
  return rewrite && ((value) => rewriteMembers(value, rewrite));
}

function structRewrite(
  properties: Readonly<Record<string, JsonSchema>>,
  bytes: boolean,
): Rewrite | undefined {
  const steps = Object.entries(properties).flatMap(([name, property]): [string, Rewrite][] => {
    const rewrite = goForms(property, bytes);
    return rewrite === undefined ? [] : [[name, rewrite]];
  });
  if (steps.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    for (const [name, rewrite] of steps) {
      if (value[name] !== undefined) value[name] = rewrite(value[name]);
    }
    return value;
  };
}

function rewriteMembers(value: unknown, rewrite: Rewrite): unknown {
  if (Array.isArray(value)) value.forEach((item, index) => (value[index] = rewrite(item)));
  else if (isObject(value)) for (const key of Object.keys(value)) value[key] = rewrite(value[key]);
  return value;
}

const timeRewrite =
  (form: TimeForm, zeroIsNull: boolean): Rewrite =>
  (value) => {
    if (typeof value !== 'string') return value;
    const parsed = parseTime(value, form);
    if ('fault' in parsed) return value;
    return zeroIsNull && isZeroTime(parsed.text) ? null : parsed.text;
  };

function rewriteBytes(value: unknown): unknown {
  if (typeof value === 'string') return canonicalBase64(value);
  return Array.isArray(value) ? Buffer.from(value.map(Number)).toString('base64') : value;
}
