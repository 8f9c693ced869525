import type { Page } from '../registry/list.js';

/** A piece of a streamed answer is about this long, in bytes. */
const PIECE_BYTES = 128 * 1024;
const COMMA = Buffer.from(',');

/** `head`, the items with commas between them, and `tail`, in pieces that are made as they are asked for. */
export function* joinPieces(head: string, items: Iterable<Buffer>, tail: string): Generator<Buffer> {
  let parts: Buffer[] = [Buffer.from(head)];
  let size = head.length;
  let first = true;
  for (const item of items) {
    if (size >= PIECE_BYTES) {
      yield Buffer.concat(parts);
      parts = [];
      size = 0;
    }
    if (first) first = false;
    else parts.push(COMMA);
    parts.push(item);
    size += item.length + 1;
  }
  parts.push(Buffer.from(tail));
  yield Buffer.concat(parts);
}

/** The page with its entries looked up, so that its metadata tells how it goes on. */
export function walked(page: Page): Page {
  return { ...page, entries: [...page.entries] };
}
