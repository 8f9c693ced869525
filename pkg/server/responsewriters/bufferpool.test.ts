import { expect, test } from '@jest/globals';
import { PIECE_BYTES, WHOLE_BYTES, releaseChunk, takeChunk } from './bufferpool.js';

test.each([
  ['a chunk', PIECE_BYTES],
  ['a whole list', WHOLE_BYTES],
])('reuses %s once after its release', (_, bytes) => {
  const first = takeChunk(bytes);
  releaseChunk(first.subarray(0, 10));
  releaseChunk(first);
  const [second, third] = [takeChunk(bytes), takeChunk(bytes)];
  expect(second.buffer).toBe(first.buffer);
  expect(third.buffer).not.toBe(first.buffer);
  expect([second.length, third.length]).toEqual([bytes, bytes]);
});

test('does not hand out a buffer that is in use', () => {
  const taken = Array.from({ length: 200 }, () => takeChunk(PIECE_BYTES));
  expect(new Set(taken.map(({ buffer }) => buffer)).size).toBe(200);
});

test('does not keep buffers from elsewhere', () => {
  const other = Buffer.alloc(PIECE_BYTES);
  releaseChunk(other);
  expect(takeChunk(PIECE_BYTES).buffer).not.toBe(other.buffer);
});

test("allocates a buffer for a request larger than the pool's", () => {
  const long = takeChunk(WHOLE_BYTES + 1);
  releaseChunk(long);
  expect(long).toHaveLength(WHOLE_BYTES + 1);
  expect(takeChunk(WHOLE_BYTES).buffer).not.toBe(long.buffer);
});
