import { describe, expect, test } from '@jest/globals';
import { assignment } from '../../output/environment.js';
import { parseEnvFile } from './envfile.js';

const parsed = (text: string | Buffer): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parseEnvFile(Buffer.from(text), 'x.env').entries).map(([name, value]) => [
      name,
      value.toString(),
    ]),
  );

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB+/=\n-----END CERTIFICATE-----\n';
const VALUES = [
  'p#ss "q" $HOME \\ x',
  '{"a":1}',
  ' lead ',
  'C:\\Users\\new',
  'a\\b',
  'a #b',
  CERTIFICATE,
  CERTIFICATE.replaceAll('\n', '\r\n'),
  "it's",
  "''",
  "'\n'",
  '\\',
  "\\'",
  `"'"`,
  '${VAR}',
  '`id`',
  '',
  ' ',
  '\n',
  'é€😀',
];

describe('any value survives', () => {
  const object = Object.fromEntries(VALUES.map((value, at) => [`V${at}`, value]));

  test('as get -o env prints it', () => {
    const text = Object.entries(object).map(([name, value]) => assignment(name, value));
    expect(parsed(text.join(''))).toEqual(object);
  });

  test('as jq and Python quote it', () => {
    const quoted = (inner: string) => (value: string) => `'${value.replaceAll("'", inner)}'`;
    for (const quote of [quoted(`'\\''`), quoted(`'"'"'`)]) {
      const text = Object.entries(object).map(([name, value]) => `${name}=${quote(value)}\n`);
      expect(parsed(text.join(''))).toEqual(object);
    }
  });
});

test.each([
  ['A=plain', 'plain'],
  ['export A=p#ss', 'p#ss'],
  [' A=two words', 'two words'],
  ['A=', ''],
  ['A=x\r', 'x'],
  ['\uFEFFA=x', 'x'],
  ['A= "x" # why', 'x'],
  [`A='x'\t#it's`, 'x'],
  ['A="a\nb"', 'a\nb'],
  ['A="a\\nb\\r \\"\\\\n\\$\\`"', 'a\nb\r "\\n$`'],
  ['# x\r\n\n  #\nA=1\n# y', '1'],
])('%j', (text, value) => {
  expect(parsed(text)).toEqual({ A: value });
});

test('a name may be __proto__', () => expect(Object.keys(parsed('__proto__=x'))).toEqual(['__proto__']));

test.each([
  ['A=1\nS3CRET', /^x\.env, line 2: write it as NAME=value/],
  ['A=S3CRET #b', /line 1: what is after #.*single quotes/],
  ['A= # S3CRET', /what is after #/],
  ['A=p#S3CRET "q" $HOME \\ x', /a quote or a backslash/],
  ['A={"S3CRET":1}', /a quote or a backslash/],
  ['A=C:\\S3CRET\\new', /a quote or a backslash/],
  ['A=`S3CRET`', /a quote or a backslash/],
  ['A="S3CRET" more', /a quote or a backslash/],
  [`A='S3CRET''B'`, /a quote or a backslash/],
  ['A= S3CRET', /spaces around/],
  ['# x\n\n  #\nA=S3CRET ', /line 4: spaces around/],
  ['B=1\nA="x\\tS3CRET"', /line 2: its double quotes have a backslash/],
  ["A=it's S3CRET", /the quote ' is not closed/],
  [`A='S3CRET\nB='x'`, /line 1: the quote ' is not closed/],
  ['A="S3CRET\nB=1', /line 1: the quote " is not closed/],
  ["A='it's S3CRET'", /the quote ' is not closed/],
  ['A=S3CRET\nB=\nA=1', /line 3: it has the name of line 1/],
  [`A=-----BEGIN\nS3CRET`, /line 2: .*several lines in single quotes/],
  [' \n# S3CRET', /^x\.env has no line NAME=value, so nothing/],
  ['', /has no line NAME=value/],
  [Buffer.from([0x41, 0x3d, 0xff]), /no text in UTF-8: .*--from-file/],
])('%j is refused, and nothing of it repeated', (text, why) => {
  expect(() => parsed(text)).toThrow(why);
  expect(() => parsed(text)).not.toThrow(/S3CRET/);
});

test('warns of variables that shells would put in', () => {
  const text = `A=\${HOME}/x\nB='\${HOME}'\nC="\\\${HOME}"\nD="a\${HOME}"\nE=\${\nF=$HOME\n`;
  const { warnings } = parseEnvFile(Buffer.from(text), 'x.env');
  expect(warnings.map((warning) => /line \d/.exec(warning)?.[0])).toEqual(['line 1', 'line 4']);
  expect(parsed(text)).toMatchObject({ A: '${HOME}/x', C: '${HOME}', D: 'a${HOME}', F: '$HOME' });
});

test('a large file is read to its first fault', () => {
  const text = `A='${"x'\\''".repeat(100_000)}\nB="${'\\n'.repeat(100_000)}\n`;
  expect(() => parsed(text)).toThrow(/line 1: the quote ' is not closed/);
});
