import type { JsonValue } from '../../../api/resource.js';
import { compareBytes } from '../encoding/canonical.js';

/** A JSON value as Go's `%v` prints it: `map[a:1 b:[x <nil>]]`, members sorted, texts bare. */
export function printGo(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return printNumber(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(printGo).join(' ')}]`;
  const names = Object.keys(value).sort(compareBytes);
  return `map[${names.map((name) => `${name}:${printGo(value[name] as JsonValue)}`).join(' ')}]`;
}

/** Integers whole; others with at least two digits of exponent, from below 1e-4 and from 1e21 on. */
function printNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
