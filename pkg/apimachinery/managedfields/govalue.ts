/** Values as Go's `%v`, `%#v` and `%T` print them in messages. What is in maps and lists is left out. */
import type { JsonValue } from '../../../api/resource.js';
import { quoteGo } from '../quote.js';

/** `%T` of a decoded value. */
export function goType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}

/** `%#v` of a decoded value. */
export function goSyntax(value: JsonValue): string {
  if (typeof value === 'string') return quoteGo(shortened(value));
  return typeof value === 'object' ? `${goType(value)}{…}` : String(value);
}

/** `%v` of the library's wrapper around a value. */
export function goStruct(value: JsonValue, hidden: boolean): string {
  if (hidden) return '&{<hidden>}';
  return typeof value === 'object' ? `&{${goType(value)}{…}}` : `&{${shortened(String(value))}}`;
}

const LONGEST = 128;

/** A message need not repeat megabytes. */
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
