/** Sends a list as protobuf. Its head contains the length of the rest, so the items are measured first. */
import { sealTail } from '../../apimachinery/encoding/protobuf/envelope.js';
import { itemHead, itemLength, listHead } from '../../apimachinery/encoding/protobuf/listhead.js';
import type { Entry } from '../../cache/interface.js';
import type { Page } from '../../registry/generic/list.js';
import type { StoredKindRequest } from '../requestcontext.js';
import { listMeta } from './listbody.js';
import { encodedEntry, protobufForm, type ProtobufForm } from './protobufforms.js';
import type { Representation } from './representation.js';
import { GZIP_FROM_BYTES, acceptsGzip, commonHeaders, sendBytes, sendChunks } from './send.js';
import { beginSlice, slices } from '../../apimachinery/eventloop/slices.js';

const PIECE_BYTES = 128 * 1024;

export async function sendProtobufPage(
  call: StoredKindRequest,
  representation: Representation,
  page: Page,
): Promise<void> {
  const form = protobufForm(call.store, representation);
  const { entries, length } = await measure(form, page);
  if (call.exchange.end.over) return;
  const head = listHead(form.list, listMeta(page), length);
  const tail = sealTail();
  const headers = commonHeaders(call, representation.contentType);
  const chunks = listChunks(form, head, entries, tail);
  const total = head.length + length + tail.length;
  if (total <= GZIP_FROM_BYTES) return sendBytes(call, 200, Buffer.concat([...chunks], total), headers);
  await sendChunks(call, 200, chunks, headers, acceptsGzip(call) ? 'here' : 'none');
}

async function measure(form: ProtobufForm, page: Page): Promise<{ entries: Entry[]; length: number }> {
  const entries: Entry[] = [];
  let length = 0;
  const pause = slices();
  for (const entry of page.entries) {
    entries.push(entry);
    length += itemLength(encodedEntry(form, entry).length);
    await pause();
  }
  return { entries, length };
}

function* listChunks(
  form: ProtobufForm,
  head: Buffer,
  entries: readonly Entry[],
  tail: Buffer,
): Generator<Buffer> {
  let parts: Uint8Array[] = [head];
  let size = head.length;
  let isOver = beginSlice();
  for (const entry of entries) {
    const encoded = encodedEntry(form, entry);
    parts.push(itemHead(encoded.length), encoded);
    size += encoded.length;
    if (size < PIECE_BYTES && !isOver()) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
    isOver = beginSlice();
  }
  parts.push(tail);
  yield Buffer.concat(parts);
}
