/** Validates a value against its type (`structured-merge-diff/v6/typed`, validate.go), with the library's messages. */
import type { JsonValue } from '../../../../api/resource.js';
import { parseElement } from '../fieldpath/element.js';
import { elementText } from '../fieldpath/elementtext.js';
import { goStruct, goSyntax, goType } from './govalue.js';
import { writeOnlyFields } from '../writeonly.js';
import { ItemError, itemElement } from './listitems.js';
import type { ListType, MergeType, ScalarType } from './mergeschema.js';
import { asList, asMap, shapeOf } from './typed.js';
import { isNumber } from '../../../../api/exactjson.js';

export interface Problem {
  /** `.spec.items[name="a"].x` */
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the problems of a value in its order, at most 100; an unknown member ends its map. null matches every type.
 * `duplicatesAllowed`: whether list items may share a path element, as in stored objects.
 */
export function validateValue(type: MergeType, value: JsonValue, duplicatesAllowed: boolean): Problem[] {
  const validator = new Validator(duplicatesAllowed);
  validator.visit(type, value);
  return validator.problems;
}

/** `.path: text`, or a list of them. */
export function problemsText(problems: readonly Problem[]): string {
  const lines = problems.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`));
  return lines.length === 1 ? lines[0]! : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
}

const MAX_PROBLEMS = 100;

class Validator {
  readonly problems: Problem[] = [];
  private readonly path: (string | number)[] = [];

  constructor(private readonly duplicatesAllowed: boolean) {}

  visit(type: MergeType, value: JsonValue): void {
    if (value === null || this.problems.length >= MAX_PROBLEMS) return;
    switch (shapeOf(type, value)) {
      case 'scalar':
        this.scalar(type, value);
        return;
      case 'map':
        this.map(type, value);
        return;
      case 'list':
        this.list(type, value);
    }
  }

  private report(text: string): void {
    if (this.problems.length >= MAX_PROBLEMS) return;
    const steps = this.path.map((step) =>
      typeof step === 'number' ? `[${step}]` : elementText(parseElement(step)),
    );
    this.problems.push({ path: steps.join(''), text });
  }

  private scalar(type: MergeType, value: JsonValue): void {
    const text = scalarProblem(type.scalar!, value, isHidden(type, value));
    if (text !== undefined) this.report(text);
  }

  private map(type: MergeType, value: JsonValue): void {
    const map = asMap(value);
    if (map === undefined) {
      this.report(`expected map, got ${goStruct(value, isHidden(type, value))}`);
      return;
    }
    const { fields, values } = type.map!;
    for (const name in map) {
      const member = map[name];
      if (member === undefined || member === null) {
        if (member === undefined || fields.has(name) || values !== undefined) continue;
      }
      const field = fields.get(name);
      const memberType = field?.type ?? values;
      this.path.push(field?.element ?? `f:${name}`);
      if (memberType === undefined) this.report('field not declared in schema');
      else this.visit(memberType, member);
      this.path.pop();
      if (memberType === undefined) return;
    }
  }

  private list(type: MergeType, value: JsonValue): void {
    const list = asList(value);
    if (list === undefined) {
      this.report(`expected list, got ${goStruct(value, isHidden(type, value))}`);
      return;
    }
    const { relation, items } = type.list!;
    const seen = new Set<string>();
    for (const [index, item] of list.entries()) {
      const step = relation === 'atomic' ? index : this.item(type.list!, item, index, seen);
      if (step === undefined) return;
      this.path.push(step);
      this.visit(items, item);
      this.path.pop();
    }
  }

  private item(type: ListType, item: JsonValue, index: number, seen: Set<string>): string | undefined {
    try {
      const element = itemElement(type, item);
      if (seen.has(element) && !this.duplicatesAllowed) {
        this.report(`duplicate entries for key ${elementText(parseElement(element))}`);
      }
      seen.add(element);
      return element;
    } catch (error) {
      if (!(error instanceof ItemError)) throw error;
      this.report(`element ${index}: ${error.message}`);
      return undefined;
    }
  }
}

/** A misplaced value may contain a write-only field. */
const isHidden = (type: MergeType, value: JsonValue): boolean =>
  type.writeOnly || (typeof value === 'object' && writeOnlyFields(type).size > 0);

function scalarProblem(type: ScalarType, value: JsonValue, hidden: boolean): string | undefined {
  switch (type) {
    case 'numeric':
      if (isNumber(value)) return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got &value.valueUnstructured{Value:${hidden ? '<hidden>' : goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${goStruct(value, hidden)}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got ${goStruct(value, hidden)}` : undefined;
  }
}
