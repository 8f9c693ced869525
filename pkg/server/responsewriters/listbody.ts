/** The bytes of a list: records as they are in memory, joined in chunks. */
import type { ResourceStore } from '../../registry/resourcestore.js';
import type { Page, PageMeta } from '../../registry/generic/list.js';
import { apiVersionOf } from '../../../api/resource.js';
import type { Entry } from '../../cache/interface.js';
import { PIECE_BYTES, takeChunk } from './bufferpool.js';

const COMMA = 0x2c;
const BRACE = 0x7b;

/** `metadata` of a list. */
export interface ListMeta extends PageMeta {
  readonly resourceVersion: string;
}

export function listMeta(page: Page): ListMeta {
  return { resourceVersion: String(page.revision), ...page.rest() };
}

/** `kind` and `apiVersion` of a list of the kind. */
export function listType({ definition }: ResourceStore): { kind: string; apiVersion: string } {
  return { kind: `${definition.kind}List`, apiVersion: apiVersionOf(definition) };
}

/** An object as an item of a list: of a built-in kind without its own kind and apiVersion. */
export function itemOf(store: ResourceStore, entry: Entry): object {
  const object = entry.object();
  if (!store.definition.builtIn) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  return item;
}

/** A list up to its first item. The entries of a limited page must have been walked for the continue token. */
export function listHead(store: ResourceStore, page: Page): Buffer {
  const head = JSON.stringify({ ...listType(store), metadata: listMeta(page) });
  return Buffer.from(`${head.slice(0, -1)},"items":[`);
}

/** A list after its last item. */
export const LIST_TAIL = Buffer.from(']}\n');

/** The list in chunks, of {@link takeChunk}. */
export function* listChunks(store: ResourceStore, head: Buffer, entries: Iterable<Entry>): Generator<Buffer> {
  const cut = itemOffset(store);
  let chunk = takeChunk(PIECE_BYTES);
  let used = head.copy(chunk);
  let first = true;
  for (const { bytes } of entries) {
    if (used + bytes.length + 2 > chunk.length) {
      yield chunk.subarray(0, used);
      chunk = takeChunk(Math.max(PIECE_BYTES, bytes.length + 2));
      used = 0;
    }
    if (!first) used = chunk.writeUInt8(COMMA, used);
    first = false;
    used = copyItem(bytes, cut, chunk, used);
  }
  if (used + LIST_TAIL.length > chunk.length) {
    yield chunk.subarray(0, used);
    yield LIST_TAIL;
    return;
  }
  used += LIST_TAIL.copy(chunk, used);
  yield chunk.subarray(0, used);
}

/** The list in one chunk, of {@link takeChunk}. */
export function wholeList(store: ResourceStore, head: Buffer, entries: readonly Entry[]): Buffer {
  const cut = itemOffset(store);
  const length = listLength(store, head, entries);
  const whole = takeChunk(length).subarray(0, length);
  let used = head.copy(whole);
  for (const [index, { bytes }] of entries.entries()) {
    if (index > 0) used = whole.writeUInt8(COMMA, used);
    used = copyItem(bytes, cut, whole, used);
  }
  LIST_TAIL.copy(whole, used);
  return whole;
}

/** The number of bytes that {@link listChunks} yields. */
export function listLength(store: ResourceStore, head: Buffer, entries: readonly Entry[]): number {
  const cut = itemOffset(store);
  const commas = Math.max(0, entries.length - 1);
  let length = head.length + commas + LIST_TAIL.length;
  for (const { byteLength } of entries) length += cut > 0 ? byteLength - cut + 1 : byteLength;
  return length;
}

/** The items of a list with commas between them. */
export function joinItems(store: ResourceStore, entries: readonly Entry[]): Buffer {
  const cut = itemOffset(store);
  const room = entries.reduce((sum, { byteLength }) => sum + byteLength + 2, 0);
  const joined = Buffer.allocUnsafe(room);
  let used = 0;
  for (const { bytes } of entries) {
    if (used > 0) used = joined.writeUInt8(COMMA, used);
    used = copyItem(bytes, cut, joined, used);
  }
  return joined.subarray(0, used);
}

/** The offset of the metadata in the bytes of an object: items of built-in kinds begin there. */
const itemOffset = ({ definition, codec }: ResourceStore): number =>
  definition.builtIn ? codec.metadataOffset : 0;

/** Gives the end of the copy. */
function copyItem(bytes: Buffer, cut: number, into: Buffer, at: number): number {
  const start = cut > 0 ? into.writeUInt8(BRACE, at) : at;
  return start + bytes.copy(into, start, cut);
}
