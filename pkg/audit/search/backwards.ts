/** The lines of a file from its end to its beginning. */
import type { FileHandle } from 'node:fs/promises';
import { MAX_LINE_WITH_BODIES } from '../bounds.js';

/** A longer line is skipped: parsing it would hold up other requests. The server writes none. */
export const MAX_LINE = MAX_LINE_WITH_BODIES;
const CHUNK = 128 * 1024;
const LINE_FEED = 10;

/** Some whole lines that lie together. */
export interface Lines {
  /** The last first, without line feeds; undefined for one that is too long or cut off. */
  readonly lines: readonly { readonly text: Buffer | undefined; readonly start: number }[];
  /** Everything from here on was read, in bytes from the beginning of the file. */
  readonly start: number;
  /** Bytes that were read for them. */
  readonly bytes: number;
}

/**
 * `end`: offset in bytes, at which reading starts. The line at `end` counts only if its line feed is before `end`: a
 * search may have stopped within it, or its write was interrupted. Buffers at most two lines of the maximum length.
 */
export async function* linesBackwards(file: Pick<FileHandle, 'read'>, end: number): AsyncGenerator<Lines> {
  let at = end;
  let done = end;
  /** Pieces of a line whose beginning was not found yet, in the order of the file. */
  let rest: Buffer[] = [];
  /** Whether the line whose beginning is sought is cut off or too long. */
  let unusable = true;
  let lineEnd = end;
  while (at > 0) {
    const start = Math.max(0, at - CHUNK);
    const piece = await readBetween(file, start, at);
    const lines: { text: Buffer | undefined; start: number }[] = [];
    const take = (text: Buffer, begin: number): void => {
      const whole = rest.length === 0 ? text : Buffer.concat([text, ...rest]);
      const isTold = !unusable && whole.length <= MAX_LINE;
      if (begin < lineEnd) lines.push({ text: isTold ? whole : undefined, start: begin });
      rest = [];
      unusable = false;
      done = begin;
      // Before the line feed.
      lineEnd = begin - 1;
    };
    let stop = piece.length;
    for (let feed = lastFeed(piece, stop); feed >= 0; feed = lastFeed(piece, stop)) {
      take(piece.subarray(feed + 1, stop), start + feed + 1);
      stop = feed;
    }
    rest.unshift(piece.subarray(0, stop));
    if (start === 0) take(Buffer.alloc(0), 0);
    if (unusable || rest.reduce((sum, { length }) => sum + length, 0) > MAX_LINE) {
      rest = [];
      unusable = true;
      done = start;
    }
    yield { lines, start: done, bytes: piece.length };
    at = start;
  }
}

const lastFeed = (piece: Buffer, before: number): number =>
  before === 0 ? -1 : piece.lastIndexOf(LINE_FEED, before - 1);

/** Fewer bytes if the file has been truncated. */
async function readBetween(file: Pick<FileHandle, 'read'>, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
