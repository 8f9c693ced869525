import { describe, expect, test } from '@jest/globals';
import { HeaderDecoder, UndecodableBlock, type DecodedList } from './headerdecoder.js';

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replace(/ /g, ''), 'hex');

function decode(decoder: HeaderDecoder, hex: string): { list: DecodedList; fields: string[] } {
  const block = bytesOf(hex);
  const fields: string[] = [];
  const list = decoder.decode(block, 0, block.length, (...field) =>
    fields.push(
      field.map(({ bytes, start, end }) => Buffer.from(bytes.subarray(start, end)).toString()).join('|'),
    ),
  );
  return { list, fields };
}

const FIRST = [':method|GET', ':scheme|http', ':path|/', ':authority|www.example.com'];

describe('decodes the examples of RFC 7541', () => {
  test.each([
    [
      'C.3',
      '828684410f7777772e6578616d706c652e636f6d',
      '828684be58086e6f2d6361636865',
      '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
    ],
    [
      'C.4',
      '828684418cf1e3c2e5f23a6ba0ab90f4ff',
      '828684be5886a8eb10649cbf',
      '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
    ],
  ])('%s', (_name, first, second, third) => {
    const decoder = new HeaderDecoder();
    expect(decode(decoder, first).fields).toEqual(FIRST);
    expect(decode(decoder, second).fields).toEqual([...FIRST, 'cache-control|no-cache']);
    expect(decode(decoder, third).fields).toEqual([
      ':method|GET',
      ':scheme|https',
      ':path|/index.html',
      ':authority|www.example.com',
      'custom-key|custom-value',
    ]);
  });
});

test.each([
  ['an index of no entry', 'be'],
  ['index 0', '80'],
  ['a Huffman code with EOS', '0001 61 84 ffffffff'],
  ['padding of zeros', '0001 61 81 18'],
  ['padding of a byte', '0001 61 82 1fff'],
  ['a string beyond the block', '0001 61 05 61'],
  ['an endless integer', '7fffffffffffffffffff'],
  ['a size update after a field', '82 20'],
  ['a larger table', '3fe25f'],
])('refuses %s', (_name, hex) => {
  expect(() => decode(new HeaderDecoder(), hex)).toThrow(UndecodableBlock);
});

const literal = (name: string, value: string): string =>
  Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name, 'latin1'),
    Buffer.from([value.length]),
    Buffer.from(value, 'latin1'),
  ]).toString('hex');

test.each([
  ['a', 'b '],
  ['a', ' b'],
  ['a', '\t'],
  ['a', 'b\x01'],
  ['a', '\x7f'],
  ['a', 'b\0c'],
  ['a', 'b\r\nc'],

  ['a b', 'c'],
  ['', 'c'],
  ['A', 'c'],
  ['ä', 'c'],
  ['a\0', 'c'],
  ['a:', 'c'],
  ['host', 'a b'],
  ['host', 'a/b'],
])('says that the field %j: %j is not as it must be', (name, value) => {
  expect(decode(new HeaderDecoder(), literal(name, value)).list.sound).toBe(false);
});

test.each([
  ['a', ''],
  ['a', 'b\tc d'],
  ['a', '\xff\x80'],
  ["!#$%&'*+-.^_`|~0z", 'b'],
  ['host', '[::1]:80'],
])('takes the field %j: %j', (name, value) => {
  expect(decode(new HeaderDecoder(), literal(name, value)).list.sound).toBe(true);
});

test('remembers of a field in the table that it is not as it must be', () => {
  const decoder = new HeaderDecoder();
  expect(decode(decoder, '40 01 61 02 6220').list.sound).toBe(false);
  expect(decode(decoder, 'be').list.sound).toBe(false);
  expect(decode(decoder, '7e 01 62').list.sound).toBe(true);
});

test('counts a list as its limit does, and forgets entries that the table has no room for', () => {
  const decoder = new HeaderDecoder();
  expect(decode(decoder, `40 01 61 01 62`).list).toMatchObject({ bytes: 34, fields: 1 });
  expect(decode(decoder, 'bebe').list).toMatchObject({ bytes: 68, fields: 2 });
  decode(decoder, '20');
  expect(() => decode(decoder, 'be')).toThrow(UndecodableBlock);
});
