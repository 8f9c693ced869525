import type { Readable } from 'node:stream';

/** More than its reader takes. */
export class TooLarge extends RangeError {
  override readonly name = 'TooLarge';
}

const NEWLINE = 0x0a;

/** What a stream of bytes brings, piece by piece; one that was given an encoding brings texts instead, so give it none. */
export const chunksOf = (stream: Readable): AsyncIterable<Buffer> => stream;

/** All of an answer. Throws TooLarge beyond `mostBytes`. */
export async function textOf(stream: Readable, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(stream)) {
    length += chunk.length;
    if (length > mostBytes) throw new TooLarge('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The lines of a stream of events, without their ends; empty ones too, and nothing of one that is cut off. Throws TooLarge for
 * one that is not complete after `mostBytes`.
 */
export async function* linesOf(stream: Readable, mostBytes: number): AsyncGenerator<string> {
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
    if (length > mostBytes) throw new TooLarge('an event is too large');
    if (rest.length > 0) begun.push(rest);
  }
}
