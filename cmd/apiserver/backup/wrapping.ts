/** What goes around a whole backup. */
import { createReadStream } from 'node:fs';

/** How a backup is wrapped when it is made. */
export type Wrapping = Record<string, never>;
/** What opens one that is wrapped. */
export type Unwrapping = Record<string, never>;

export async function wrapped(
  chunks: AsyncIterable<Uint8Array>,
  _wrapping: Wrapping,
): Promise<AsyncIterable<Uint8Array>> {
  return chunks;
}

/** The bytes of the backup in a file; `-`: the standard input. Errors of the file come from the iteration. */
export async function readFileOf(path: string, _unwrapping: Unwrapping): Promise<AsyncIterable<Buffer>> {
  return path === '-' ? process.stdin : (createReadStream(path) as AsyncIterable<Buffer>);
}
