/**
 * Verifies a backup and the segments of the log after it: whether they follow each other, and what the store contained
 * at a point in time.
 */
import type { Keyring } from '../encryption/interface.js';
import type { StoredRecord } from '../interface.js';
import { readBackup } from './read.js';
import { readSegment } from './readsegment.js';
import type { SegmentEnd, SegmentHeader, Mark, Change } from './segmentformat.js';
import { RecordCheck, type Checked, type WithSeeds } from './recordcheck.js';
import { checkSeal, type Seal } from './seal.js';
import { verifyBase, type Verified } from './verify.js';
import { DamagedBackup } from './blocks.js';

export interface ChainFile {
  readonly path: string;
  /** Returns the content from the beginning, at each call. */
  readonly read: () => AsyncIterable<Buffer>;
}

interface VerifiedSegment {
  readonly header: SegmentHeader;
  readonly end: SegmentEnd;
  /** The checksum of the whole segment, in hexadecimal. */
  readonly checksum: string;
  /** Undefined: the process that wrote it had no key. */
  readonly seal: Seal | undefined;
}

/** The last write of a key up to {@link VerifiedChain.point}. */
interface LastWrite {
  readonly revision: number;
  readonly deleted: boolean;
}

export interface VerifiedChain {
  readonly base: Verified;
  /** In the order of the files. */
  readonly segments: readonly VerifiedSegment[];
  /** The result of checking the records of all files. */
  readonly checked: Checked;
  /** The last state at or before the requested time. */
  readonly point: Mark;
  /** The last state of the chain. */
  readonly end: Mark;
  /** The keys that were written after the base, up to the point. */
  readonly written: ReadonlyMap<string, LastWrite>;
}

export interface ChainOptions {
  readonly keyring: Keyring;
  readonly withSeeds?: WithSeeds | undefined;
  /** The requested point in time, in ms since 1970. Default: the end of the chain. */
  readonly until?: number | undefined;
  /** Adds the name of the file to the error of `step`. */
  readonly naming: <T>(path: string, step: Promise<T>) => Promise<T>;
}

/**
 * Reads all files. Rejects with DamagedBackup, also for a segment that does not follow the file before it, and
 * NewerStore, through `naming`. The memory that it needs grows with the number of keys that were written after the
 * base.
 */
export async function verifyChain(
  base: ChainFile,
  segments: readonly ChainFile[],
  { keyring, withSeeds, until = Infinity, naming }: ChainOptions,
): Promise<VerifiedChain> {
  const check = new RecordCheck(keyring, withSeeds);
  const first = await naming(base.path, verifyBase(base.read(), check));
  const start: Mark = { time: Date.parse(first.header.time), revision: first.header.revision };
  const state = new StateAt(start, until);
  const verified: VerifiedSegment[] = [];
  for (const { path, read } of segments)
    verified.push(await naming(path, verifySegment(read(), [first, ...verified], state, check)));
  const { point, end, written } = state;
  return { base: first, segments: verified, checked: check.found(), point, end, written };
}

async function verifySegment(
  source: AsyncIterable<Buffer>,
  before: readonly [Verified, ...VerifiedSegment[]],
  state: StateAt,
  check: RecordCheck,
): Promise<VerifiedSegment> {
  let header: SegmentHeader | undefined;
  for await (const part of readSegment(source)) {
    if (part.part === 'header') {
      ({ header } = part);
      checkPredecessor(header, before, state.end);
    } else if (part.part === 'changes') {
      await check.add(part.changes.flatMap(recordOf));
      state.add(part.changes);
    } else if (part.part === 'mark') {
      if (!state.mark(part.mark))
        throw new DamagedBackup('is damaged: its times are before those of the file before it');
    } else if (header !== undefined) {
      const { end, checksum, seal } = part;
      const checked = seal === undefined ? undefined : checkSeal(seal, checksum, check.keyring);
      return { header, end, checksum: checksum.toString('hex'), seal: checked };
    }
  }
  throw new DamagedBackup('is cut short: its end is missing');
}

function checkPredecessor(
  { base, previous, number, after }: SegmentHeader,
  before: readonly [Verified, ...VerifiedSegment[]],
  end: Mark,
): void {
  const [first] = before;
  const wanted = before.length;
  if (base !== first.checksum)
    throw new DamagedBackup('is of the log of another backup: give the backup that it began with');
  if (number > wanted)
    throw new DamagedBackup(
      `is segment ${number} of the log, and segment ${wanted} is missing: give all segments in their order, or only those before it`,
    );
  if (number < wanted)
    throw new DamagedBackup(
      `is segment ${number} of the log, and stands where segment ${wanted} belongs: give each once, in their order`,
    );
  if (previous !== before.at(-1)?.checksum || after !== end.revision)
    throw new DamagedBackup(
      `is segment ${number} of the log, and was not written after the file that stands before it`,
    );
}

const recordOf = ({ key, value, revision }: Change): readonly StoredRecord[] =>
  value === undefined ? [] : [{ key, value, revision }];

/** Applies changes up to a point in time. */
class StateAt {
  readonly written = new Map<string, LastWrite>();
  point: Mark;
  end: Mark;
  private unmarked: [string, LastWrite][] = [];

  constructor(
    start: Mark,
    private readonly until: number,
  ) {
    [this.point, this.end] = [start, start];
  }

  add(changes: readonly Change[]): void {
    // Changes after the requested time belong to no mark that is applied.
    if (this.end.time > this.until) return;
    for (const { key, value, revision } of changes)
      this.unmarked.push([key, { revision, deleted: value === undefined }]);
  }

  /** Returns false if the mark is before the last one. */
  mark(mark: Mark): boolean {
    if (mark.time < this.end.time || mark.revision < this.end.revision) return false;
    this.end = mark;
    if (mark.time <= this.until) {
      for (const [key, write] of this.unmarked) this.written.set(key, write);
      this.point = mark;
    }
    this.unmarked = [];
    return true;
  }
}

/**
 * All records at the point of a chain, in no particular order. Rejects as {@link verifyChain}, and with DamagedBackup
 * if a file has changed since it was verified.
 */
export async function* recordsOfChain(
  base: ChainFile,
  segments: readonly ChainFile[],
  chain: VerifiedChain,
  naming: ChainOptions['naming'],
): AsyncGenerator<readonly StoredRecord[]> {
  const { written, point } = chain;
  const same = (found: Buffer, checksum: string | undefined): void => {
    if (found.toString('hex') !== checksum)
      throw new DamagedBackup('was changed while it was restored: run restore again');
  };
  for await (const part of named(base.path, readBackup(base.read()), naming))
    if (part.part === 'records') yield part.records.filter(({ key }) => !written.has(key));
    else if (part.part === 'end')
      await naming(
        base.path,
        promised(() => same(part.checksum, chain.base.checksum)),
      );
  for (const [nth, { path, read }] of segments.entries()) {
    const verified = chain.segments[nth];
    if (verified === undefined || verified.header.after >= point.revision) return;
    for await (const part of named(path, readSegment(read()), naming))
      if (part.part === 'changes')
        yield part.changes
          .flatMap(recordOf)
          .filter(({ key, revision }) => written.get(key)?.revision === revision);
      else if (part.part === 'end')
        await naming(
          path,
          promised(() => same(part.checksum, verified.checksum)),
        );
  }
}

const promised = async (step: () => void): Promise<void> => step();

async function* named<T>(
  path: string,
  parts: AsyncGenerator<T>,
  naming: ChainOptions['naming'],
): AsyncGenerator<T> {
  for (;;) {
    const { value, done } = await naming(path, parts.next());
    if (done === true) return;
    yield value;
  }
}
