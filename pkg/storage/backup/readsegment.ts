/** Reads a segment of the log, and checks all of it while it is read. */
import { isKey } from '../commitlimits.js';
import { MAX_KEY_BYTES } from '../interface.js';
import { blocksIn, DamagedBackup } from './blocks.js';
import { fail, isInteger, members } from './read.js';
import {
  decodeChanges,
  SEGMENT_FILE,
  type Change,
  type Mark,
  type SegmentEnd,
  type SegmentHeader,
} from './segmentformat.js';

export type SegmentPart =
  | { readonly part: 'header'; readonly header: SegmentHeader }
  | { readonly part: 'changes'; readonly changes: readonly Change[] }
  | { readonly part: 'mark'; readonly mark: Mark }
  /** The last part. `checksum`: of the whole file. */
  | {
      readonly part: 'end';
      readonly end: SegmentEnd;
      readonly checksum: Buffer;
      readonly seal: Buffer | undefined;
    };

/** The parts in order. A segment without `end` is incomplete. Throws DamagedBackup, and what `source` throws. */
export async function* readSegment(source: AsyncIterable<Buffer>): AsyncGenerator<SegmentPart> {
  const order = new Order();
  let header: SegmentHeader | undefined;
  let last: { readonly end: SegmentEnd; readonly checksum: Buffer } | undefined;
  let seal: Buffer | undefined;
  for await (const { type, payload, checksum, at } of blocksIn(source, SEGMENT_FILE)) {
    const bad = (why: string): DamagedBackup => new DamagedBackup(`is damaged at byte ${at}: ${why}`);
    if ((type === 'H') !== (header === undefined) || (type === 'S') !== (last !== undefined))
      throw bad(`a block of type ${type} has no place there`);
    if (seal !== undefined) throw bad('something follows the seal');
    if (type === 'H') {
      header = headerOf(payload) ?? fail(bad('it has no header'));
      order.begin(header.after);
      yield { part: 'header', header };
    } else if (type === 'C') {
      const changes = decodeChanges(payload) ?? fail(bad('a change is cut short'));
      if (!order.changes(changes)) throw bad('its changes are not in order');
      yield { part: 'changes', changes };
    } else if (type === 'M') {
      const mark = markOf(payload) ?? fail(bad('a mark says nothing'));
      if (!order.mark(mark)) throw bad('its marks are not in order');
      yield { part: 'mark', mark };
    } else if (type === 'E') {
      last = { end: endOf(payload) ?? fail(bad('its end says nothing')), checksum };
      if (!order.end(last.end)) throw bad('its end tells of other changes');
    } else seal = payload;
  }
  if (last === undefined || (seal === undefined) === header?.sealed)
    throw new DamagedBackup('is cut short: its end is missing');
  yield { part: 'end', ...last, seal };
}

/** Checks that revisions increase, and that marks are between commits. */
class Order {
  private revision = 0;
  private marked: Mark = { time: 0, revision: 0 };
  private count = 0;
  private bytes = 0;

  begin(after: number): void {
    this.revision = after;
  }

  changes(changes: readonly Change[]): boolean {
    for (const { key, value, revision } of changes) {
      const keyBytes = Buffer.byteLength(key);
      if (!isKey(key) || keyBytes > MAX_KEY_BYTES || revision <= this.revision) return false;
      this.revision = revision;
      this.count += 1;
      this.bytes += keyBytes + (value?.length ?? 0);
    }
    return true;
  }

  mark(mark: Mark): boolean {
    if (mark.revision < this.revision || mark.time < this.marked.time) return false;
    this.revision = mark.revision;
    this.marked = mark;
    return true;
  }

  end({ changes, bytes, time, revision }: SegmentEnd): boolean {
    const { marked } = this;
    return (
      changes === this.count &&
      bytes === this.bytes &&
      time === marked.time &&
      revision === marked.revision &&
      this.revision === revision
    );
  }
}

function headerOf(payload: Buffer): SegmentHeader | undefined {
  const { program, engine, base, previous, number, after, sealed } = members(payload);
  if (typeof program !== 'string' || typeof engine !== 'string') return undefined;
  if (typeof base !== 'string' || typeof previous !== 'string' || typeof sealed !== 'boolean')
    return undefined;
  if (!isInteger(number) || !isInteger(after)) return undefined;
  return { program, engine, base, previous, number, after, sealed };
}

function markOf(payload: Buffer): Mark | undefined {
  const { time, revision } = members(payload);
  return isInteger(time) && isInteger(revision) ? { time, revision } : undefined;
}

function endOf(payload: Buffer): SegmentEnd | undefined {
  const { changes, bytes, lineage } = members(payload);
  const mark = markOf(payload);
  if (mark === undefined || !isInteger(changes) || !isInteger(bytes) || typeof lineage !== 'string')
    return undefined;
  return { ...mark, changes, bytes, lineage };
}
