import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonValue } from '../../../../api/resource.js';
import { DecodeError } from '../json.js';
import { decodeYaml, encodeYaml } from './yaml.js';
import { parseExact } from '../../../../api/exactjson.js';

describe('scalars of YAML 1.1', () => {
  test.each<[string, JsonValue]>([
    ['yes', true],
    ['On', true],
    ['n', false],
    ['~', null],
    ['', null],
    ['010', 8],
    ['08', 8],
    ['0o10', 8],
    ['0x1F', 31],
    ['-0b11', -3],
    ['1_000', 1000],
    ['1:30', '1:30'],
    ['2001-01-01', '2001-01-01'],
    ['.5', 0.5],
    ['1e3', 1000],
    ['+12', 12],
    ['1.2.3', '1.2.3'],
    ["'yes'", 'yes'],
    ['!!str 12', '12'],
    ['!x 12', '12'],
    ['!!binary YQ==', 'a'],
    ['!!float 3', 3],
  ])('%s', (text, value) => {
    expect(decodeYaml(`a: ${text}\n`).value).toEqual({ a: value });
  });
  test.each([
    ['yes: 1', { true: 1 }],
    ['010: 1', { 8: 1 }],
    ['1.5: 1', { '1.5': 1 }],
  ])('key %s', (text, value) => {
    expect(decodeYaml(text).value).toEqual(value);
  });
});

describe('documents', () => {
  test.each<[string, string, JsonValue]>([
    ['empty', '', {}],
    ['comment', '# a\n', {}],
    ['only the first', 'a: 1\n---\n{broken', { a: 1 }],
    ['explicit start', '---\na: 1\n...\n', { a: 1 }],
    ['JSON', ' {"a": [1, "yes"]}\n', { a: [1, 'yes'] }],
    ['almost JSON', '{"a": yes, b: 010}', { a: true, b: 8 }],
    ['aliases', 'a: &x {b: [1]}\nc: *x\n', { a: { b: [1] }, c: { b: [1] } }],
    [
      'merge of several',
      'x: &x {a: 1}\nw: &y {a: 2, b: 2}\nz:\n  <<: [*x, *y]\n',
      { x: { a: 1 }, w: { a: 2, b: 2 }, z: { a: 1, b: 2 } },
    ],
  ])('%s', (_, text, value) => {
    expect(decodeYaml(text).value).toEqual(value);
  });
  test('__proto__ is an ordinary key', () => {
    expect(JSON.stringify(decodeYaml('__proto__: {x: 1}').value)).toBe('{"__proto__":{"x":1}}');
  });
});

describe('text around a document', () => {
  test.each<[string, JsonValue]>([
    ['%YAML 1.1\n---\na: yes\n', { a: true }],
    ['# c\n%TAG !e! tag:yaml.org,2002:\n---\na: !e!str yes\n', { a: 'yes' }],
    ['{"a": 1} x', { a: 1 }],
    ['{"a": 1}\nx: 1', { a: 1 }],
    ['{"a": 1}\n{"b": 2}', { a: 1 }],
    ['{"a": 1}}', { a: 1 }],
    ['{"a": 1}]', { a: 1 }],
    ['{a: 1}, b', { a: 1 }],
    ['{a: 1}\n- b', { a: 1 }],
    ['{"a":1}\n{"a":', { a: 1 }],
  ])('%j is read', (text, value) => {
    expect(decodeYaml(text).value).toEqual(value);
  });
  test.each([
    ['%YAML 1.2\n---\na: yes\n', 'yaml: found incompatible YAML document'],
    ['# c\n%YAML 1.2\n---\na: 1\n', 'yaml: line 1: found incompatible YAML document'],
    ['%YAML 1.2\na: yes\n', 'yaml: found incompatible YAML document'],
    ['%YAML 1.1\n%YAML 1.1\n---\na: 1\n', 'yaml: line 1: found duplicate %YAML directive'],
    ['%YAML 1\n---\na: 1\n', "yaml: did not find expected digit or '.' character"],
    ['\n%FOO\n---\na: 1\n', 'yaml: line 2: found unknown directive name'],
    ['a: {b: 1} c\n', 'yaml: did not find expected key'],
    ['a: {b: 1}\n c: d\n', 'yaml: line 1: did not find expected key'],
    ['a: "\\q"', 'yaml: found unknown escape character'],
    ['a: "\\ud800"\n', 'yaml: found invalid Unicode character escape code'],
    ['{"a": "\\udc00x"}', 'yaml: found invalid Unicode character escape code'],
    ['b: 1\na: "\\udc00"', 'yaml: line 2: found invalid Unicode character escape code'],
    ['"a\\udc00": 1', 'yaml: found invalid Unicode character escape code'],
  ])('%j is refused', (text, message) => {
    expect(() => decodeYaml(text)).toThrow(new DecodeError(message));
  });
  test.each(['{a: 1', '{a: [1]', '[{a: 1]', '{a: 1]'])('refuses %j, which has no end', (text) => {
    expect(() => decodeYaml(text)).toThrow(DecodeError);
  });
});

