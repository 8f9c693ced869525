/** Values as Go's `%v`, `%#v` and `%T` print them in messages. */
import type { JsonValue } from '../../../../api/resource.js';
import { compareBytes } from '../../encoding/canonical.js';
import { printGo } from '../../patch/printgo.js';
import { quoteGo } from '../../quote.js';

/** `%T` of a decoded value. */
export function goType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}

/** `%#v` of a decoded value, truncated. */
export const goSyntax = (value: JsonValue): string => shortened(syntaxOf(value));

function syntaxOf(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quoteGo(value);
  if (typeof value !== 'object') return printGo(value);
  const members = Array.isArray(value)
    ? value.map(syntaxOf)
    : Object.keys(value)
        .sort(compareBytes)
        .map((name) => `${quoteGo(name)}:${syntaxOf(value[name] ?? null)}`);
  return `${goType(value)}{${members.join(', ')}}`;
}

/** `%v` of the library's wrapper around a value, truncated. */
export const goStruct = (value: JsonValue, hidden: boolean): string =>
  `&{${hidden ? '<hidden>' : shortened(printGo(value))}}`;

const LONGEST = 4096;

/** The maximum length of a value in an error. */
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
