import { describe, expect, test } from '@jest/globals';
import { bitString, elements, integer, oid, sequence, time, utf8String } from './der.js';
import { ipBytes } from './ipbytes.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('DER', () => {
  test.each<[string, Buffer, string]>([
    ['nothing', sequence(), '3000'],
    ['zero', integer(Buffer.from([0])), '020100'],
    ['127', integer(Buffer.from([0x7f])), '02017f'],
    ['128', integer(Buffer.from([0x80])), '02020080'],
    ['ecPublicKey', oid('1.2.840.10045.2.1'), '06072a8648ce3d0201'],
    ['id-kp-serverAuth', oid('1.3.6.1.5.5.7.3.1'), '06082b06010505070301'],
    ['bits', bitString(Buffer.from([0x86]), 1), '03020186'],
    [
      'the last second with a short year',
      time(new Date('2049-12-31T23:59:59.9Z')),
      `170d${hex(Buffer.from('491231235959Z'))}`,
    ],
    [
      'the first with a long one',
      time(new Date('2050-01-01T00:00:00Z')),
      `180f${hex(Buffer.from('20500101000000Z'))}`,
    ],
    ['127 bytes', utf8String('x'.repeat(127)).subarray(0, 3), '0c7f78'],
    ['128 bytes', utf8String('x'.repeat(128)).subarray(0, 4), '0c818078'],
    ['256 bytes', utf8String('x'.repeat(256)).subarray(0, 5), '0c82010078'],
  ])('%s', (_name, bytes, expected) => expect(hex(bytes)).toBe(expected));

  test.each([0, 1, 127, 128, 255, 256, 65_535, 65_536])('%i bytes are read back', (length) => {
    const text = 'x'.repeat(length);
    const [first, second, ...rest] = elements(Buffer.concat([utf8String(text), sequence()]));
    expect(first?.content.toString()).toBe(text);
    expect([second?.tag, second?.content.length, rest]).toEqual([0x30, 0, []]);
  });

  test.each(['30', '3001', '3082', '308201', '0c0541'])('%s ends too early', (text) => {
    expect(() => elements(Buffer.from(text, 'hex'))).toThrow();
  });
});

test.each([
  ['127.0.0.1', '7f000001'],
  ['::', '0'.repeat(32)],
  ['::1', `${'0'.repeat(31)}1`],
  ['2001:db8::8:800:200c:417a', '20010db80000000000080800200c417a'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
  ['::ffff:10.1.2.3', '00000000000000000000ffff0a010203'],
  ['fe80::1%eth0', 'fe800000000000000000000000000001'],
])('address %s', (address, expected) => expect(hex(ipBytes(address))).toBe(expected));
