/** What `sigs.k8s.io/yaml` makes of each text: a value, or its message. */
import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../../api/resource.js';
import { StatusError } from '../../status.js';
import { DecodeError } from '../json.js';
import { parseDocument } from './yamlparser.js';
import { decodeYaml } from './yaml.js';

type Row = readonly [text: string | Buffer, value: JsonValue];

const READ: Readonly<Record<string, readonly Row[]>> = {
  'flow collections at any indent': [
    ['a: {\nb: 1\n}', { a: { b: 1 } }],
    ['a:\n  b: [\n1,\n  2\n]\nc: 3', { a: { b: [1, 2] }, c: 3 }],
    ['a: [x,\n# c\n z, ]\nb: {}', { a: ['x', 'z'], b: {} }],
    ['{\n\ta: 1,\n\tb: [\t]\n}', { a: 1, b: [] }],
    ['a: ["x\ny"]', { a: ['x y'] }],
  ],
  'entries of flow collections': [
    ['a: {b, ? c, ? d : e}', { a: { b: null, c: null, d: 'e' } }],
    ['[a: b, ? c : d, -]', [{ a: 'b' }, { c: 'd' }, '-']],
    ['{a:1, b:"c", d:}', { 'a:1': null, 'b:"c"': null, 'd:': null }],
    ['{"a":1}', { a: 1 }],
    ['{a b}', { 'a b': null }],
  ],
  'the end of a document, behind which nothing counts': [
    [' a:\n- b', { a: null }],
    ['a #\nb', 'a'],
    ['a\n: b', 'a'],
    ['"a" b', 'a'],
    ['[]: 1', []],
    ['a: 1\n...\n{', { a: 1 }],
    ['a: 1\n--- {', { a: 1 }],
    ['---a', '---a'],
  ],
  'line breaks of YAML 1.1': [
    ['a: 1\rb: 2', { a: 1, b: 2 }],
    ['a: 1\x85b: 2', { a: 1, b: 2 }],
    ['a: 1\u2028b: 2', { a: 1, b: 2 }],
    ['"a\x85b"', 'a b'],
    ['"a\u2028 b"', 'a\u2028b'],
    ['a: |\r\n  b\r\n', { a: 'b\n' }],
  ],
  tabs: [
    ['a:\tb\tc\t# d', { a: 'b\tc' }],
    ['a: "b\n\tc"', { a: 'b c' }],
  ],
  'block scalars': [
    ['|\na', ''],
    ['a: |\nb: 1', { a: '', b: 1 }],
    ['a: |-2 # c\n    b\n', { a: '  b' }],
    ['a: |1-\n  b\n', { a: ' b' }],
    ['a: |+\n  b\n\n', { a: 'b\n\n' }],
    ['a: >\n  b\n  c\n\n   d\n\n  e', { a: 'b c\n\n d\n\ne' }],
    ['a:\n- |\n b', { a: ['b'] }],
  ],
  'scalars over lines': [
    ['a: b\n  c\n\n  d', { a: 'b c\nd' }],
    ['"a\\\n  b \\\n\n c"', 'ab \nc'],
    ["'a\n\n\n b'''", "a\n\nb'"],
    ['"\\x41\\u00e9\\U0001F600\\\'\\\t"', "Aé😀'\t"],
    ['a: 1\n  - b', { a: '1 - b' }],
  ],
  keys: [
    ['? a\n: b\n? c', { a: 'b', c: null }],
    ['?a: b', { '?a': 'b' }],
    [`${'x'.repeat(1024)}: 1`, { ['x'.repeat(1024)]: 1 }],
    [`${'😀'.repeat(1000)}: 1`, { ['😀'.repeat(1000)]: 1 }],
    [`? ${'x'.repeat(1025)}\n: 1`, { ['x'.repeat(1025)]: 1 }],
    ['{1e6: 1, 1e3: 2, 123456789.5: 3, -1e-5: 4}', { '1e+06': 1, 1000: 2, '1.2345679e+08': 3, '-1e-05': 4 }],
    ['{1e300: 1, 9223372036854775807: 2}', { '.inf': 1, '9223372036854775807': 2 }],
    ['a: &x 1\n*x : 2', { a: 1, 1: 2 }],
  ],
  'tags and merges': [
    ['! <<: {a: 1}', { a: 1 }],
    ['!!str <<: {a: 1}\nb: !<tag:yaml.org,2002:str> 1', { '<<': { a: 1 }, b: '1' }],
    ['!!merge "<<": {a: 1}', { a: 1 }],
    ['a: ! 1\nb: !!int "12"\nc: !!%73tr 1\nd: !x', { a: '1', b: 12, c: '1', d: '' }],
    ['%TAG !y! tag:yaml.org,2002:\n---\na: !y!str 1', { a: '1' }],
    ['a: !!binary |\n  YQ\n  ==\n', { a: 'a' }],
    ['a: !!timestamp 2001-1-1T1:1:1Z', { a: '2001-1-1T1:1:1Z' }],
  ],
  numbers: [
    ['[18446744073709551615, 0xffffffffffffffff]', [2 ** 64, 2 ** 64]],
    ['[0x1ffffffffffffffff, 0b102, 0x, ._5]', ['0x1ffffffffffffffff', '0b102', '0x', '._5']],
    ['[07777777777777777777777777, 1_0.5, 5.]', [7777777777777777777777777, 10.5, 5]],
  ],
  JSON: [
    ['{"a" :1, "b":1E400}\t\n', { a: 1, b: '1E400' }],
    [`{"${'x'.repeat(1022)}":1}`, { ['x'.repeat(1022)]: 1 }],
    ['{"a":"b \u2028 c"}', { a: 'b\u2028c' }],
    ['{"a":"\\":"}', { a: '":' }],
  ],
  'bytes of UTF-16': [
    [Buffer.from('\ufeffa: é', 'utf16le'), { a: 'é' }],
    [Buffer.from('\ufeffa: é', 'utf16le').swap16(), { a: 'é' }],
  ],
};

