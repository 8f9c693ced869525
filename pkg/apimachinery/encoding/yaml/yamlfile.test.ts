import { afterEach, expect, jest, test } from '@jest/globals';
import { parseYamlFile } from './yamlfile.js';

afterEach(() => void jest.restoreAllMocks());

test('reads YAML and JSON', () => {
  expect(parseYamlFile('a: [1, "b"]\n')).toEqual({ a: [1, 'b'] });
  expect(parseYamlFile('{"a": 1}')).toEqual({ a: 1 });
});

const SECRET = 'hunter2';
test.each([
  `keys:\n- secret: ${SECRET}\n : [`,
  `secret: {token: ${SECRET}\n: [`,
  `secret: *${SECRET}\n`,
  `secret: "${SECRET}\\q"\n`,
  `secret: "${SECRET}\n`,
  `secret: '${SECRET}\nx`,
  `a: b\n\tsecret: ${SECRET}\n`,
  `${SECRET}: 1\n${SECRET}: 2\n`,
  `secret: ${SECRET}: x\n`,
  `secret: [${SECRET}\n`,
  `secret: @${SECRET}\n`,
  `secret: \`${SECRET}\n`,
  `a: 1\n---\nsecret: ${SECRET}\n`,
  `]${SECRET}`,
  `secret: |${SECRET}\n`,
  `secret: &${SECRET} &${SECRET} x\n`,
  `%${SECRET} x y\n---\n]`,
  `a: ${'['.repeat(500)}${SECRET}`,
])('reports the position of an error in %j, and none of its text', (text) => {
  let told = '';
  expect(() => {
    try {
      parseYamlFile(text);
    } catch (error) {
      told = `${(error as Error).message} ${String((error as Error).cause)}`;
      throw error;
    }
  }).toThrow();
  expect(told).not.toContain(SECRET);
});

test.each([`secret: !${SECRET} x\n`, `%${SECRET} x\n---\na: 1\n`])('prints no warning for %j', (text) => {
  const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  parseYamlFile(text);
  expect(warned).not.toHaveBeenCalled();
});
