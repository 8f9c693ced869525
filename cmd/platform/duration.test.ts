import { expect, test } from '@jest/globals';
import { durationText, secondsOf } from './duration.js';

test.each([
  [86_399, '23h59m59s'],
  [2_592_000, '30d'],
  [129_600, '1d12h'],
])('%d seconds are %s, and back', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
  expect(secondsOf('--ttl', text)).toBe(seconds);
});
