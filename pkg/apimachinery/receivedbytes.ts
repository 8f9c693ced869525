/** What a stream receives from the other end. */
import type { Readable } from 'node:stream';

/** Reads a stream, and calls `beyond` for each chunk after the first `maxBytes` of it. */
export function boundReceived(stream: Readable, maxBytes: number, beyond: () => void): void {
  let received = 0;
  stream.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBytes) beyond();
  });
}
