/** Formatted selectors and continue tokens parse to the same value. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeContinue, encodeContinue } from './continue.js';
import { escapeFieldValue, parseFieldSelector } from './selectors/fields.js';
import { labelSelector, parseLabelSelector } from './selectors/labels.js';
import { labelRequirement, type LabelRequirement } from './selectors/requirement.js';

const word = fc.stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,8}[A-Za-z0-9])?$/);
const prefix = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,5}[a-z0-9])?$/);
const key = fc.oneof(
  word,
  fc.tuple(prefix, word).map((parts) => parts.join('/')),
  fc.constantFrom('in', 'notin', 'constructor', 'x'),
);
const label = fc.oneof(word, fc.constantFrom('', 'in', 'notin'));
const labels = fc.uniqueArray(label, { minLength: 1, maxLength: 4 });
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc
    .tuple(key, fc.constantFrom('exists' as const, '!' as const))
    .map(([name, operator]) => labelRequirement(name, operator, [])),
  fc
    .tuple(key, fc.constantFrom('=' as const, '==' as const, '!=' as const), label)
    .map(([name, operator, value]) => labelRequirement(name, operator, [value])),
  fc
    .tuple(key, fc.constantFrom('in' as const, 'notin' as const), labels)
    .map(([name, operator, values]) => labelRequirement(name, operator, values)),
  fc
    .tuple(key, fc.constantFrom('gt' as const, 'lt' as const), fc.nat())
    .map(([name, operator, bound]) => labelRequirement(name, operator, [String(bound)])),
);

test('label selectors', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 5 }), (requirements) => {
      const selector = labelSelector(requirements);
      const read = parseLabelSelector(selector.toString());
      expect(read.requirements).toEqual(selector.requirements);
      expect(read.toString()).toBe(selector.toString());
    }),
  );
});

test('field selectors', () => {
  const term = fc.record({
    field: fc.stringMatching(/^[a-z]+(?:\.[a-z]+){0,2}$/),
    operator: fc.constantFrom('=' as const, '!=' as const),
    value: fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '\\', ',', '=', '!', 'é') })),
  });
  fc.assert(
    fc.property(fc.array(term, { maxLength: 5 }), (terms) => {
      const text = terms
        .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
        .join(',');
      const read = parseFieldSelector(text, () => undefined);
      expect(read.requirements).toHaveLength(terms.length);
      expect(read.requirements).toEqual(expect.arrayContaining(terms));
      expect(parseFieldSelector(read.toString(), () => undefined).requirements).toEqual(read.requirements);
    }),
  );
});

test('continue tokens', () => {
  const step = fc
    .string({ minLength: 1, maxLength: 12, unit: 'binary' })
    .filter((text) => !text.includes('/') && text !== '.' && text !== '..');
  const token = fc.record({
    revision: fc.maxSafeInteger().filter((revision) => revision !== 0),
    start: fc
      .tuple(fc.array(step, { minLength: 1, maxLength: 2 }), fc.constantFrom('', '\u0000'))
      .map(([steps, end]) => steps.join('/') + end),
  });
  fc.assert(
    fc.property(token, (given) => {
      expect(decodeContinue(encodeContinue(given))).toEqual(given);
    }),
  );
});
