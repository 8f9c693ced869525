import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Document, isScalar, visit, type Scalar } from 'yaml';
import type { JsonValue } from '../../../../api/resource.js';
import { compareBytes } from '../canonical.js';
import { decodeYaml, encodeYaml } from './yaml.js';
import { resolvePlain } from './yamlscalar.js';

/** The library's output for the whole value. */
function written(value: unknown): string {
  const textOf = (key: unknown): string => String(isScalar(key) ? key.value : key);
  const document = new Document(value, {
    version: '1.1',
    schema: 'yaml-1.1',
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !tag.tag.endsWith(':merge')),
    aliasDuplicateObjects: false,
    sortMapEntries: (a, b) => compareBytes(textOf(a.key), textOf(b.key)),
  });
  visit(document, { Scalar: (_, scalar) => quoteAmbiguous(scalar) });
  return document.toString({ lineWidth: 0, minContentWidth: 0, indentSeq: false, blockQuote: 'literal' });
}

function quoteAmbiguous(scalar: Scalar): void {
  const { value } = scalar;
  if (typeof value !== 'string') return;
  if (value === '<<' || value === '=' || resolvePlain(value) !== value) scalar.type = 'QUOTE_DOUBLE';
}

const WORDS = [
  'y',
  'NO',
  '~',
  '',
  '0x1',
  '1_0',
  '1:30',
  '.inf',
  '<<',
  '2001-01-01',
  '- a',
  '-a',
  'a: b',
  '#',
  '=',
  ' x ',

  '\ta',
  'a\n\n b\n',
  '!x',
  '|',
  '1e5',
  'e5',
  'E-1',
  '0o7',
  '.5',
  '+1',
  '_',
  'null',
  '%a',
  '---',
  '--- a',
  '...',

  '\0',
  'a\nb',
  'a\nb\n',
  'a\n',
  ' a\nb',
  'a\n ',
  'a \nb',
  '\n a\n',
  'a\n\n\n',

  'a\n---\nb',
  '%a\nb',
  "it's",
  '"',
  `"'`,
  `'a\nb '`,
  'a\tb',
  'x\r\ny',
  '\ud800',
  '\u{1f600}',
  'YQ==',
  '9/x=',

  `a${' '.repeat(50)}\n b`,
  `\u0001${'x'.repeat(50)}\n\n y \n`,
  '[]',
  '{}',
  'k'.repeat(1025),
  ' k'.repeat(600),
];
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...WORDS),
  fc
    .array(
      fc.constantFrom('a', ' ', '\n', '\t', ':', '#', '-', "'", '"', '\u0001', '%', '...', '0'.repeat(30)),
    )
    .map((parts) => parts.join('')),
);
/** What the library writes in a way that Kubernetes reads otherwise, or not at all. */
const READ_OTHERWISE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|^\s*(?:\t|$)/;
const text = anyText.filter((value) => !READ_OTHERWISE.test(value));
const leaf = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf.filter((value) => typeof value !== 'number' || Number.isFinite(value)),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc
      .array(fc.tuple(text, tie('tree')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries) as JsonValue),
  ),
}));

describe('writes the same bytes as the library', () => {
  test.each(WORDS)('%j', (word) => {
    for (const value of [
      { value: word },
      [word],
      { [word]: word },
      { [word]: [word] },
      { a: { [word]: { b: word } } },
    ])
      expect(encodeYaml(value)).toBe(written(value));
  });
  test('for documents', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(encodeYaml({ value })).toBe(written({ value }));
        expect(encodeYaml([value])).toBe(written([value]));
      }),
      { numRuns: 500 },
    );
  });
  test('for undefined members', () => {
    const value = { a: undefined, b: [{ c: undefined }, 1] };
    expect(encodeYaml(value)).toBe(written(value));
  });
});

test.each([
  ['\u2028', '"\\u2028"'],
  ['a\u0085b', '"a\\u0085b"'],
  ['\x7f', '"\\u007f"'],
  ['\ufeffa', '"\\ufeffa"'],
  ['\n', '"\\n"'],
  [' \n  \n', '" \\n  \\n"'],
  ['\uffff', '"\\uffff"'],
  ['\tall:\n\tmake\n', '"\\tall:\\n\\tmake\\n"'],
  ['\n \ta\nb', '"\\n \\ta\\nb"'],
])('escapes what a reader of YAML 1.1 would lose of %j', (value, written) => {
  expect(encodeYaml({ value })).toBe(`value: ${written}\n`);
  expect(encodeYaml({ [value]: 1 })).toBe(`${written}: 1\n`);
  expect(decodeYaml(encodeYaml([value])).value).toEqual([value]);
});
