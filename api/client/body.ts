/** Answers that are read as they arrive. */

/** The answer exceeds the reader's limit. */
export class TooLarge extends RangeError {
  override readonly name = 'TooLarge';
}

const NEWLINE = 0x0a;
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads a response completely. Throws TooLarge beyond `maxBytes`. */
export async function textOf(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > maxBytes) throw new TooLarge('the answer is too large');
    parts.push(part);
  }
  return decoded(parts);
}

/**
 * The lines of an event stream, without line ends. Includes empty lines, but no last one that was cut off. Throws TooLarge
 * for a line that exceeds `maxBytes`.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string, void> {
  let begun: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      begun.push(chunk.subarray(from, end));
      const line = decoded(begun);
      [begun, length, from] = [[], 0, end + 1];
      yield line;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > maxBytes) throw new TooLarge('an event is too large');
    if (rest.length > 0) begun.push(rest);
  }
}

/** Most are within one chunk, which is not copied. */
function decoded(parts: readonly Uint8Array[]): string {
  const [first, ...further] = parts;
  if (first === undefined) return '';
  if (further.length === 0) return UTF8.decode(first);
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return UTF8.decode(whole);
}
