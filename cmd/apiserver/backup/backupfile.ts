import { createReadStream } from 'node:fs';

/** The bytes of the backup in a file; `-`: the standard input. Errors of the file come from the iteration. */
export const bytesOf = (path: string): AsyncIterable<Buffer> =>
  path === '-' ? process.stdin : (createReadStream(path) as AsyncIterable<Buffer>);
