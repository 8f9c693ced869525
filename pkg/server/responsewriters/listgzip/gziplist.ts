/**
 * A gzip stream put together from chunks that were compressed before (RFC 1951: deflate blocks that end on a byte may
 * follow one another; RFC 1952: one header before, CRC-32 and length after).
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { BlockCache, DeflatedBlock } from './blockcache.js';
import type { EntryBlock } from './blocks.js';
import { combineCrc32, crc32Shift } from './crc32combine.js';

/** A list as its parts: `head`, the blocks with `,` between them, `tail`. */
export interface ListParts {
  readonly head: Buffer;
  readonly blocks: Iterable<EntryBlock>;
  /** The items of a block with commas between them. */
  readonly join: (block: EntryBlock) => Buffer;
  readonly tail: Buffer;
}

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);
const DEFLATE_OPTIONS = { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_SYNC_FLUSH };

/** Magic, deflate, no flags, no time, fastest algorithm, unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
/** A last block without content. */
const LAST = Buffer.from([0x03, 0x00]);
const COMMA = Buffer.from(',');
/** Maximum size of a stored block (RFC 1951 section 3.2.4). */
const STORED_BYTES = 0xffff;
/** Chunks are sent together up to about this length. */
const SEND_BYTES = 128 * 1024;

/** A valid gzip of exactly the plain list. Compression is done off this thread. */
export async function* gzipList(parts: ListParts, cache: BlockCache): AsyncGenerator<Buffer> {
  let crc = 0;
  let length = 0;
  let chunks: Buffer[] = [HEADER];
  let waiting = 0;
  const add = (plain: Buffer): void => {
    crc = crc32(plain, crc);
    length += plain.length;
    chunks.push(stored(plain));
  };
  add(parts.head);
  let first = true;
  for (const block of parts.blocks) {
    if (!first) add(COMMA);
    first = false;
    const pending = cache.get(block, () => compress(parts.join(block)));
    const made = pending instanceof Promise ? await pending : pending;
    crc = combineCrc32(crc, made.crc, made.shift);
    length += made.length;
    chunks.push(made.deflated);
    waiting += made.deflated.length;
    if (waiting < SEND_BYTES) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    waiting = 0;
  }
  add(parts.tail);
  chunks.push(LAST, trailer(crc, length));
  yield Buffer.concat(chunks);
}

async function compress(plain: Buffer): Promise<DeflatedBlock> {
  const deflated = await deflate(plain, DEFLATE_OPTIONS);
  const { length } = plain;
  return { deflated, crc: crc32(plain), length, shift: crc32Shift(length) };
}

/** Uncompressed, as deflate blocks. */
function stored(plain: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < plain.length; at += STORED_BYTES) {
    const part = plain.subarray(at, at + STORED_BYTES);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(part.length, 1);
    head.writeUInt16LE(part.length ^ 0xffff, 3);
    chunks.push(head, part);
  }
  return Buffer.concat(chunks);
}

/** The length modulo 2^32. */
function trailer(crc: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(crc, 0);
  bytes.writeUInt32LE(length % 0x100000000, 4);
  return bytes;
}
