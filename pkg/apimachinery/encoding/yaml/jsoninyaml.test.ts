import { expect, test } from '@jest/globals';
import { isYamlToo } from './jsoninyaml.js';

const long = (count: number, part = 'x'): string => part.repeat(count);

test.each([
  '\n {"a": [1, "b: c"], "d":\t{}} \n',
  `{"a":"${long(5000)}"}`,
  `{"${long(1022)}":"${long(5000)}"}`,
  `{"${long(511, '\\"')}":1}`,
  `{"a":"${long(3000, '\\":')}","b":"${long(2000, '\\\\')}"}`,
  '{"a":"é😀\u00a0\\u00e9\\\\"}',
])('YAML reads %j as JSON is read', (json) => {
  expect(isYamlToo(json)).toBe(true);
});

test.each([
  '\t{}',
  '{}\n\t',
  '{"a"\n:1}',
  '{"a":"\\/"}',
  '{"a":"\\ud83d\\ude00"}',
  '{"a":"\x7f"}',
  '{"a":"\u2028"}',
  `{"${long(1023)}":1}`,
  `{"${long(512, '\\"')}":1}`,
  `{"${long(600, '\\\\')}":1}`,
  `{"a":"${long(2000)}","${long(400, 'x":'.replace('"', '\\"'))}":1}`,
])('YAML does not read %j as JSON is read', (json) => {
  expect(isYamlToo(json)).toBe(false);
});
