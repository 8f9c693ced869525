/** Lines of fieldset.jsonl. */
import { throws } from 'node:assert/strict';
import type { JsonValue } from '../../../api/resource.js';
import { mergeKindsOf } from '../mergekinds.js';
import { compareTyped } from '../../../pkg/apimachinery/managedfields/typed/compare.js';
import { ElementError, parseElement, printElement, type PathElement } from '../../../pkg/apimachinery/managedfields/fieldpath/element.js';
import { elementText, pathText } from '../../../pkg/apimachinery/managedfields/fieldpath/elementtext.js';
import { difference, equalSets, intersection, leavesOf, pathsOf, recursiveDifference, setOf, sizeOf, union, type FieldSet } from '../../../pkg/apimachinery/managedfields/fieldpath/fieldset.js';
import { fieldsV1Of, readFieldsV1 } from '../../../pkg/apimachinery/managedfields/fieldpath/fieldsv1.js';
import { printFieldsV1 } from '../../../pkg/apimachinery/managedfields/testing/printfieldsv1.js';
import { mergeTyped } from '../../../pkg/apimachinery/managedfields/typed/merge.js';
import { compileMergeType, type MergeType } from '../../../pkg/apimachinery/managedfields/typed/mergeschema.js';
import { removeItems } from '../../../pkg/apimachinery/managedfields/typed/removeitems.js';
import { toFieldSet } from '../../../pkg/apimachinery/managedfields/typed/tofieldset.js';
import { validateValue } from '../../../pkg/apimachinery/managedfields/typed/validate.js';
import { same } from './same.js';

interface Step {
  f?: string;
  k?: Record<string, JsonValue>;
  v?: JsonValue;
  i?: number;
}

export interface FieldSetVector {
  id: string;
  kind: 'read' | 'element' | 'ops';
  in: string;
  out: string;
  element: Step;
  string?: string;
  unknown?: boolean;
  error?: boolean;
  paths: Step[][];
  strings: string[];
  size: number;
  empty: boolean;
  a: string;
  b: string;
  union: string;
  intersection: string;
  difference: string;
  recursiveDifference: string;
  leavesA: string;
  equal: boolean;
}

export interface TypedVector {
  id: string;
  kind: 'typed';
  schema: string;
  a: JsonValue;
  b: JsonValue;
  setA: string;
  compare: { added: string; modified: string; removed: string };
  merge: JsonValue;
  items: string;
  removed: JsonValue;
}

const read = (text: string): FieldSet => readFieldsV1(JSON.parse(text));

function step(element: PathElement | undefined): Step {
  switch (element?.kind) {
    case undefined:
      return {};
    case 'field':
      return { f: element.name };
    case 'key':
      return { k: Object.fromEntries(element.fields.map(({ name, value }) => [name, value])) };
    case 'value':
      return { v: element.value };
    case 'index':
      return { i: element.index };
  }
}

/** `schemas`: the kinds of schemas.json. */
export function fieldSetJudge(
  schemas: Parameters<typeof mergeKindsOf>[0],
): (vector: FieldSetVector | TypedVector) => void {
  const types = new Map(
    [...mergeKindsOf(schemas)].map(([name, { schema }]) => [name, compileMergeType(schema)]),
  );
  return (vector) => {
    if (vector.kind === 'read') return judgeRead(vector);
    if (vector.kind === 'element') return judgeElement(vector);
    if (vector.kind === 'ops') return judgeOperations(vector);
    const typed = vector as TypedVector;
    const type = types.get(typed.schema);
    if (type === undefined) throw new Error(`schemas.json has no ${typed.schema}`);
    judgeTyped(type, typed);
  };
}

function judgeRead(vector: FieldSetVector): void {
  if (vector.error === true) return throws(() => read(vector.in));
  const set = read(vector.in);
  same(printFieldsV1(set), vector.out);
  const paths = pathsOf(set);
  same(
    paths.map((path) => path.map((text) => step(parseElement(text)))),
    vector.paths,
  );
  same(paths.map(pathText), vector.strings);
  same(sizeOf(set), vector.size);
  same(set.size === 0, vector.empty);
  same(equalSets(setOf(...paths), set), true);
  same(fieldsV1Of(set), JSON.parse(vector.out));
}

function judgeElement(vector: FieldSetVector): void {
  if (vector.error === true) return throws(() => parseElement(vector.in), ElementError);
  const element = parseElement(vector.in);
  if (vector.unknown === true || element === undefined) {
    same(element === undefined, vector.unknown === true);
    return;
  }
  same(step(element), vector.element);
  same(printElement(element), vector.out);
  if (vector.string !== undefined) same(elementText(element), vector.string);
}

function judgeOperations(vector: FieldSetVector): void {
  const a = read(vector.a);
  const b = read(vector.b);
  same(printFieldsV1(union(a, b)), vector.union);
  same(printFieldsV1(intersection(a, b)), vector.intersection);
  same(printFieldsV1(difference(a, b)), vector.difference);
  same(printFieldsV1(recursiveDifference(a, b)), vector.recursiveDifference);
  same(printFieldsV1(leavesOf(a)), vector.leavesA);
  same(equalSets(a, b), vector.equal);
}

function judgeTyped(type: MergeType, vector: TypedVector): void {
  const { a, b } = vector;
  same([validateValue(type, a, true), validateValue(type, b, true)], [[], []]);
  same(printFieldsV1(toFieldSet(type, a)), vector.setA);
  const { added, modified, removed } = compareTyped(type, a, b);
  const compared = {
    added: printFieldsV1(added),
    modified: printFieldsV1(modified),
    removed: printFieldsV1(removed),
  };
  same(compared, vector.compare);
  const items = read(vector.items);
  same(removeItems(type, a, items), vector.removed);
  same(mergeTyped(type, a, b), vector.merge);
}
