/** The bytes of a list: records as they are in memory, joined in pieces. */
import type { ResourceStore } from '../registry/resourcestore.js';
import type { Page } from '../registry/list.js';
import { apiVersionOf } from '../../api/resource.js';
import type { Entry } from '../cache/interface.js';

/** A piece of a streamed list is about this long, in bytes. */
const PIECE_BYTES = 128 * 1024;
const COMMA = 0x2c;
const BRACE = 0x7b;

/** `metadata` of a list. */
export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export function listMeta(page: Page): ListMeta {
  return { resourceVersion: String(page.revision), ...page.rest() };
}

/** A list as one document, for what is not sent as bytes. */
export function listDocument(store: ResourceStore, page: Page): object {
  const items = Array.from(page.entries, (entry) => itemOf(store, entry));
  return { ...listType(store), metadata: listMeta(page), items };
}

function listType({ definition }: ResourceStore): { kind: string; apiVersion: string } {
  return { kind: `${definition.kind}List`, apiVersion: apiVersionOf(definition) };
}

function itemOf(store: ResourceStore, entry: Entry): unknown {
  const object = entry.object();
  if (!store.definition.builtIn) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  return item;
}

/**
 * The list in pieces. A page with a limit is walked first, because its metadata, which comes before the items, tells
 * how it goes on.
 */
export function* listPieces(store: ResourceStore, page: Page, limited: boolean): Generator<Buffer> {
  const entries = limited ? [...page.entries] : page.entries;
  const head = JSON.stringify({ ...listType(store), metadata: listMeta(page) });
  const cut = store.definition.builtIn ? store.codec.metadataOffset : 0;
  let piece = Buffer.allocUnsafe(PIECE_BYTES);
  let used = piece.write(`${head.slice(0, -1)},"items":[`);
  let first = true;
  for (const { bytes } of entries) {
    if (used + bytes.length + 2 > piece.length) {
      yield piece.subarray(0, used);
      piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes.length + 2));
      used = 0;
    }
    if (!first) used = piece.writeUInt8(COMMA, used);
    first = false;
    if (cut > 0) used = piece.writeUInt8(BRACE, used);
    used += bytes.copy(piece, used, cut);
  }
  if (used + 3 > piece.length) {
    yield piece.subarray(0, used);
    piece = Buffer.allocUnsafe(3);
    used = 0;
  }
  used += piece.write(']}\n', used);
  yield piece.subarray(0, used);
}
