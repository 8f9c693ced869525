import { describe, expect, test } from '@jest/globals';
import { readVectors } from '../../test/vectors/read.js';
import { escapeFieldValue, parseFieldSelector, unescapeFieldValue } from './selectors/fields.js';
import { parseLabelSelector } from './selectors/labels.js';
import type { StructuredLabelSelector } from './selectors/structured.js';
import { structuredLabelSelector } from './selectors/structured.js';

interface Vector {
  id: string;
  kind: 'maps' | 'label' | 'field' | 'escape' | 'unescape' | 'structured';
  in: string & StructuredLabelSelector;
  error?: string;
  out?: string;
  labels: Record<string, string>[];
  fields: Record<string, string>[];
}

const vectors = readVectors<Vector>('selectors');
const maps = vectors.find(({ kind }) => kind === 'maps') as Vector;

const indices = <T>(items: readonly T[], matches: (item: T) => boolean): number[] =>
  items.flatMap((item, index) => (matches(item) ? [index] : []));

function evaluate(vector: Vector): Record<string, unknown> {
  switch (vector.kind) {
    case 'label': {
      const selector = parseLabelSelector(vector.in);
      return {
        empty: selector.empty,
        matches: indices(maps.labels, (labels) => selector.matches(labels)),
        requirements: selector.requirements.map(({ key, operator, values }) => ({
          key,
          op: operator,
          values,
        })),
        string: selector.toString(),
      };
    }
    case 'field': {
      const selector = parseFieldSelector(vector.in, () => undefined);
      const pinsName = selector.exact('metadata.name');
      return {
        empty: selector.empty,
        matches: indices(maps.fields, (fields) => selector.matches((field) => fields[field] ?? '')),
        requirements: selector.requirements.map(({ field, operator, value }) => ({
          field,
          op: operator,
          value,
        })),
        string: selector.toString(),
        ...(pinsName !== undefined && { pinsName }),
      };
    }
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

function outcome(vector: Vector): Record<string, unknown> {
  try {
    return evaluate(vector);
  } catch (error) {
    return { error: (error as Error).message };
  }
}

describe('selector vectors', () => {
  const cases = vectors.filter((vector) => vector !== maps).map((vector) => [vector.id, vector] as const);
  test.each(cases)('%s', (_id, vector) => {
    const { id: _, kind: __, in: ___, ...expected } = vector;
    expect(outcome(vector)).toEqual(expected);
  });
});
