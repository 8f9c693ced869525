/** Field sets and typed operations against what `structured-merge-diff` computed. */
import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../api/resource.js';
import { readMergeKinds } from '../../../test/vectors/mergekinds.js';
import { readVectors } from '../../../test/vectors/read.js';
import { compareTyped } from './compare.js';
import type { PathElement } from './element.js';
import { ElementError, parseElement, printElement } from './element.js';
import { elementText, pathText } from './elementtext.js';
import type { FieldSet } from './fieldset.js';
import {
  difference,
  equalSets,
  intersection,
  leavesOf,
  pathsOf,
  recursiveDifference,
  setOf,
  sizeOf,
  union,
} from './fieldset.js';
import { fieldsV1Of, printFieldsV1, readFieldsV1 } from './fieldsv1.js';
import { mergeTyped } from './merge.js';
import { compileMergeType } from './mergeschema.js';
import { extractItems, removeItems } from './removeitems.js';
import { toFieldSet } from './tofieldset.js';
import { validateValue } from './validate.js';

interface Step {
  f?: string;
  k?: Record<string, JsonValue>;
  v?: JsonValue;
  i?: number;
}

interface Vector {
  id: string;
  kind: 'read' | 'element' | 'ops' | 'typed';
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

interface TypedVector {
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
  extracted: JsonValue;
}

/** Where the vectors hold what Kubernetes 1.37 no longer does. */
const CHANGED = new Map([['read/named/47', 'text after the end is an error since 1.37']]);

const vectors = readVectors<Vector>('fieldset');
const of = (kind: Vector['kind']): [string, Vector][] =>
  vectors.filter((vector) => vector.kind === kind).map((vector) => [vector.id, vector]);
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

describe('reading', () => {
  test.each(of('read'))('%s', (id, vector) => {
    if (vector.error === true || CHANGED.has(id)) {
      expect(() => read(vector.in)).toThrow();
      return;
    }
    const set = read(vector.in);
    expect(printFieldsV1(set)).toBe(vector.out);
    const paths = pathsOf(set);
    expect(paths.map((path) => path.map((text) => step(parseElement(text))))).toEqual(vector.paths);
    expect(paths.map(pathText)).toEqual(vector.strings);
    expect(sizeOf(set)).toBe(vector.size);
    expect(set.size === 0).toBe(vector.empty);
    expect(equalSets(setOf(...paths), set)).toBe(true);
    expect(fieldsV1Of(set)).toEqual(JSON.parse(vector.out));
  });
});

describe('elements', () => {
  test.each(of('element'))('%s', (_id, vector) => {
    if (vector.error === true) {
      expect(() => parseElement(vector.in)).toThrow(ElementError);
      return;
    }
    const element = parseElement(vector.in);
    if (vector.unknown === true || element === undefined) {
      expect(element === undefined).toBe(vector.unknown === true);
      return;
    }
    expect(step(element)).toEqual(vector.element);
    expect(printElement(element)).toBe(vector.out);
    if (vector.string !== undefined) expect(elementText(element)).toBe(vector.string);
  });
});

describe('operations', () => {
  test.each(of('ops'))('%s', (_id, vector) => {
    const a = read(vector.a);
    const b = read(vector.b);
    expect({
      union: printFieldsV1(union(a, b)),
      intersection: printFieldsV1(intersection(a, b)),
      difference: printFieldsV1(difference(a, b)),
      recursiveDifference: printFieldsV1(recursiveDifference(a, b)),
      leavesA: printFieldsV1(leavesOf(a)),
      equal: equalSets(a, b),
    }).toEqual({
      union: vector.union,
      intersection: vector.intersection,
      difference: vector.difference,
      recursiveDifference: vector.recursiveDifference,
      leavesA: vector.leavesA,
      equal: vector.equal,
    });
  });
});

describe('typed values', () => {
  const types = new Map([...readMergeKinds()].map(([name, { schema }]) => [name, compileMergeType(schema)]));
  const typed = (vectors as unknown as TypedVector[]).filter(({ kind }) => kind === 'typed');
  test.each(typed.map((vector) => [vector.id, vector] as const))('%s', (_id, vector) => {
    const type = types.get(vector.schema);
    if (type === undefined) throw new Error(`no schema ${vector.schema}`);
    const { a, b } = vector;
    expect(validateValue(type, a, true)).toEqual([]);
    expect(validateValue(type, b, true)).toEqual([]);
    const set = toFieldSet(type, a);
    expect(printFieldsV1(set)).toBe(vector.setA);
    const { added, modified, removed } = compareTyped(type, a, b);
    expect({
      added: printFieldsV1(added),
      modified: printFieldsV1(modified),
      removed: printFieldsV1(removed),
    }).toEqual(vector.compare);
    const items = read(vector.items);
    expect(removeItems(type, a, items)).toEqual(vector.removed);
    expect(extractItems(type, a, items)).toEqual(vector.extracted);
    expect(mergeTyped(type, a, b)).toEqual(vector.merge);
  });
});
