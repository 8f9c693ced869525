import { describe, expect, test } from '@jest/globals';
import { comparePosition, decodeValue, encodeValue } from './record.js';
import { revisionOf } from './revision.js';

describe('stored values', () => {
  test.each([
    [1, true, ''],
    [1, false, 'x'],
    [62, true, '{"kind":"Secret"}'],
    [63, false, '\u0001\u0000'],
  ])('are read as written: position %i, last %s, value %j', (position, last, text) => {
    const value = Buffer.from(text);
    const decoded = decodeValue(encodeValue(value, position, last));
    expect(decoded).toEqual({ position, last, foreign: false, value });
  });

  test.each(['', 'x', '{"a":1}', 'äöü', '中文'])('of others keep their bytes: %j', (text) => {
    const value = Buffer.from(text);
    expect(decodeValue(value)).toEqual({ position: 0, last: true, foreign: true, value });
  });

  test('are compared by position, whatever the value', () => {
    const values = ['', '\0', '\xff\xff\xff'].map((text) => Buffer.from(text, 'latin1'));
    for (let stored = 1; stored < 64; stored++) {
      for (const value of values) {
        const bytes = encodeValue(value, stored, true);
        for (const asked of [1, stored - 1, stored, stored + 1, 63].filter((one) => one > 0 && one < 64)) {
          const holds = comparePosition(Buffer.from('k'), revisionOf(9, asked)).every(
            ({ result, value: bound }) => {
              const order = Buffer.compare(bytes, bound as Buffer);
              return result === 'Less' ? order < 0 : order > 0;
            },
          );
          expect(holds).toBe(asked === stored);
        }
      }
    }
  });
});