describe('refused', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((name, i) => {
      const before = 'abcdefg'[i] as string;
      return `${name}: &${name} [${Array(10).fill(`*${before}`).join(',')}]`;
    }),
  ].join('\n');
  /** Seven levels, of which each has ten times the one before. */
  function merges(innermost: string, before: string, after: string): string {
    const levels = Array.from({ length: 7 }, (_, level) => {
      const all = Array.from({ length: 10 }, () => `*m${level}`);
      const parts =
        after === '' ? all.map((one) => `${before}${one}`) : [`${before}${all.join(',')}${after}`];
      return `l${level}: &m${level + 1}\n${parts.map((part) => `  ${part}`).join('\n')}`;
    });
    return `x: &m0 ${innermost}\n${levels.join('\n')}\n`;
  }
  test.each([
    ['an alias bomb', bomb, /excessive aliasing/],
    ['merges that multiply', merges('{k: v}', '<<: [', ']'), /excessive aliasing/],
    ['merges of nothing that multiply', merges('{}', '<<: [', ']'), /excessive aliasing/],
    ['merges one by one', merges('{? *k }', '<<: ', '').replace('x:', 'y: &k k\nx:'), /excessive aliasing/],
    ['nulls that multiply', merges('[,,,,]', '- [', ']'), /excessive aliasing|yaml:/],
    ['an alias in itself', 'a: &a [*a]', /contains itself/],
    ['an unknown alias', 'a: *b', /alias|anchor/i],
    ['deep nesting', '['.repeat(500) + ']'.repeat(500), /max depth/],
    ['a list too many', '['.repeat(401) + ']'.repeat(401), /max depth/],
    ['very deep lists', '- '.repeat(10_000), /max depth/],
    ['very deep nesting', '['.repeat(100_000), /max depth|yaml:/],
    ['infinity', 'a: .inf', /unsupported value: \+Inf/],
    ['a map as key', '? {a: b}\n: c', /invalid map key/],
    ['a tab', 'a:\n\tb: 1', /^yaml: line 2: found character that cannot start any token/],
    ['a bad tag', 'a: !!int x', /cannot decode/],
  ])('%s', (_, text, message) => {
    expect(() => decodeYaml(text)).toThrow(DecodeError);
    expect(() => decodeYaml(text)).toThrow(message);
  });
});

describe('encodeYaml', () => {
  test('formats like kubectl', () => {
    const value = {
      kind: 'K',
      b: { list: ['a', { y: 1, x: null }], empty: {}, none: [] },
      text: 'a\nb\n',
      n: 'yes',
      o: '010',
    };
    expect(encodeYaml(value)).toBe(
      'b:\n  empty: {}\n  list:\n  - a\n  - x: null\n    "y": 1\n  none: []\nkind: K\n"n": "yes"\no: "010"\ntext: |\n  a\n  b\n',
    );
  });

  const leaf = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
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
      'a: b',
      '#',
      '=',
      ' x ',
      '\ta',
      'a\n\n b\n',
      '!x',
      '|',
      '1e5',
      '0o7',
      '.5',
      '+1',
      '_',
      'null',
      '%a',
      '---',
      '\u2028',
      '\u0085',
    ),
    fc.integer(),
    // As it is read: a long integer is a bigint.
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((number) => parseExact(JSON.stringify(number)) as JsonValue),
    fc.boolean(),
    fc.constant(null),
  );
  const key = fc.oneof(
    fc.string(),
    fc.constantFrom('y', 'on', '1', '~', '<<', 'null', '1.5', '0x1', '__proto__', ''),
  );
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('tree')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  test('encodes values that decode to the same', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(decodeYaml(encodeYaml({ value })).value).toEqual({ value });
      }),
      { numRuns: 500 },
    );
  });
});
