/** Encodes a list item by item: all lengths are known from those of the items. */
import { sealHead, type TypeMeta } from './envelope.js';
import { codecOf } from './codec.js';
import { listMeta } from './meta.js';
import { newWriter, varintLength } from './wire.js';

const METADATA_TAG = 0x0a;
const ITEM_TAG = 0x12;

const metaCodec = codecOf(() => listMeta);

/** The size of an item of `length` bytes in its list. */
export const itemLength = (length: number): number => 1 + varintLength(length) + length;

/** The bytes before each item. */
export function itemHead(length: number): Uint8Array {
  return newWriter().uint32(ITEM_TAG).uint32(length).finish();
}

/**
 * The bytes of a list in its envelope before the first item; `sealTail()` ends it. `itemsLength`: the sum of {@link
 * itemLength}.
 */
export function listHead(type: TypeMeta, metadata: object, itemsLength: number): Buffer {
  const meta = newWriter().uint32(METADATA_TAG).bytes(metaCodec.encode(metadata)).finish();
  return Buffer.concat([sealHead(type, meta.length + itemsLength), meta]);
}
