import type { Readable } from 'node:stream';

/** The chunks of a byte stream. The stream must have no encoding, as it would yield strings. */
export const chunksOf = (stream: Readable): AsyncIterable<Buffer> => stream;
