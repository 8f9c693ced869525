/** Compressed blocks of lists, for the next list that has them. */
import type { EntryBlock } from './blocks.js';

/** A block, joined and compressed. */
export interface DeflatedBlock {
  /** Raw deflate (RFC 1951) that ends on a byte, without a last block: chunks may follow one another. */
  readonly deflated: Buffer;
  /** CRC-32 of the plain bytes. */
  readonly crc: number;
  /** Length of the plain bytes. */
  readonly length: number;
  /** `crc32Shift(length)`. */
  readonly shift: number;
}

export interface BlockCache {
  /**
   * The cached block, else the result of `make`. Concurrent requests for a block share one call. Only for entries of
   * the cache: their revisions, which are unique in a store, identify a block. Those of derived objects are not, so their
   * blocks are not cached.
   */
  get(block: EntryBlock, make: () => Promise<DeflatedBlock>): DeflatedBlock | Promise<DeflatedBlock>;
  /** Compressed bytes held. */
  size(): number;
  counts(): BlockCacheCounts;
}

export interface BlockCacheCounts {
  readonly blocks: number;
  /** Compressed. */
  readonly bytes: number;
  /** Since the start. */
  readonly hits: number;
  readonly misses: number;
}

interface Kept {
  readonly revisions: Float64Array;
  block: DeflatedBlock | Promise<DeflatedBlock>;
  size: number;
}

/** @param limit of the compressed bytes; the least recently used blocks go first. */
export function createBlockCache(limit: number): BlockCache {
  const kept = new Map<string, Kept>();
  let size = 0;
  let hits = 0;
  let misses = 0;

  function drop(key: string, one: Kept): void {
    kept.delete(key);
    size -= one.size;
  }

  function made(key: string, one: Kept, block: DeflatedBlock): void {
    if (kept.get(key) !== one) return;
    one.block = block;
    one.size = block.deflated.length + one.revisions.byteLength;
    size += one.size;
    for (const [oldest, each] of kept) {
      if (size <= limit) return;
      drop(oldest, each);
    }
  }

  return {
    get(block, make) {
      if (block.entries.some(({ derived }) => derived === true)) return make();
      const key = keyOf(block);
      const known = kept.get(key);
      if (known !== undefined) {
        if (holds(known.revisions, block)) {
          kept.delete(key);
          kept.set(key, known);
          hits += 1;
          return known.block;
        }
        drop(key, known);
      }
      misses += 1;
      const making = make();
      const one: Kept = { revisions: revisionsOf(block), block: making, size: 0 };
      kept.set(key, one);
      making.then(
        (done) => made(key, one, done),
        () => kept.get(key) === one && drop(key, one),
      );
      return making;
    },
    size: () => size,
    counts: () => ({ blocks: kept.size, bytes: size, hits, misses }),
  };
}

const revisionsOf = ({ entries }: EntryBlock): Float64Array =>
  Float64Array.from(entries, ({ revision }) => revision);

function keyOf({ entries }: EntryBlock): string {
  return `${entries[0]?.revision}-${entries.at(-1)?.revision}-${entries.length}`;
}

function holds(revisions: Float64Array, { entries }: EntryBlock): boolean {
  return entries.every((entry, at) => entry.revision === revisions[at]);
}
