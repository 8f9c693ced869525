/**
 * Random numbers through every format and patch: what fits int64 stays exact, others are float64, as in Kubernetes.
 * `FUZZ_NUMBERS` (2000) is how many; `SEED` repeats a run.
 */
import { expect, test } from '@jest/globals';
import type { JsonValue } from '../../api/resource.js';
import { int64, parseExact } from '../../api/exactjson.js';
import { codecOf } from '../../pkg/apimachinery/encoding/protobuf/codec.js';
import { encodeValue } from '../../pkg/apimachinery/encoding/canonical.js';
import { decodeJson } from '../../pkg/apimachinery/encoding/json.js';
import { decodeYaml, encodeYaml } from '../../pkg/apimachinery/encoding/yaml/yaml.js';
import { runToCompletion } from '../../pkg/apimachinery/eventloop/slices.js';
import { parseElement, valueElement } from '../../pkg/apimachinery/managedfields/fieldpath/element.js';
import { decodeJsonPatch, decodeMergePatch } from '../../pkg/apimachinery/patch/decode.js';
import { jsonPatchSteps } from '../../pkg/apimachinery/patch/jsonpatch.js';
import { applyMergePatch } from '../../pkg/apimachinery/patch/mergepatch.js';
import { randomNumbers } from '../fixtures/clients/random.js';

const COUNT = Number(process.env.FUZZ_NUMBERS ?? '2000');
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const IN_ONE = 200;
const random = randomNumbers(SEED);
const pick = (below: number): number => Math.floor(random() * below);

const EDGES = [
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
];

function digits(count: number): string {
  const text = Array.from({ length: count }, () => pick(10)).join('');
  return text.replace(/^0+(?=\d)/, '');
}

/** The text of a number, by JSON's grammar. */
function numberText(): string {
  const sign = pick(2) === 0 ? '-' : '';
  switch (pick(5)) {
    case 0:
      return sign + (EDGES[pick(EDGES.length)] as string);
    case 1:
      return sign + digits(1 + pick(22));
    case 2:
      return sign + digits(15 + pick(5));
    case 3:
      return `${sign}${digits(1 + pick(18))}.${Array.from({ length: 1 + pick(18) }, () => pick(10)).join('')}`;
    default:
      return `${sign}${digits(1 + pick(17))}${['e', 'E'][pick(2)]}${['', '+', '-'][pick(3)]}${pick(40)}`;
  }
}

/** As `k8s.io/apimachinery` reads and writes it (`pkg/util/json`: int64 where it fits, else float64). */
function expected(text: string): string {
  if (/^-?\d+$/.test(text)) {
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) === value) return String(value);
  }
  return JSON.stringify(Number(text));
}

/** One text with many of them, and what each becomes. */
function document(): { text: string; wanted: string } {
  const numbers = Array.from({ length: IN_ONE }, numberText);
  const space = (): string => ['', ' ', '\n', '\t'][pick(4)] as string;
  const members = (of: (text: string) => string, gap: () => string): string =>
    numbers.map((each, at) => `"k${String(at).padStart(3, '0')}":${gap()}${of(each)}`).join(',');
  const list = numbers.map((each) => space() + each + space()).join(',');
  const text = `{"a":{${members((each) => each, space)}},"b":[${list}],"c":"${numbers.join(':')} ,${numbers.join(',')}"}`;
  const wanted = `{"a":{${members(expected, () => '')}},"b":[${numbers.map(expected).join(',')}],"c":"${numbers.join(':')} ,${numbers.join(',')}"}`;
  return { text, wanted };
}

const same = (text: string, wanted: string): void => {
  if (text !== wanted) expect({ seed: SEED, text }).toEqual({ seed: SEED, text: wanted });
};

test(`${COUNT} numbers stay what they are`, () => {
  for (let done = 0; done < COUNT; done += IN_ONE) {
    const { text, wanted } = document();
    const value = decodeJson(text).value;
    same(encodeValue(value), wanted);
    same(JSON.stringify(parseExact(text)), wanted);
    // Stored, and read again.
    same(encodeValue(parseExact(wanted)), wanted);
    same(encodeValue(decodeYaml(text).value), wanted);
    same(encodeValue(decodeYaml(encodeYaml(value).toString()).value), wanted);
    const merged = applyMergePatch(
      { a: { other: 1 } },
      runToCompletion(decodeMergePatch(text, 'Strict')).value,
    );
    same(encodeValue((merged as { b: JsonValue }).b), encodeValue((value as { b: JsonValue }).b));
    for (const item of (parseExact(wanted) as { b: JsonValue[] }).b) {
      const printed = encodeValue(item);
      const element = parseElement(valueElement(item));
      same(element?.kind === 'value' ? encodeValue(element.value) : '', printed);
      const operations = (of: string): JsonValue =>
        runToCompletion(
          decodeJsonPatch(
            `[{"op":"test","path":"/n","value":${of}},{"op":"add","path":"/m","value":${of}}]`,
            'Warn',
          ),
        ).value;
      same(
        encodeValue(runToCompletion(jsonPatchSteps({ n: item }, operations(printed)))),
        `{"m":${printed},"n":${printed}}`,
      );
      if (/^-?\d{1,18}$/.test(printed)) {
        const next = String(BigInt(printed) + 1n);
        expect(() => runToCompletion(jsonPatchSteps({ n: item }, operations(next)))).toThrow();
      }
    }
  }
});

test('int64 fields of protobuf have every value', () => {
  const codec = codecOf(() => ({
    fields: [{ name: 'n', number: 1, type: 'int64', shape: 'one', keepEmpty: true }],
  }));
  const values = Array.from({ length: 500 }, () => BigInt.asIntN(64, BigInt(digits(1 + pick(19)))));
  for (const value of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), ...values, ...values.map((each) => -each)]) {
    const n = int64(value) ?? 0;
    expect(codec.decode(codec.encode({ n }))).toEqual({ n });
  }
});

test.each([
  ['a long name', '{"a":1,12345678901234567:2}'],
  ['a sign before it', '{"a":+12345678901234567}'],
  ['zeros before it', '{"a":00012345678901234567}'],
  ['a letter behind it', '{"a":12345678901234567x}'],
  ['two numbers', '{"a":1 12345678901234567}'],
])('%s is no JSON', (_what, text) => {
  expect(() => parseExact(text)).toThrow(SyntaxError);
});

test('a member called __proto__ is one', () => {
  const value = parseExact('{"__proto__":12345678901234567,"a":{"__proto__":{"b":12345678901234567}}}');
  expect(JSON.stringify(value)).toBe(
    '{"__proto__":12345678901234567,"a":{"__proto__":{"b":12345678901234567}}}',
  );
});
