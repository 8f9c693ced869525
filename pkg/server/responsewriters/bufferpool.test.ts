import { expect, test } from '@jest/globals';
import { PIECE_BYTES, WHOLE_BYTES, givePieceBack, takePiece } from './bufferpool.js';

test.each([
  ['a piece', PIECE_BYTES],
  ['a whole list', WHOLE_BYTES],
])('%s that is given back is taken again, by one', (_, bytes) => {
  const first = takePiece(bytes);
  givePieceBack(first.subarray(0, 10));
  givePieceBack(first);
  const [second, third] = [takePiece(bytes), takePiece(bytes)];
  expect(second.buffer).toBe(first.buffer);
  expect(third.buffer).not.toBe(first.buffer);
  expect([second.length, third.length]).toEqual([bytes, bytes]);
});

test('what is in use is taken by nobody else', () => {
  const taken = Array.from({ length: 200 }, () => takePiece(PIECE_BYTES));
  expect(new Set(taken.map(({ buffer }) => buffer)).size).toBe(200);
});

test('buffers of others are not kept', () => {
  const other = Buffer.alloc(PIECE_BYTES);
  givePieceBack(other);
  expect(takePiece(PIECE_BYTES).buffer).not.toBe(other.buffer);
});

test('what is longer than any is made', () => {
  const long = takePiece(WHOLE_BYTES + 1);
  givePieceBack(long);
  expect(long).toHaveLength(WHOLE_BYTES + 1);
  expect(takePiece(WHOLE_BYTES).buffer).not.toBe(long.buffer);
});
