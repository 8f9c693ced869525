import { expect, test } from '@jest/globals';
import { reportSparingly } from './ratelimitedlog.js';

test('repeats a message after half a minute, and logs another at once', () => {
  let now = 0;
  const said: string[] = [];
  const report = reportSparingly(
    (problem, error) => said.push(`${problem}: ${(error as Error).message}`),
    () => now,
  );
  for (const [at, text] of [
    [0, 'gone'],
    [29_999, 'gone'],
    [30_000, 'gone'],
    [30_001, 'other'],
    [30_002, 'other'],
    [30_003, 'gone'],
  ] as const) {
    now = at;
    report('store', new Error(text));
  }
  expect(said).toEqual(['store: gone', 'store: gone', 'store: other', 'store: gone']);
});
