/**
 * Writes JSON values as YAML in linear time, and in a tenth of the library's, which first creates a node for each
 * value. Plain strings need no library; it writes all others.
 */
import type { StringifyContext } from 'yaml/util';
import { sortedMembers } from '../canonical.js';
import { yamlPackage, yamlUtilities } from './yamlpackage.js';
import { resolvePlain } from './yamlscalar.js';

/** Strings that the library always writes plain, and reads as text unless they are a word or a number. */
const PLAIN = /^[A-Za-z_/](?:[A-Za-z0-9_/.+=:-]*[A-Za-z0-9_/.+=-])?$/;
const EXPONENT = /^[eE][-+]?[0-9]+$/;
/** Longer keys are written after a question mark. */
const LONGEST_KEY = 1024;
/** Characters that YAML 1.1 does not allow, or has as line breaks. The library leaves most of them as they are. */
const ESCAPED = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** A text without a line that has more than spaces, or whose first such begins with a tab: neither makes an indent. */
const INDENTS_NOTHING = /^\s*(?:\t|$)/;
/** Strings that the library writes plain, and Kubernetes reads as other types. */
const LIBRARY_LEAVES_PLAIN = new Set(['<<', '=']);

const STEP = '  ';
const OPTIONS = { lineWidth: 0, minContentWidth: 0, indentSeq: false, blockQuote: 'literal' } as const;

/** The approximate size of a chunk, in characters. */
const PIECE = 16 * 1024;

type Collection = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Block style, keys sorted, lists not indented; without a newline at the end. */
export function writeYaml(value: unknown): string {
  let text = '';
  for (const piece of yamlChunks(value)) text += piece;
  return text;
}

/** The same in chunks. `indent` precedes each line but the first. */
export function* yamlChunks(value: unknown, indent = ''): Generator<string> {
  const out: Output = { text: '' };
  for (const full of write(out, value, indent)) {
    yield full;
    out.text = '';
  }
  yield out.text;
}

interface Output {
  text: string;
}

/** Yields whenever a chunk is complete, which the caller takes. */
function* write(out: Output, value: unknown, indent: string): Generator<string> {
  if (isCollection(value)) yield* collection(out, value, namesIn(value), indent);
  else out.text += scalar(value, indent, false);
}

/** The defined members of a map, in order; the length of a list. */
function namesIn(value: Collection): readonly string[] | number {
  if (Array.isArray(value)) return value.length;
  // Array.isArray does not narrow readonly lists.
  const map = value as Readonly<Record<string, unknown>>;
  const names = sortedMembers(map);
  return names.some((name) => map[name] === undefined)
    ? names.filter((name) => map[name] !== undefined)
    : names;
}

const isEmpty = (names: readonly string[] | number): boolean =>
  typeof names === 'number' ? names === 0 : names.length === 0;

function* collection(
  out: Output,
  value: Collection,
  names: readonly string[] | number,
  indent: string,
): Generator<string> {
  // A number stands for a list's length.
  if (isEmpty(names)) out.text += typeof names === 'number' ? '[]' : '{}';
  else if (typeof names === 'number') yield* list(out, value as readonly unknown[], indent);
  else yield* map(out, value as Readonly<Record<string, unknown>>, names, indent);
}

function* list(out: Output, items: readonly unknown[], indent: string): Generator<string> {
  const inner = indent + STEP;
  let separator = '';
  for (const item of items) {
    out.text += `${separator}- `;
    separator = `\n${indent}`;
    if (isCollection(item)) yield* write(out, item, inner);
    else out.text += scalar(item, inner, false);
    if (out.text.length > PIECE) yield out.text;
  }
}

function* map(
  out: Output,
  members: Readonly<Record<string, unknown>>,
  names: readonly string[],
  indent: string,
): Generator<string> {
  const inner = indent + STEP;
  let separator = '';
  for (const name of names) {
    const value = members[name];
    const key = scalar(name, inner, true);
    const explicit = key.length > LONGEST_KEY;
    out.text += separator + (explicit ? `? ${key}\n${indent}:` : `${key}:`);
    separator = `\n${indent}`;
    if (isCollection(value)) yield* below(out, value, indent, explicit);
    else out.text += ` ${scalar(value, inner, false)}`;
    if (out.text.length > PIECE) yield out.text;
  }
}

/** Writes the collection of a key on separate lines, unless it is empty or the key has a question mark. */
function below(out: Output, value: Collection, indent: string, explicit: boolean): Generator<string> {
  const names = namesIn(value);
  const lines = !explicit && !isEmpty(names);
  const inner = lines && typeof names === 'number' ? indent : indent + STEP;
  out.text += lines ? `\n${inner}` : ' ';
  return collection(out, value, names, inner);
}

const isCollection = (value: unknown): value is Collection => typeof value === 'object' && value !== null;

function scalar(value: unknown, indent: string, implicitKey: boolean): string {
  if (typeof value === 'string') return string(value, indent, implicitKey);
  if (Object.is(value, -0)) return '-0';
  return JSON.stringify(value) ?? 'null';
}

function string(value: string, indent: string, implicitKey: boolean): string {
  const text = resolvePlain(value) === value;
  if (text && PLAIN.test(value) && !EXPONENT.test(value)) return value;
  if (value.search(ESCAPED) !== -1 || INDENTS_NOTHING.test(value)) return escaped(value);
  const ambiguous = !text || LIBRARY_LEAVES_PLAIN.has(value);
  const item = { value, ...(ambiguous && { type: 'QUOTE_DOUBLE' as const }) };
  return yamlUtilities().stringifyString(item, { ...context(), indent, implicitKey });
}

/** In double quotes, on one line. */
const escaped = (value: string): string =>
  JSON.stringify(value).replace(
    ESCAPED,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

let known: StringifyContext | undefined;

/** The arguments that the library's writer of YAML 1.1 documents passes to its writer of strings. */
const context = (): StringifyContext => (known ??= makeContext());

function makeContext(): StringifyContext {
  const { Document } = yamlPackage();
  const doc = new Document(null, {
    version: '1.1',
    schema: 'yaml-1.1',
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !tag.tag.endsWith(':merge')),
  });
  return {
    actualString: true,
    anchors: new Set(),
    doc,
    flowCollectionPadding: ' ',
    indent: '',
    indentStep: STEP,
    inFlow: null,
    // The options that the writer of strings reads.
    options: {
      commentString: String,
      defaultKeyType: null,
      defaultStringType: 'PLAIN',
      directives: null,
      doubleQuotedAsJSON: false,
      doubleQuotedMinMultiLineLength: 40,
      singleQuote: null,
      ...OPTIONS,
    } as unknown as StringifyContext['options'],
  };
}
