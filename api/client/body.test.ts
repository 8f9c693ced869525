import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { TooLarge, linesOf, textOf } from './body.js';

const streamOf = (...parts: string[]): Readable => Readable.from(parts.map((part) => Buffer.from(part)));

async function linesIn(stream: Readable, maxBytes = 8): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(stream, maxBytes)) lines.push(line);
  return lines;
}

describe('lines of a stream', () => {
  test.each<[string, string[], string[]]>([
    ['in one piece', ['a\nb\n'], ['a', 'b']],
    ['in pieces', ['a', 'b\nc', '\n'], ['ab', 'c']],
    ['that are empty', ['\na\n\n'], ['', 'a', '']],
    ['without an incomplete last line', ['a\nb'], ['a']],
    ['that together are longer than one may be', ['123456\n123456\n', '123456\n'], Array(3).fill('123456')],
  ])('%s', async (_what, parts, lines) => expect(await linesIn(streamOf(...parts))).toEqual(lines));

  test('rejects a line that is too long', async () => {
    await expect(linesIn(streamOf('a\n12345', '6789'))).rejects.toThrow(
      new TooLarge('an event is too large'),
    );
  });
});

test('reads a response up to the limit', async () => {
  expect(await textOf(streamOf('1234', '5678'), 8)).toBe('12345678');
  const refused = new TooLarge('the answer is too large');
  await expect(textOf(streamOf('1234', '56789'), 8)).rejects.toThrow(refused);
});
