/**
 * Writes a segment of the log: changes as the engine stores them, so encrypted at rest, and the times at which they
 * were read.
 */
import type { Transformer } from '../encryption/interface.js';
import type { ChangeReader } from '../changes.js';
import { BLOCK_BYTES, checksumOf, firstChecksum, headOf, type BlockType } from './format.js';
import { sealOf } from './seal.js';
import {
  encodeChange,
  SEGMENT_FILE,
  type Mark,
  type SegmentEnd,
  type SegmentHeader,
} from './segmentformat.js';

/** The interval between marks if nothing changes. */
const MARK_MS = 5_000;

export interface SegmentOptions {
  readonly header: Omit<SegmentHeader, 'sealed'>;
  /** The last mark before this segment. */
  readonly last: Mark;
  /** Encrypts the checksum; absent: the store is not encrypted. */
  readonly seal?: Transformer | undefined;
  readonly changes: ChangeReader;
  /** The lineage of the store at a revision. */
  readonly lineageAt: (revision: number) => Promise<string>;
  /** Resolves when the store should be read again; false: for the last time. */
  readonly wait: () => Promise<boolean>;
  /** In ms since 1970. */
  readonly now?: () => number;
  /** Called at the end. `checksum`: of the whole file, in hexadecimal. */
  readonly done: (end: SegmentEnd, checksum: string) => void;
}

/** The bytes of a segment. Rejects with StorageError. */
export async function* writeSegment(options: SegmentOptions): AsyncGenerator<Buffer> {
  const { header, seal, changes, lineageAt, wait, now = Date.now, done } = options;
  const blocks = new Blocks();
  let mark = options.last;
  let [count, bytes] = [0, 0];
  yield Buffer.concat([SEGMENT_FILE.magic, blocks.json('H', { ...header, sealed: seal !== undefined })]);
  for (let more = true; ;) {
    let { revision } = mark;
    for await (const batch of changes.untilNow()) {
      for (const { key, value } of batch.events) bytes += Buffer.byteLength(key) + (value?.length ?? 0);
      count += batch.events.length;
      for (const payload of payloadsOf(batch.events.map(encodeChange))) yield blocks.block('C', payload);
      ({ revision } = batch);
    }
    // If the clock was set back, the time of the last mark is used.
    const time = Math.max(now(), mark.time);
    if (revision !== mark.revision || !more || time - mark.time >= MARK_MS) {
      mark = { time, revision };
      yield blocks.json('M', mark);
    }
    if (!more) break;
    more = await wait();
  }
  const end: SegmentEnd = { ...mark, changes: count, bytes, lineage: await lineageAt(mark.revision) };
  yield blocks.json('E', end);
  const { checksum } = blocks;
  if (seal !== undefined) yield blocks.block('S', sealOf(seal, checksum));
  done(end, checksum.toString('hex'));
}

/** Encodes blocks, each with the checksum of everything before it. */
class Blocks {
  checksum = firstChecksum(SEGMENT_FILE);

  block(type: BlockType, payload: Buffer): Buffer {
    const head = headOf(type, payload.length);
    this.checksum = checksumOf(this.checksum, head, payload);
    return Buffer.concat([head, payload, this.checksum]);
  }

  json(type: BlockType, value: object): Buffer {
    return this.block(type, Buffer.from(JSON.stringify(value)));
  }
}

function* payloadsOf(changes: readonly Buffer[]): Generator<Buffer> {
  let [block, bytes]: [Buffer[], number] = [[], 0];
  for (const change of changes) {
    block.push(change);
    bytes += change.length;
    if (bytes < BLOCK_BYTES) continue;
    yield Buffer.concat(block);
    [block, bytes] = [[], 0];
  }
  if (block.length > 0) yield Buffer.concat(block);
}
