import { expect, test } from '@jest/globals';
import { testVectors } from '../../../../test/vectors/table.js';
import { parseShardSelector } from './shardselector.js';

testVectors('shards');

const RANGE = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";

test.each([
  ['too many ranges', Array.from({ length: 101 }, () => RANGE).join('||'), 'at most 100'],
  ['a long text', `${RANGE} //${'x'.repeat(64 * 1024)}`, 'at most 65536 characters'],
  ['a long path', RANGE.replace('metadata', `a${'.a'.repeat(30_000)}`), 'unsupported field path'],
  ['many calls', `x${'.f()'.repeat(15_000)}`, 'unsupported function "f"'],
  ['many brackets', '['.repeat(60_000), 'expression recursion limit exceeded: 250'],
  ['many signs', `${'!'.repeat(60_001)}x`, 'unsupported function "!_"'],
  ['many operators', `x${'+x'.repeat(30_000)}`, 'unsupported function "_+_"'],
  ['an open text', `'''${'\\a'.repeat(30_000)}`, 'token recognition error'],
  ['many open texts', `${"'''\\".repeat(15_000)}`, 'CEL parse error'],
])('refuses %s', (_, text, message) => {
  expect(() => parseShardSelector(text)).toThrow(
    expect.objectContaining({ code: 400, message: expect.stringContaining(message) }),
  );
});
