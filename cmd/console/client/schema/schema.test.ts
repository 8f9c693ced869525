import { describe, expect, test } from '@jest/globals';
import { offersAt } from './offers.js';
import { problemsIn } from './problems.js';
import { KindSchema, typeOf, type Schema } from './schema.js';
import { spotAt } from './spot.js';
import { MAX_DEPTH, tooDeepAt } from './yamldepth.js';

const text: Schema = { type: 'string', description: 'A text.' };
const schemas: Readonly<Record<string, Schema>> = {
  Meta: {
    type: 'object',
    properties: { name: text, labels: { type: 'object', additionalProperties: text } },
  },
  Tree: { $ref: '#/components/schemas/Tree' },
  Thing: {
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'example', version: 'v1', kind: 'Thing' }],
    properties: {
      apiVersion: text,
      kind: text,
      metadata: { description: 'Its metadata.', allOf: [{ $ref: '#/components/schemas/Meta' }] },
      spec: {
        type: 'object',
        properties: {
          title: text,
          ready: { type: 'string', enum: ['True', 'Never'] },
          count: { type: 'integer' },
          hidden: { type: 'boolean' },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: {} },
          loop: { $ref: '#/components/schemas/Tree' },
          rules: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                name: text,
                verbs: { type: 'array', items: { type: 'string', enum: ['get', 'list'] } },
              },
            },
          },
        },
      },
    },
  },
};
const kind = KindSchema.of({ components: { schemas } }, 'example/v1', 'Thing');
if (kind === undefined) throw new Error('the document has no such kind');

/** `|` marks the cursor. */
const offered = (marked: string): string[] =>
  offersAt(marked.replace('|', ''), marked.indexOf('|'), kind)?.offers.map(({ label }) => label) ?? [];

describe('completions', () => {
  test.each<[string, string, string[]]>([
    ['fields of the object', '|', ['apiVersion', 'kind', 'metadata', 'spec']],
    ['no field that is there', 'kind: Thing\nspec: {}\n|', ['apiVersion', 'metadata']],
    ['the API version', 'apiVersion: |', ['example/v1']],
    ['the kind', 'kind: Th|', ['Thing']],
    ['fields behind a reference', 'metadata:\n  |\nspec: {}', ['name', 'labels']],
    ['nothing where names are free', 'metadata:\n  labels:\n    |', []],
    ['nothing of a field that does not exist', 'specs:\n  |', []],
    ['values of an enumeration', 'spec:\n  ready: |', ['True', 'Never']],
    ['values of a boolean', 'spec:\n  hidden: |', ['true', 'false']],
    ['fields of an item', 'spec:\n  rules:\n    - |\n', ['name', 'verbs']],
    ['the other fields of an item', 'spec:\n  rules:\n    - name: a\n      |', ['verbs']],
    ['the other fields before those of an item', 'spec:\n  rules:\n    - |\n      name: a', ['verbs']],
    ['values of an item', 'spec:\n  rules:\n    - verbs:\n        - get\n        - |', ['get', 'list']],
    ['nothing in a text of several lines', 'spec:\n  title: |-\n    a\n    |'.replace('|-', '>-'), []],
    ['nothing in a comment', '# |', []],
    ['nothing between braces', 'spec: { | }', []],
    ['nothing behind a reference that leads to itself', 'spec:\n  loop:\n    |', []],
  ])('%s', (_what, marked, labels) => {
    expect(offered(marked)).toEqual(labels);
  });

  test('a field comes with its type, its description, and what follows it', () => {
    const at = 'spec:\n  '.length;
    const offers = offersAt('spec:\n  ', at, kind)?.offers ?? [];
    expect(offers[0]).toEqual({ label: 'title', detail: 'string', info: 'A text.', insert: 'title: ' });
    expect(offers.find(({ label }) => label === 'rules')).toMatchObject({
      detail: '[]object',
      insert: 'rules:\n    - ',
    });
    expect(offersAt('kind: T', 3, kind)?.offers[0]).toMatchObject({ insert: 'apiVersion' });
  });

  test('a value that YAML would read as something else is quoted', () => {
    expect(offersAt('spec:\n  ready: ', 15, kind)?.offers.map(({ insert }) => insert)).toEqual([
      '"True"',
      'Never',
    ]);
  });

  test('replace the typed word up to its end', () => {
    expect(spotAt('spec:\n  tixle: a', 10)).toMatchObject({
      from: 8,
      to: 13,
      path: ['spec'],
      hasColon: true,
    });
  });

  test('are not offered for a very long text', () => {
    expect(offersAt(`${'# long\n'.repeat(20_000)}`, 140_000, kind)).toBeUndefined();
  });

  test('types are said as Go does', () => {
    expect(typeOf({ type: 'object', additionalProperties: { type: 'string' } })).toBe('map of string');
  });
});

