import { createReadStream } from 'node:fs';
import { chunksOf } from '../../../pkg/apimachinery/chunks.js';

/** The bytes of the backup in a file; `-`: the standard input. Errors of the file come from the iteration. */
export const bytesOf = (path: string): AsyncIterable<Buffer> =>
  path === '-' ? process.stdin : chunksOf(createReadStream(path));
