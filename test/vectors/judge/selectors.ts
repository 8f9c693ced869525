/** Lines of selectors.jsonl. The line of kind `maps` holds what the others are matched with. */
import {
  escapeFieldValue,
  parseFieldSelector,
  unescapeFieldValue,
} from '../../../pkg/apimachinery/selectors/fields.js';
import { parseLabelSelector } from '../../../pkg/apimachinery/selectors/labels.js';
import { structuredLabelSelector, type StructuredLabelSelector } from '../../../pkg/apimachinery/selectors/structured.js';
import { same } from './same.js';

export interface SelectorVector {
  readonly id: string;
  readonly kind: 'maps' | 'label' | 'field' | 'escape' | 'unescape' | 'structured';
  readonly in: string & StructuredLabelSelector;
  readonly labels: readonly Record<string, string>[];
  readonly fields: readonly Record<string, string>[];
}

export function judgeSelector(vector: SelectorVector, maps: SelectorVector): void {
  if (vector.kind === 'maps') return;
  const { id: _, kind: __, in: ___, ...expected } = vector;
  same(outcome(vector, maps), expected);
}

function outcome(vector: SelectorVector, maps: SelectorVector): Record<string, unknown> {
  try {
    return evaluate(vector, maps);
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function evaluate(vector: SelectorVector, maps: SelectorVector): Record<string, unknown> {
  switch (vector.kind) {
    case 'label':
      return evaluateLabels(vector.in, maps);
    case 'field':
      return evaluateFields(vector.in, maps);
    case 'structured': {
      const selector = structuredLabelSelector(vector.in);
      return {
        matches: indices(maps.labels, (labels) => selector.matches(labels)),
        string: selector.toString(),
      };
    }
    case 'escape':
      return { out: escapeFieldValue(vector.in) };
    case 'unescape':
      return { out: unescapeFieldValue(vector.in) };
    case 'maps':
      return {};
  }
}

function evaluateLabels(text: string, maps: SelectorVector): Record<string, unknown> {
  const selector = parseLabelSelector(text);
  return {
    empty: selector.empty,
    matches: indices(maps.labels, (labels) => selector.matches(labels)),
    requirements: selector.requirements.map(({ key, operator, values }) => ({ key, op: operator, values })),
    string: selector.toString(),
  };
}

function evaluateFields(text: string, maps: SelectorVector): Record<string, unknown> {
  const selector = parseFieldSelector(text, () => undefined);
  return {
    empty: selector.empty,
    matches: indices(maps.fields, (fields) => selector.matches((field) => fields[field] ?? '')),
    requirements: selector.requirements.map(({ field, operator, value }) => ({ field, op: operator, value })),
    string: selector.toString(),
    pinsName: selector.exact('metadata.name'),
  };
}

const indices = <T>(items: readonly T[], matches: (item: T) => boolean): number[] =>
  items.flatMap((item, index) => (matches(item) ? [index] : []));
