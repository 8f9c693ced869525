import { expect, test } from '@jest/globals';
import { joinedFrames } from './joinedframes.js';

const a = Buffer.from('one\n');
const b = Buffer.from('two\n');
const c = Buffer.from('three\n');
const join = (...frames: Buffer[]): Buffer =>
  joinedFrames(
    frames,
    frames.reduce((sum, { length }) => sum + length, 0),
  );

test('watches with the same frames share one buffer', () => {
  expect(join(a, b)).toBe(join(a, b));
});

test.each([
  ['one more', [a, b, c]],
  ['one fewer', [a]],
  ['others', [a, c]],
  ['another order', [b, a]],
  ['equal frames of another event', [a, Buffer.from(b)]],
])('%s: they are joined anew', (_what, frames) => {
  const before = join(a, b);
  const after = join(...frames);
  expect(after).not.toBe(before);
  expect(after.equals(Buffer.concat(frames))).toBe(true);
  expect(before.toString()).toBe('one\ntwo\n');
});
