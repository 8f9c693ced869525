/** Field selectors, with the grammar, order and errors of `k8s.io/apimachinery/pkg/fields`. */
import { badRequest } from '../errors.js';
import { checkLength, checkRequirements } from './limits.js';

interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  /** Unescaped. */
  readonly value: string;
}

export interface FieldSelector {
  /** Whether every object matches. */
  readonly empty: boolean;
  /** All must match; sorted like the terms in the text. */
  readonly requirements: readonly FieldRequirement[];
  /** `get` returns the value of a field, `''` if the object lacks it. */
  matches(get: (field: string) => string): boolean;
  /** The value of the first `=` on this field, which may be `''`; undefined if there is none. */
  exact(field: string): string | undefined;
  /** The canonical text. */
  toString(): string;
}

/** Returns the message of the 400 for a field that the kind cannot select by; undefined for a valid one. */
export type SupportedFields = (field: string) => string | undefined;

function fieldSelector(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    empty: requirements.length === 0,
    requirements,
    matches: (get) =>
      requirements.every(({ field, operator, value }) => (get(field) === value) === (operator === '=')),
    exact: (wanted) =>
      requirements.find(({ field, operator }) => field === wanted && operator === '=')?.value,
    toString: () =>
      requirements
        .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
        .join(','),
  };
}

const EVERYTHING = fieldSelector([]);

/**
 * Parses the `fieldSelector` parameter; `''` matches everything. Throws 400: for its size, then the grammar, then
 * unknown fields.
 */
export function parseFieldSelector(text: string, supported: SupportedFields): FieldSelector {
  if (text === '') return EVERYTHING;
  checkLength('fieldSelector', text);
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const match = /^([^]*?)(!=|==|=)([^]*)$/.exec(term);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator, value = ''] = match;
    requirements.push({ field, operator: operator === '!=' ? '!=' : '=', value: unescapeFieldValue(value) });
    checkRequirements('fieldSelector', requirements);
  }
  for (const { field } of requirements) {
    const refusal = supported(field);
    if (refusal !== undefined) throw badRequest(refusal);
  }
  return fieldSelector(requirements);
}

/** Splits at commas without a preceding backslash; escapes stay. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let position = 0; position < text.length; position++) {
    if (text[position] === '\\') position++;
    else if (text[position] === ',') {
      terms.push(text.slice(start, position));
      start = position + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/** Escapes a value for a selector: `\`, `,` and `=` get a backslash. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/** Decodes the output of {@link escapeFieldValue}. Throws 400 for other escapes and for unescaped `,` and `=`. */
export function unescapeFieldValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  let escaped = false;
  for (const character of text) {
    const special = character === '\\' || character === ',' || character === '=';
    if (escaped && !special)
      throw badRequest(`invalid field selector: invalid escape sequence: \\${character}`);
    if (!escaped && special) {
      if (character !== '\\') {
        throw badRequest(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
      }
      escaped = true;
      continue;
    }
    escaped = false;
    value += character;
  }
  if (escaped) throw badRequest('invalid field selector: invalid escape sequence: \\');
  return value;
}
