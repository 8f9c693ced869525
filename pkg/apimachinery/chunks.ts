import type { Readable } from 'node:stream';

/** What a stream of bytes brings, piece by piece; one that was given an encoding brings texts instead, so give it none. */
export const chunksOf = (stream: Readable): AsyncIterable<Buffer> => stream;
