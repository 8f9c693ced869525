import type { Readable } from 'node:stream';

/** The stream exceeds the reader's limit. */
export class TooLarge extends RangeError {
  override readonly name = 'TooLarge';
}

const NEWLINE = 0x0a;

/** The chunks of a byte stream. The stream must have no encoding, as it would yield strings. */
export const chunksOf = (stream: Readable): AsyncIterable<Buffer> => stream;

/** Reads a response completely. Throws TooLarge beyond `maxBytes`. */
export async function textOf(stream: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(stream)) {
    length += chunk.length;
    if (length > maxBytes) throw new TooLarge('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The lines of an event stream, without line ends. Includes empty lines, but no incomplete last one. Throws TooLarge
 * for a line that exceeds `maxBytes`.
 */
export async function* linesOf(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(stream)) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      begun.push(chunk.subarray(from, end));
      const line = Buffer.concat(begun).toString('utf8');
      [begun, length, from] = [[], 0, end + 1];
      yield line;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > maxBytes) throw new TooLarge('an event is too large');
    if (rest.length > 0) begun.push(rest);
  }
}