describe('errors', () => {
  const said = (yaml: string): unknown[] =>
    problemsIn(yaml, kind).map(({ from, to, line, what }) => [yaml.slice(from, to), line, what.is]);

  test.each<[string, string, unknown[]]>([
    ['nothing', 'apiVersion: example/v1\nkind: Thing\nmetadata:\n  labels: { a.b/c: d }\nspec:', []],
    ['a field that does not exist', 'spec:\n  titel: a\n', [['titel', 2, 'unknownField']]],
    ['one in an item', 'spec:\n  rules:\n    - nam: a\n', [['nam', 3, 'unknownField']]],
    ['nothing where fields are free', 'spec:\n  free:\n    any: 1\n', []],
    ['a number for a text', 'spec:\n  title: 7\n', [['7', 2, 'type']]],
    ['an object for a list', 'spec:\n  rules:\n    name: a\n', [['name: a\n', 3, 'type']]],
    ['a value that is not one of the few', 'spec:\n  ready: "no"\n', [['"no"', 2, 'value']]],
    ['another kind', 'kind: Other\n', [['Other', 1, 'value']]],
    ['no YAML', 'spec: [\n', [['\n', 1, 'syntax']]],
  ])('%s', (_what, yaml, expected) => {
    expect(said(yaml)).toEqual(expected);
  });

  test('of the server are at the field, or at its parent', () => {
    const yaml = 'metadata:\n  labels:\n    a.b/c: d\nspec:\n  rules:\n    - name: a\n';
    const causes = ['spec.rules[0].name', 'metadata.labels[a.b/c]', 'spec.rules[0].verbs', 'status.none'];
    const problems = problemsIn(
      yaml,
      kind,
      causes.map((field) => ({ field, message: 'is wrong' })),
    );
    expect(problems.map(({ line, what }) => [line, what])).toEqual([
      [3, { is: 'server', message: 'metadata.labels[a.b/c]: is wrong' }],
      [6, { is: 'server', message: 'spec.rules[0].name: is wrong' }],
      [6, { is: 'server', message: 'spec.rules[0].verbs: is wrong' }],
    ]);
  });

  test.each([
    ['braces', '{'.repeat(50_000)],
    ['brackets', `spec: ${'['.repeat(1000)}`],
    ['closed brackets', '['.repeat(1000) + ']'.repeat(1000)],
    ['indents', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['dashes', '- '.repeat(1000)],
    ['question marks', '? '.repeat(1000)],
    ['after a syntax error', `"a": "b" "c"\n${'['.repeat(1000)}`],
  ])('says that it nests too deep, and no more: %s', (_what, yaml) => {
    expect(problemsIn(yaml, kind).map(({ what }) => what)).toEqual([{ is: 'tooDeep', most: MAX_DEPTH }]);
    expect(offersAt(yaml, yaml.length, kind)).toBeUndefined();
  });

  test.each([
    ['levels that may be', `a: ${'['.repeat(MAX_DEPTH - 1)}${']'.repeat(MAX_DEPTH - 1)}\n`],
    [
      'brackets in texts and comments',
      `a: "${'['.repeat(1000)}" # ${'{'.repeat(1000)}\nb: |\n  ${'['.repeat(1000)}\n`,
    ],
  ])('takes %s', (_what, yaml) => {
    expect(tooDeepAt(yaml)).toBeUndefined();
    expect(problemsIn(yaml, undefined)).toEqual([]);
  });

  test('a text with very many problems tells the first', () => {
    const yaml = `spec:\n${Array.from({ length: 500 }, (_, at) => `  no${at}: 1\n`).join('')}`;
    expect(problemsIn(yaml, kind)).toHaveLength(50);
  });
});
