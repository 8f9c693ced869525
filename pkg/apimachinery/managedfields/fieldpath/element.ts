/**
 * Path elements as in FieldsV1: `f:<name>`, `k:{"key":value}`, `v:<value>`, `i:<index>`. An element is represented by
 * its canonical text, so that equal elements are equal strings (`sigs.k8s.io/structured-merge-diff/v6/fieldpath`,
 * serialize-pe.go).
 */
import { parseStored } from '../../encoding/parsestored.js';
import type { JsonValue } from '../../../../api/resource.js';
import { compareBytes, encodeValue } from '../../encoding/canonical.js';
import { encodeString } from '../../encoding/gostring.js';
import { quoteGo } from '../../quote.js';
import { compareValues } from './order.js';
import { parseJson } from '../../encoding/depth.js';
import { endOfString } from '../../../../api/exactjson.js';

/**
 * The members of a JSON object's text, each as the texts of its name and value. Unlike a parsed object it keeps
 * members of the same name apart, as FieldsV1 does in its keys. `text` must be a valid JSON object.
 */
function splitMembers(text: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  let depth = 0;
  let from = text.indexOf('{') + 1;
  let colon = -1;
  const end = text.lastIndexOf('}');
  const close = (to: number): void => {
    if (colon >= 0) members.push([text.slice(from, colon), text.slice(colon + 1, to)]);
    from = to + 1;
    colon = -1;
  };
  for (let i = from; i < end; i++) {
    const character = text[i];
    if (character === '"') i = endOfString(text, i);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (depth === 0 && character === ':' && colon < 0) colon = i;
    else if (depth === 0 && character === ',') close(i);
  }
  close(end);
  return members;
}

/** A path element: a member of a map, an item of a list by its keys, a member of a set, an index. */
export type PathElement =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly fields: readonly KeyField[] }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'index'; readonly index: number };

export interface KeyField {
  readonly name: string;
  readonly value: JsonValue;
}

/** An invalid path element. */
export class ElementError extends Error {
  override readonly name = 'ElementError';
}

export const fieldElement = (name: string): string => `f:${name}`;
export const valueElement = (value: JsonValue): string => `v:${valueText(value)}`;

/** `fields` sorted by name. */
export function keyElement(fields: readonly KeyField[]): string {
  return `k:{${fields.map(({ name, value }) => `${encodeString(name)}:${valueText(value)}`).join(',')}}`;
}

const valueText = (value: JsonValue): string => (Object.is(value, -0) ? '-0' : encodeValue(value));

/** Undefined for an unknown kind of element, which a later version may have. Throws {@link ElementError}. */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new ElementError('key must be 2 characters long:');
  if (text[1] !== ':' || text.charCodeAt(0) > 0x7f) throw new ElementError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return { kind: 'field', name: content };
    case 'k':
      return { kind: 'key', fields: parseKey(content) };
    case 'v':
      return { kind: 'value', value: valueIn(content) };
    case 'i':
      if (!/^[+-]?\d{1,15}$/.test(content))
        throw new ElementError(`parsing ${quoteGo(content)}: invalid syntax`);
      return { kind: 'index', index: Number(content) };
    default:
      return undefined;
  }
}

function parseKey(text: string): KeyField[] {
  const value = valueIn(text);
  if (value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) throw new ElementError(`no key: ${text}`);
  const fields = splitMembers(text).map(([name, member]) => ({
    name: String(JSON.parse(name)),
    value: parseStored<JsonValue>(member),
  }));
  return fields.sort((a, b) => compareBytes(a.name, b.name));
}

function valueIn(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new ElementError(`no JSON: ${text}`, { cause: error });
  }
}

/** The canonical text of an element. */
export function printElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return fieldElement(element.name);
    case 'key':
      return keyElement(element.fields);
    case 'value':
      return valueElement(element.value);
    case 'index':
      return `i:${element.index}`;
  }
}

/** The canonical text of a parsed element; undefined for an unknown kind. Throws {@link ElementError}. */
export function canonicalElement(text: string): string | undefined {
  if (text.startsWith('f:')) return text;
  const element = parseElement(text);
  return element === undefined ? undefined : printElement(element);
}

const KINDS: readonly PathElement['kind'][] = ['field', 'key', 'value', 'index'];

/** Compares canonical texts by the order of elements: fields, keys, values, indices; numbers as numbers. */
export function sortElements(texts: Iterable<string>): string[] {
  const elements = Array.from(texts, (text) => ({ text, element: parseElement(text) }));
  return elements.sort((a, b) => compareElements(a.element, b.element)).map(({ text }) => text);
}

function compareElements(a: PathElement | undefined, b: PathElement | undefined): number {
  if (a?.kind === 'field' && b?.kind === 'field') return compareBytes(a.name, b.name);
  if (a?.kind === 'key' && b?.kind === 'key') return compareKeys(a.fields, b.fields);
  if (a?.kind === 'value' && b?.kind === 'value') return compareValues(a.value, b.value);
  if (a?.kind === 'index' && b?.kind === 'index') return a.index - b.index;
  return rankOf(a) - rankOf(b);
}

const rankOf = (element: PathElement | undefined): number =>
  element === undefined ? KINDS.length : KINDS.indexOf(element.kind);

function compareKeys(a: readonly KeyField[], b: readonly KeyField[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const left = a[i]!;
    const right = b[i]!;
    const order = compareBytes(left.name, right.name) || compareValues(left.value, right.value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
