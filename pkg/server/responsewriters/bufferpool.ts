/**
 * The buffers that lists are sent from, used again and again: memory outside of V8's heap that comes and goes as fast as
 * lists are sent makes V8 collect its whole heap several times a second.
 */

/** A chunk of a streamed list is about this long, in bytes. */
export const PIECE_BYTES = 128 * 1024;
/** Lists up to this many bytes are sent at once: each further write costs more than the memory that it saves. */
export const WHOLE_BYTES = 512 * 1024;

interface Pool {
  readonly bytes: number;
  /** Maximum number of free buffers. */
  readonly most: number;
  readonly free: ArrayBufferLike[];
}

const pools: readonly Pool[] = [
  { bytes: PIECE_BYTES, most: 64, free: [] },
  { bytes: WHOLE_BYTES, most: 16, free: [] },
];
const lent = new WeakMap<ArrayBufferLike, Pool>();

/** A buffer of at least this many bytes, with old content. */
export function takeChunk(bytes: number): Buffer {
  const pool = pools.find((each) => bytes <= each.bytes);
  if (pool === undefined) return Buffer.allocUnsafeSlow(bytes);
  const memory = pool.free.pop() ?? new ArrayBuffer(pool.bytes);
  lent.set(memory, pool);
  return Buffer.from(memory);
}

/** Releases a chunk, or the beginning of one, that is no longer read. Ignores other buffers. */
export function releaseChunk({ buffer }: Buffer): void {
  const pool = lent.get(buffer);
  lent.delete(buffer);
  if (pool !== undefined && pool.free.length < pool.most) pool.free.push(buffer);
}
