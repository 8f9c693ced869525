import { newWriter } from './wire.js';

const TYPE_TAG = 0x0a;
const OBJECT_TAG = 0x12;
const RAW_TAG = 0x0a;

/**
 * Encodes one event of a watch: its length in four bytes, then `WatchEvent`, which has no envelope around the
 * enveloped object.
 */
export function watchEventFrame(type: string, sealed: Buffer): Buffer {
  const writer = newWriter().uint32(TYPE_TAG).string(type);
  const event = writer.uint32(OBJECT_TAG).fork().uint32(RAW_TAG).bytes(sealed).ldelim().finish();
  const frame = Buffer.allocUnsafe(4 + event.length);
  frame.writeUInt32BE(event.length);
  frame.set(event, 4);
  return frame;
}
