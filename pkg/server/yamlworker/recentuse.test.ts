import { expect, test } from '@jest/globals';
import { recentUse } from './recentuse.js';

test('use decays with time', () => {
  let now = 0;
  const use = recentUse(() => now);
  use.add('a', 100);
  expect(use.of('a')).toBe(100);
  expect(use.of('b')).toBe(0);
  now = 10_000;
  expect(use.of('a')).toBe(50);
  use.add('a', 10);
  expect(use.of('a')).toBe(60);
  use.add('a', -100);
  expect(use.of('a')).toBe(0);
});
