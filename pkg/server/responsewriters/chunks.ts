import { beginSlice } from '../../apimachinery/eventloop/slices.js';
import type { Entry } from '../../cache/interface.js';
import type { Page } from '../../registry/generic/list.js';

/** A chunk of a streamed answer is about this long, in bytes, unless it takes long to make. */
const PIECE_BYTES = 128 * 1024;

/**
 * `head`, the items with `separator` between them, and `tail`, in chunks of about `pieceBytes` that are made as they are
 * asked for.
 */
export function* joinChunks(
  head: string,
  items: Iterable<Buffer>,
  tail: string,
  separator = ',',
  pieceBytes = PIECE_BYTES,
): Generator<Buffer> {
  const between = Buffer.from(separator);
  let parts: Buffer[] = [Buffer.from(head)];
  let size = head.length;
  let first = true;
  let isOver = beginSlice();
  for (const item of items) {
    if (size >= pieceBytes || isOver()) {
      yield Buffer.concat(parts);
      parts = [];
      size = 0;
      isOver = beginSlice();
    }
    if (first) first = false;
    else parts.push(between);
    parts.push(item);
    size += item.length + between.length;
  }
  parts.push(Buffer.from(tail));
  yield Buffer.concat(parts);
}

/** A page with its entries looked up, so that its metadata has the continue token. */
export type WalkedPage = Page & { readonly entries: readonly Entry[] };

export function walked(page: Page): WalkedPage {
  return { ...page, entries: [...page.entries] };
}
