import { expect, test } from '@jest/globals';
import { idOf, type Line, type Schemas } from './judge/judge.js';
import { judgeOf } from './judges.js';
import { readVectors, readVectorText } from './read.js';

/** One test for each line of `<name>.jsonl`, named by its id. */
export function testVectors(name: string): void {
  const lines = readVectors<Line>(name);
  const schemas = JSON.parse(readVectorText('schemas.json')) as Schemas;
  const judge = judgeOf(name, { schemas, lines });
  if (judge === undefined) throw new Error(`nothing judges ${name}.jsonl`);
  test.each(lines.map((line) => [idOf(line), line] as const))('%s', (_, line) => {
    expect(() => judge(line)).not.toThrow();
  });
}
