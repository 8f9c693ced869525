/** Writes a segment of the log: changes as the engine has them, encrypted as at rest, and the times at which they were seen. */
import type { Transformer } from '../encryption/interface.js';
import type { ChangeReader } from '../changes.js';
import type { BlockType } from './format.js';
import { BLOCK_BYTES, checksumOf, firstChecksum, headOf } from './format.js';
import { sealOf } from './seal.js';
import type { Mark, SegmentEnd, SegmentHeader } from './segmentformat.js';
import { encodeChange, SEGMENT_FILE } from './segmentformat.js';

/** A mark is made so often even where nothing changes. */
const MARK_MS = 5_000;

export interface SegmentOptions {
  readonly header: Omit<SegmentHeader, 'sealed'>;
  /** The last mark before this segment. */
  readonly last: Mark;
  /** Encrypts the checksum; absent: the store is not encrypted. */
  readonly seal?: Transformer | undefined;
  readonly changes: ChangeReader;
  /** Of the store at a revision. */
  readonly lineageAt: (revision: number) => Promise<string>;
  /** Resolves when the store is to be read once more; false: it is the last time. */
  readonly wait: () => Promise<boolean>;
  /** In ms since 1970. */
  readonly now?: () => number;
  /** Told at the end. `checksum`: of the whole, in hexadecimal. */
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
    // A clock that was set back counts from where it was.
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

/** Each with the checksum of all before it. */
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
