import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../../api/resource.js';
import { goStruct, goSyntax } from './govalue.js';

describe('values in messages', () => {
  test.each<[JsonValue, string, string]>([
    [['s'], '[s]', '[]interface {}{"s"}'],
    ['s', 's', '"s"'],
    [[], '[]', '[]interface {}{}'],
    [{}, 'map[]', 'map[string]interface {}{}'],
    [null, '<nil>', 'interface {}(nil)'],
    [true, 'true', 'true'],
    [
      { b: 1, a: [true, null, 1.5, 1e21, 1234567.25] },
      'map[a:[true <nil> 1.5 1e+21 1.23456725e+06] b:1]',
      'map[string]interface {}{"a":[]interface {}{true, interface {}(nil), 1.5, 1e+21, 1.23456725e+06}, "b":1}',
    ],
    [
      [null, 'q"x', 5, -0.00001],
      '[<nil> q"x 5 -1e-05]',
      '[]interface {}{interface {}(nil), "q\\"x", 5, -1e-05}',
    ],
  ])('%j', (value, plain, syntax) => {
    expect(goStruct(value, false)).toBe(`&{${plain}}`);
    expect(goSyntax(value)).toBe(syntax);
  });
  test('hides write-only fields', () => {
    expect(goStruct(['secret'], true)).toBe('&{<hidden>}');
  });
  test('truncates long values', () => {
    expect(goStruct(['x'.repeat(1_000_000)], false).length).toBeLessThan(5_000);
  });
});
