/** FieldsV1, the JSON form of field sets (`sigs.k8s.io/structured-merge-diff/v6/fieldpath`, serialize.go). */
import { isObject } from '../../encoding/members.js';
import { ElementError, canonicalElement } from './element.js';
import { EMPTY_SET, LEAF, type FieldNode, type FieldSet } from './fieldset.js';

/** The JSON object of a set; `.` marks a path as a member that longer ones extend. */
export interface FieldsV1 {
  [element: string]: FieldsV1;
}

/** Shared by every leaf of every set: never change it. */
const NOTHING: FieldsV1 = Object.freeze({});

/**
 * Reads parsed JSON. Elements of unknown kinds are dropped with everything below; null counts as `{}`. Throws {@link
 * ElementError}.
 */
export function readFieldsV1(value: unknown): FieldSet {
  return readNode(value).children ?? EMPTY_SET;
}

function readNode(value: unknown): FieldNode {
  if (value === null || value === undefined) return LEAF;
  if (!isObject(value)) throw new ElementError('a field set is a JSON object');
  const fields = value;
  let member = false;
  let children: Map<string, FieldNode> | undefined;
  for (const text of Object.keys(fields)) {
    if (text === '.') {
      member = true;
      continue;
    }
    const step = canonicalElement(text);
    if (step === undefined) continue;
    const node = readNode(fields[text]);
    children ??= new Map();
    const before = children.get(step);
    children.set(step, before?.member === true && !node.member ? { ...node, member: true } : node);
  }
  return children === undefined ? LEAF : { member, children };
}

/** The JSON object of a set, in no particular order; leaves are one shared, frozen object. */
export function fieldsV1Of(set: FieldSet): FieldsV1 {
  const out: FieldsV1 = {};
  for (const [step, node] of set) out[step] = nodeFields(node);
  return out;
}

function nodeFields({ member, children }: FieldNode): FieldsV1 {
  if (children === undefined) return NOTHING;
  const out: FieldsV1 = member ? { '.': NOTHING } : {};
  for (const [step, node] of children) out[step] = nodeFields(node);
  return out;
}
