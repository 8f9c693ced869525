/** Sends a list as the bytes that are in memory. */
import type { Entry } from '../../cache/interface.js';
import type { Page } from '../../registry/generic/list.js';
import type { StoredKindRequest } from '../requestcontext.js';
import { LIST_TAIL, joinItems, listHead, listLength, listChunks, wholeList } from './listbody.js';
import type { BlockCache } from './listgzip/blockcache.js';
import { entryBlocks, type EntryBlock } from './listgzip/blocks.js';
import { gzipList } from './listgzip/gziplist.js';
import { WHOLE_BYTES, releaseChunk } from './bufferpool.js';
import { GZIP_FROM_BYTES, acceptsGzip, commonHeaders, sendBytes, sendChunks } from './send.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';

export interface SendPageOptions {
  /** Whether the page has a limit. It is walked first, as its metadata, before the items, have the continue token. */
  readonly limited: boolean;
  /** The cache of compressed blocks; absent for entries that do not come from the cache. */
  readonly blocks?: BlockCache;
}

/** Sends a short page in one chunk, and streams a long one, compressed if the client accepts it. */
export async function sendPlainPage(
  call: StoredKindRequest,
  contentType: string,
  page: Page,
  { limited, blocks }: SendPageOptions,
): Promise<void> {
  const { store } = call;
  const walked = limited ? [...page.entries] : page.entries;
  const head = listHead(store, page);
  const compress = acceptsGzip(call);
  if (!compress) {
    const { begun, rest } = await walkAhead(walked);
    if (rest !== undefined) {
      return sendListChunks(call, contentType, listChunks(store, head, chain(begun, rest)), false);
    }
    const length = listLength(store, head, begun);
    if (length <= WHOLE_BYTES) {
      const body = wholeList(store, head, begun);
      return sendBytes(call, 200, body, commonHeaders(call, contentType), () => releaseChunk(body));
    }
    return sendListChunks(call, contentType, listChunks(store, head, begun), false, length);
  }
  if (blocks === undefined)
    return sendListChunks(call, contentType, listChunks(store, head, walked), compress);
  const { first, rest, long } = beginBlocks(walked);
  if (!long) {
    const entries = first.flatMap((block) => block.entries);
    return sendListChunks(call, contentType, listChunks(store, head, entries), false);
  }
  const join = ({ entries }: EntryBlock): Buffer => joinItems(store, entries);
  const parts = { head, blocks: chain(first, rest), join, tail: LIST_TAIL };
  await sendChunks(call, 200, gzipList(parts, blocks), commonHeaders(call, contentType), 'done');
}

/** Maximum number of objects to walk before a list is sent. */
const WALKED_ENTRIES = 50_000;
/** Number of entries to walk in a turn. */
const WALKED_PER_TURN = 4_000;

/**
 * The list as far as it was walked; `rest` if there is more. A list that was walked completely is sent with its
 * length: TLS takes such chunks directly, and copies each chunk that HTTP has to frame.
 */
async function walkAhead(
  list: Iterable<Entry>,
): Promise<{ begun: readonly Entry[]; rest: Iterable<Entry> | undefined }> {
  const entries = list[Symbol.iterator]();
  const begun: Entry[] = [];
  const pause = slices();
  while (begun.length < WALKED_ENTRIES) {
    const next = entries.next();
    if (next.done === true) return { begun, rest: undefined };
    if (begun.push(next.value) % WALKED_PER_TURN === 0) await nextTurn();
    // The length of a derived object is known once its bytes were made.
    const turn = next.value.derived === true && next.value.byteLength > 0 ? pause() : undefined;
    if (turn !== undefined) await turn;
  }
  return { begun, rest: { [Symbol.iterator]: () => entries } };
}

/**
 * Sends the chunks of one answer, short ones joined. `compress`: long ones. `length`: of all chunks in bytes, if known
 * and uncompressed.
 */
export async function sendListChunks(
  call: StoredKindRequest,
  contentType: string,
  chunks: Iterator<Buffer> & Iterable<Buffer>,
  compress: boolean,
  length?: number,
): Promise<void> {
  const headers = commonHeaders(call, contentType);
  const begun: Buffer[] = [];
  for (let size = 0; size <= GZIP_FROM_BYTES;) {
    const { done, value } = chunks.next();
    if (done === true) return sendBytes(call, 200, Buffer.concat(begun, size), headers);
    begun.push(value);
    size += value.length;
    // A short chunk took long to make.
    if (value.length < GZIP_FROM_BYTES) await nextTurn();
  }
  if (call.exchange.end.over) return;
  if (length !== undefined) headers['Content-Length'] = String(length);
  await sendChunks(call, 200, chain(begun, chunks), headers, compress ? 'here' : 'none');
}

/** Takes blocks until the list is long enough to be compressed, or ends. */
function beginBlocks(list: Iterable<Entry>): {
  readonly first: readonly EntryBlock[];
  readonly rest: Iterable<EntryBlock>;
  readonly long: boolean;
} {
  const rest = entryBlocks(list);
  const first: EntryBlock[] = [];
  let bytes = 0;
  while (bytes <= GZIP_FROM_BYTES) {
    const next = rest.next();
    if (next.done === true) return { first, rest: [], long: false };
    first.push(next.value);
    bytes += next.value.byteLength;
  }
  return { first, rest, long: true };
}

function* chain<T>(first: Iterable<T>, rest: Iterable<T>): Generator<T> {
  yield* first;
  yield* rest;
}
