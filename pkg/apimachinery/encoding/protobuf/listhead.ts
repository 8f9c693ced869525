/** A list is written item by item: every length before it is known from those of the items. */
import type { TypeMeta } from './envelope.js';
import { sealHead } from './envelope.js';
import { codecOf } from './codec.js';
import { listMeta } from './meta.js';
import { newWriter, varintLength } from './wire.js';

const METADATA_TAG = 0x0a;
const ITEM_TAG = 0x12;

const metaCodec = codecOf(() => listMeta);

/** The bytes that an item of `length` bytes takes in its list. */
export const itemLength = (length: number): number => 1 + varintLength(length) + length;

/** What stands before each item. */
export function itemHead(length: number): Uint8Array {
  return newWriter().uint32(ITEM_TAG).uint32(length).finish();
}

/** A list in its envelope up to the first item; `sealTail()` ends it. `itemsLength`: the sum of {@link itemLength}. */
export function listHead(type: TypeMeta, metadata: object, itemsLength: number): Buffer {
  const meta = newWriter().uint32(METADATA_TAG).bytes(metaCodec.encode(metadata)).finish();
  return Buffer.concat([sealHead(type, meta.length + itemsLength), meta]);
}