describe.each(Object.entries(READ))('%s', (_, rows) => {
  test.each(rows)('%j', (text, value) => {
    expect(decodeYaml(text)).toEqual({ value, duplicates: [] });
  });
});

test.each<[text: string, ...findings: string[]]>([
  ['a: 1\na:\n  b: 2', 'line 3: key "a"'],
  ['{a: {b: 1, b: 2}, a: 3}', 'line 1: key "b"', 'line 1: key "a"'],
  ['1: a\n0x1: b', 'line 2: key 1'],
  ['a: &x {b: 1}\nc: {<<: *x, b: 2}', 'line 2: key "b"'],
])('%j has keys twice', (text, ...findings) => {
  const lines = findings.map((finding) => `\n  ${finding} already set in map`);
  expect(decodeYaml(text).duplicates).toEqual([`yaml: unmarshal errors:${lines.join('')}`]);
});

const CANNOT_START = 'found character that cannot start any token';
const MERGE = 'map merge requires map or sequence of maps as the value';

test.each([
  ['a: {x\nb: 1}', "line 1: did not find expected ',' or '}'"],
  ['[a, b?]', "did not find expected ',' or ']'"],
  ['[a', "line 1: did not find expected ',' or ']'"],
  ['[? : b]', "did not find expected ',' or ']'"],
  ['[a,,b]', 'did not find expected node content'],
  ['{a: :b}', 'did not find expected node content'],
  ['...', 'did not find expected node content'],
  ['- a\nb', "line 3: could not find expected ':'"],
  ['a:\n  b: 1\n c: 2', 'line 2: did not find expected key'],
  ['a: b: c', 'mapping values are not allowed in this context'],
  ['--- a: 1', 'mapping values are not allowed in this context'],
  [`${'x'.repeat(1025)}: 1`, 'mapping values are not allowed in this context'],
  ['a: - b', 'block sequence entries are not allowed in this context'],
  ['a: ? b', 'mapping keys are not allowed in this context'],
  ['\ta: 1', CANNOT_START],
  ['-\ta', CANNOT_START],
  ['a: %b', CANNOT_START],
  ['{"a":1}\n\t', `line 2: ${CANNOT_START}`],
  ['a: b\n\tc', 'line 2: found a tab character that violates indentation'],
  ['a: |\n\tb', 'line 2: found a tab character where an indentation space is expected'],
  ['a: |0\n', 'found an indentation indicator equal to 0'],
  ['a: |10\n b', 'did not find expected comment or line break'],
  ['a: |\n   \n  b', 'line 2: did not find expected key'],
  ["'''", 'found unexpected end of stream'],
  ['"a\n---\nb"', 'line 2: found unexpected document indicator'],
  ['"\\x4"', 'did not find expected hexdecimal number'],
  ['"\\ud83d\\ude00"', 'found invalid Unicode character escape code'],
  ['{"a": "\\/"}', 'found unknown escape character'],
  ['{"a"\n:1}', "line 1: did not find expected ',' or '}'"],
  [`{"${'\\"'.repeat(512)}":1}`, "did not find expected ',' or '}'"],
  ['%YAML 1.1\n...\n', 'line 1: did not find expected <document start>'],
  ['%TAG !y! x\n%TAG !y! x\n---\na: 1', 'line 1: found duplicate %TAG directive'],
  ['a: &é 1', 'did not find expected alphabetic or numeric character'],
  ['a: *x\nb: &x 1', "unknown anchor 'x' referenced"],
  ['a: !y!z 1', 'found undefined tag handle'],
  ['a: !<x 1', "did not find the expected '>'"],
  ['a: !!%zz 1', 'did not find URI escaped octet'],
  ['a: !!%ff 1', 'found an incorrect leading UTF-8 octet'],
  ['a: !!%c3%28 1', 'found an incorrect trailing UTF-8 octet'],
  ['<<: [[{a: 1}]]', MERGE],
  ['a: &x [1]\nb: {<<: *x}', MERGE],
  ['a: !!int 1e3', 'cannot decode !!float `1e3` as a !!int'],
  ['a: !!binary Y Q = =', '!!binary value contains invalid base64 data'],
  ['a: !!timestamp 2001-02-30', 'cannot decode !!str `2001-02-30` as a !!timestamp'],
  ['a: \u0001', 'control characters are not allowed'],
  ['a: 1\n---\n\x7f', 'control characters are not allowed'],
  [Buffer.from('a: \xff', 'latin1'), 'invalid UTF-8 octet sequence'],
  [Buffer.from('fffe61', 'hex'), 'incomplete UTF-16 character'],
])('refuses %j', (text, message) => {
  expect(() => decodeYaml(text)).toThrow(new DecodeError(`yaml: ${message}`));
});

test.each(['18446744073709551615: 1', '~: 1', ': &a 1', '? [a]\n: b'])('refuses the key of %j', (text) => {
  expect(() => decodeYaml(text)).toThrow(DecodeError);
});

test.each(['- \n', '- a\n', 'a: 1\n', '- []\n', '<<: {}\n'])('refuses too many of %j', (entry) => {
  expect(() => decodeYaml(entry.repeat(400_000))).toThrow(StatusError);
});

test('reads the longest lines that may be keys in linear time', () => {
  const line = `- ${'['.repeat(390)}${'😀'.repeat(500)}${', a'.repeat(90)}${']'.repeat(390)}\n`;
  expect(decodeYaml(line.repeat(100)).value).toHaveLength(100);
});

test('a long prefix of tags is not copied for each of them', () => {
  const root = parseDocument(`%TAG !e! ${'x'.repeat(1_000_000)}\n---\n${'- !e!a 1\n'.repeat(3)}`);
  const tags = root?.kind === 'sequence' ? root.items.map((one) => one.kind === 'scalar' && one.tag) : [];
  expect(tags).toEqual(['!other', '!other', '!other']);
});
