import type { JsonValue } from '../../../api/resource.js';
import { compareBytes } from '../encoding/canonical.js';

/** A JSON value as Go's `%v` prints it: `map[a:1 b:[x <nil>]]`, members sorted, texts bare. */
export function printGo(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return printNumber(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(printGo).join(' ')}]`;
  const names = Object.keys(value).sort(compareBytes);
  return `map[${names.map((name) => `${name}:${printGo(value[name] ?? null)}`).join(' ')}]`;
}

const LONGEST_INTEGER = 2 ** 63;

/** Integers of 64 bits whole; others with at least two digits of exponent, from below 1e-4 and from 1e6 on. */
function printNumber(value: number): string {
  const size = Math.abs(value);
  const whole = Number.isInteger(value) && size < LONGEST_INTEGER;
  if (whole) return BigInt(value).toString();
  const text = size >= 1e-4 && size < 1e6 ? String(value) : value.toExponential();
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
