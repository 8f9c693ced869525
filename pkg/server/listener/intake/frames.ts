/** Frames of HTTP/2 (RFC 9113, 4 and 6), as far as header blocks are in them. */

export const HEADERS = 1;
export const PRIORITY = 2;
export const PUSH_PROMISE = 5;
export const CONTINUATION = 9;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
const PADDED = 0x8;
const WITH_PRIORITY = 0x20;
export const HEAD_BYTES = 9;
/** The largest payload that the listener allows, the default, in bytes. */
export const LARGEST_PAYLOAD = 16 * 1024;
const PRIORITY_BYTES = 5;

export interface FrameHead {
  /** Of the payload, in bytes. */
  readonly length: number;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

export const readHead = (bytes: Buffer, at: number): FrameHead => ({
  length: bytes.readUIntBE(at, 3),
  type: bytes.readUInt8(at + 3),
  flags: bytes.readUInt8(at + 4),
  stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
});

export const endsHeaders = ({ flags }: FrameHead): boolean => (flags & END_HEADERS) !== 0;
export const endsStream = ({ flags }: FrameHead): boolean => (flags & END_STREAM) !== 0;

/** Where the block is in the payload of a HEADERS frame that begins at `at`; undefined for padding beyond its end. */
export function blockIn(
  bytes: Buffer,
  at: number,
  head: FrameHead,
): readonly [start: number, end: number] | undefined {
  let start = at + HEAD_BYTES;
  let end = start + head.length;
  if ((head.flags & PADDED) !== 0) {
    if (head.length === 0) return undefined;
    end -= bytes.readUInt8(start);
    start += 1;
  }
  if ((head.flags & WITH_PRIORITY) !== 0) start += PRIORITY_BYTES;
  return start <= end ? [start, end] : undefined;
}

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

/** A block in as few frames as it fits in. */
export function headersFrames(stream: number, endStream: boolean, block: Buffer): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at === 0 || at < block.length; at += LARGEST_PAYLOAD) {
    const payload = block.subarray(at, at + LARGEST_PAYLOAD);
    const last = at + LARGEST_PAYLOAD >= block.length ? END_HEADERS : 0;
    if (at > 0) frames.push(frame(CONTINUATION, last, stream, payload));
    else frames.push(frame(HEADERS, last | (endStream ? END_STREAM : 0), stream, payload));
  }
  return Buffer.concat(frames);
}
