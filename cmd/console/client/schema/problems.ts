/**
 * Errors in the YAML of an object, and their positions: syntax errors, and errors from the schema and from the server.
 */
import { isMap, isNode, isScalar, isSeq, parseDocument, type Document, type Node } from 'yaml';
import type { StatusCause } from '../../../../api/client/apierror.js';
import { isClosed, typeOf, type KindSchema, type Schema, type Step } from './schema.js';
import { LONGEST_TEXT } from './offers.js';
import { MAX_DEPTH, tooDeepAt } from './yamldepth.js';

export interface Problem {
  /** Offset, in characters. */
  readonly from: number;
  readonly to: number;
  /** The number of the line; the first is 1. */
  readonly line: number;
  readonly what:
    | { readonly is: 'syntax' | 'server'; readonly message: string }
    | { readonly is: 'tooDeep'; readonly most: number }
    | { readonly is: 'unknownField'; readonly field: string; readonly known: readonly string[] }
    | { readonly is: 'type' | 'value'; readonly field: string; readonly wanted: string };
}

/** The maximum number of problems that are reported for one text. */
const MAX = 50;

/** Problems, ordered by position. `causes`: the server's errors about this text. */
export function problemsIn(
  text: string,
  kind: KindSchema | undefined,
  causes: readonly StatusCause[] = [],
): Problem[] {
  if (text.length > LONGEST_TEXT) return [];
  const end = Math.max(0, text.length - 1);
  const deep = tooDeepAt(text);
  if (deep !== undefined) {
    const from = Math.min(deep, end);
    return [{ from, to: from + 1, line: lineAt(text, from), what: { is: 'tooDeep', most: MAX_DEPTH } }];
  }
  const document = parseDocument(text, { prettyErrors: false });
  const found: Found = document.errors.map(({ pos: [from, to], message }) => ({
    from: Math.min(from, end),
    to: Math.max(Math.min(to, text.length), Math.min(from, end) + 1),
    what: { is: 'syntax', message },
  }));
  // The content of invalid YAML is ambiguous, so it is not checked.
  if (kind !== undefined && found.length === 0) check(document.contents, [], kind, found);
  for (const { field = '', message = '' } of causes) {
    const range = field === '' ? undefined : rangeOf(document, stepsOf(field));
    if (range !== undefined)
      found.push({ ...range, what: { is: 'server', message: `${field}: ${message}` } });
  }
  return found
    .sort((one, other) => one.from - other.from)
    .slice(0, MAX)
    .map((problem) => ({ ...problem, line: lineAt(text, problem.from) }));
}

/** The number of the line; the first is 1. */
const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

type Found = Omit<Problem, 'line'>[];

/** Reports schema errors of a node and its children. */
function check(node: unknown, path: readonly Step[], kind: KindSchema, found: Found): void {
  const schema = found.length < MAX ? kind.at(path) : undefined;
  if (schema === undefined || !isNode(node) || (isScalar(node) && node.value === null)) return;
  const { properties = {} } = schema;
  const field = pathText(path);
  if (!fits(node, schema)) {
    found.push({ ...placeOf(node), what: { is: 'type', field, wanted: typeOf(schema) } });
  } else if (isScalar(node) && schema.enum !== undefined && !schema.enum.includes(node.value)) {
    found.push({ ...placeOf(node), what: { is: 'value', field, wanted: schema.enum.join(', ') } });
  } else if (isSeq(node)) {
    node.items.forEach((item, at) => check(item, [...path, at], kind, found));
  } else if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      if (isClosed(schema) && !Object.hasOwn(properties, name)) {
        const known = Object.keys(properties);
        found.push({
          ...placeOf(key),
          what: { is: 'unknownField', field: pathText([...path, name]), known },
        });
      } else check(value, [...path, name], kind, found);
    }
  }
}

/** Whether a node has the type that its schema requires. */
function fits(node: Node, { type }: Schema): boolean {
  switch (type) {
    case 'object':
      return isMap(node);
    case 'array':
      return isSeq(node);
    case 'string':
    case 'boolean':
      return isScalar(node) && typeof node.value === type;
    case 'integer':
    case 'number':
      return isScalar(node) && typeof node.value === 'number';
    default:
      return true;
  }
}

const placeOf = ({ range }: Node): { from: number; to: number } => {
  const [from, to] = range ?? [0, 1];
  return { from, to: Math.max(to, from + 1) };
};

const pathText = (path: readonly Step[]): string =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`)).join('');

/** The steps of a field as the server writes it: `spec.access[0].verbs`, `metadata.labels[a.b/c]`. */
const stepsOf = (field: string): Step[] =>
  [...field.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([whole, inside]) =>
    inside === undefined ? whole : /^\d+$/.test(inside) ? Number(inside) : inside.replace(/^"|"$/g, ''),
  );

/** The position of a field; of its parent if the field is absent. */
function rangeOf(document: Document, path: readonly Step[]): { from: number; to: number } | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(last))
      : undefined;
    const item = isSeq(parent) && typeof last === 'number' ? parent.items[last] : undefined;
    const node = pair?.key ?? item;
    if (isNode(node))
      return isMap(node) ? { from: placeOf(node).from, to: placeOf(node).from + 1 } : placeOf(node);
  }
  return undefined;
}
