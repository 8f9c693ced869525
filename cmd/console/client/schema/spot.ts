/** The position of the cursor in an object whose text is unfinished. */
import { isMap, isPair, isScalar, isSeq, parseDocument, visit, type Document } from 'yaml';
import type { Step } from './schema.js';

export interface Spot {
  /** `name`: the name of a field or an item is typed; `value`: the value of the field at `path`. */
  readonly what: 'name' | 'value';
  /** For a name: the path of the parent. */
  readonly path: readonly Step[];
  /** The range of the text to replace; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** The sibling names that already exist. */
  readonly beside: readonly string[];
  /** The column in which the name begins. */
  readonly column: number;
  /** Whether a colon follows. */
  readonly hasColon: boolean;
}

/** Replaces the text that is being typed; no field has such a name. */
const MARK = '__cursor__';
const NAME = /^((?: *- +)* *)([\w.$/-]*)$/;
const VALUE = /^((?: *- +)* *[\w.$/-]+: +)([\w.$/-]*)$/;
const REST = /^([\w.$/-]*)(\s*:)?/;

/** Undefined if nothing can be completed: in a comment, in a multi-line string, in `{…}`. */
export function spotAt(text: string, at: number): Spot | undefined {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at);
  const before = text.slice(start, at);
  const [, tail = '', colon] = REST.exec(text.slice(at, end)) ?? [];
  const [name, value] = [NAME.exec(before), VALUE.exec(before)];
  const [, lead = '', typed = ''] = name ?? value ?? [];
  if (name === null && value === null) return undefined;
  const marked = text.slice(0, start) + lead + MARK + (name ? ':' : '') + text.slice(end);
  const found = placeOfMark(parseDocument(marked, { uniqueKeys: false, prettyErrors: false }), name !== null);
  if (found === undefined) return undefined;
  return {
    what: name ? 'name' : 'value',
    ...found,
    from: at - typed.length,
    to: at + tail.length,
    column: lead.length,
    hasColon: colon !== undefined,
  };
}

function placeOfMark(document: Document, isName: boolean): Pick<Spot, 'path' | 'beside'> | undefined {
  let found: Pick<Spot, 'path' | 'beside'> | undefined;
  visit(document, {
    Scalar(key, node, ancestors) {
      if (node.value !== MARK || (key === 'key') !== isName) return undefined;
      const path = stepsTo([...ancestors, node]);
      const map = ancestors.findLast(isMap);
      const names = map?.items.map((pair) => (isScalar(pair.key) ? String(pair.key.value) : '')) ?? [];
      found = isName
        ? { path: path.slice(0, -1), beside: names.filter((name) => name !== MARK) }
        : { path, beside: [] };
      return visit.BREAK;
    },
  });
  return found;
}

/** The names and indexes on the path through nodes, each of which is a child of the one before. */
function stepsTo(nodes: readonly unknown[]): Step[] {
  return nodes.flatMap((node, at): Step[] => {
    if (isPair(node)) return isScalar(node.key) ? [String(node.key.value)] : [];
    return isSeq(node) ? [node.items.indexOf(nodes[at + 1])] : [];
  });
}
