/** Cuts a list into blocks that stay the same while their objects do. */
import type { Entry } from '../../../cache/interface.js';

/** Neighbouring objects of a list. */
export interface EntryBlock {
  readonly entries: readonly Entry[];
  /** Of all entries together. */
  readonly byteLength: number;
}

/** No block but the last is shorter; one of fewer bytes compresses worse. */
const LEAST_BYTES = 48 * 1024;
/** A block ends at the latest with the entry that brings it here. */
const MAX_BYTES = 192 * 1024;
/** One of this many entries ends a block, as a power of two. */
const ENDS_BITS = 4;

/**
 * Blocks end at entries with certain revisions (content-defined chunking), not at a fixed size: a created, changed or
 * deleted object alters its own block and sometimes the next one, and no others.
 */
export function* entryBlocks(list: Iterable<Entry>): Generator<EntryBlock> {
  let entries: Entry[] = [];
  let byteLength = 0;
  for (const entry of list) {
    entries.push(entry);
    byteLength += entry.byteLength;
    if (byteLength < LEAST_BYTES || (byteLength < MAX_BYTES && !endsBlock(entry.revision))) continue;
    yield { entries, byteLength };
    entries = [];
    byteLength = 0;
  }
  if (entries.length > 0) yield { entries, byteLength };
}

/** Fibonacci hashing: revisions that follow each other are spread evenly. */
function endsBlock(revision: number): boolean {
  return Math.imul(revision % 0x100000000, 0x9e3779b1) >>> (32 - ENDS_BITS) === 0;
}
