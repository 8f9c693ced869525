/** Formats elements and paths for errors: `.spec.items[name="a",port=80].x`, `[="v"]`, `[0]`. */
import type { JsonValue } from '../../../../api/resource.js';
import { sortedMembers } from '../../encoding/canonical.js';
import { quoteGo } from '../../quote.js';
import { parseElement, type PathElement } from './element.js';

export function pathText(path: readonly string[]): string {
  return path.map((element) => elementText(parseElement(element))).join('');
}

export function elementText(element: PathElement | undefined): string {
  switch (element?.kind) {
    case undefined:
      return '';
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.fields.map(({ name, value }) => `${name}=${valueText(value)}`).join(',')}]`;
    case 'value':
      return `[=${valueText(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}

function valueText(value: JsonValue): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return quoteGo(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return sortedMembers(value)
    .map((name) => `${name}=${valueText(value[name] ?? null)}`)
    .join('');
}

/** Go's `%v` of a float64, its type of every number in a field set: with an exponent from a million on. A `bigint` has all digits. */
function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < LARGE_EXPONENT)) return String(value);
  const sign = power < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

const LARGE_EXPONENT = 6;
