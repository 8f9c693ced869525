/** The embedded engine: a multi-version store in one LMDB file, for one process. */
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { FIRST_REVISION, StorageError } from '../interface.js';
import type { Storage, StorageEvent } from '../interface.js';
import { checkFiles, markStore } from './integrity.js';
import { checkCommit } from '../commitlimits.js';
import { HistoryMarks } from './retention.js';
import { prepareOwnership } from './directorylock.js';
import { openScans } from './scans.js';
import { openSpace } from './diskreserve.js';
import type { Space } from './diskreserve.js';
import { asEvent, logBetween, readAt } from './state.js';
import { encodeRevision, META, openTables, readCounter } from './tables.js';
import type { Tables } from './tables.js';
import { Tail } from './eventbuffer.js';
import { openWatch } from './watch.js';
import type { EventSource, OpenWatch } from './watch.js';
import { openWriter } from './writer.js';
import type { Progress } from './writer.js';

export { DirectoryInUseError } from './directorylock.js';

export interface EmbeddedOptions {
  /** Where the files lie; made when absent, for this user only. */
  readonly directory: string;
  /** How long old revisions can be read and watches resume. Default 600. */
  readonly historySeconds?: number;
  /** So many bytes of keys and values of history are kept at most, whatever their age. Default 512 MiB. */
  readonly historyBytes?: number;
  /** Disk space held back for deletes and compaction on a full disk. Default 8 MiB. */
  readonly reserveBytes?: number;
  /** The file grows no further: past it, as on a full disk, writes are unavailable. Default 64 GiB. */
  readonly maxBytes?: number;
}

const MIB = 1024 * 1024;
const FORMAT = 1;

/**
 * Opens the store of a directory, which this process then owns until {@link Storage.close}.
 *
 * @throws DirectoryInUseError when another process (or this one) has it open; Error when the files are of another
 *   format, damaged, gone, or cannot be opened.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Storage> {
  const { directory, maxBytes = 65_536 * MIB, reserveBytes = 8 * MIB } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  narrow(directory);
  checkFiles(directory);
  const ownership = await prepareOwnership(directory);
  let tables: Tables | undefined;
  try {
    tables = openTables(directory, maxBytes + 64 * MIB);
    for (const file of ['data.mdb', 'lock.mdb']) chmodSync(path.join(directory, file), 0o600);
    await ownership.claim(tables);
    const progress = loadProgress(tables);
    markStore(directory);
    const space = await openSpace(directory, tables, { reserveBytes, maxBytes });
    const release = async (opened: Tables) => {
      await opened.root.close();
      await space.close();
      await ownership.release();
    };
    return storageOf(options, tables, space, progress, release);
  } catch (error) {
    await tables?.root.close();
    await ownership.release();
    throw error;
  }
}

/** Takes others' rights to the directory away, if it is this user's (a mounted volume may not be; the files are). */
function narrow(directory: string): void {
  try {
    chmodSync(directory, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Where the store stands; a new one begins at the first revision, empty. */
function loadProgress(tables: Tables): Progress {
  const format = readCounter(tables, META.format);
  if (format === undefined) {
    tables.root.transactionSync(() => {
      tables.meta.putSync(META.format, encodeRevision(FORMAT));
      tables.meta.putSync(META.revision, encodeRevision(FIRST_REVISION));
    });
  } else if (format !== FORMAT) {
    throw new Error(`the data has format ${format}; this version reads format ${FORMAT}`);
  }
  return {
    newest: readCounter(tables, META.revision) ?? FIRST_REVISION,
    oldest: readCounter(tables, META.oldest) ?? FIRST_REVISION,
    swept: readCounter(tables, META.swept) ?? FIRST_REVISION,
  };
}

function storageOf(
  options: EmbeddedOptions,
  tables: Tables,
  space: Space,
  progress: Progress,
  release: (tables: Tables) => Promise<void>,
): Storage {
  const seconds = options.historySeconds ?? 600;
  const limits = { seconds, bytes: options.historyBytes ?? 512 * MIB };
  const marks = new HistoryMarks(limits, tables.meta.get(META.marks)?.toString());
  const tail = new Tail(progress.newest);
  const watches = new Set<OpenWatch>();
  let closed: Promise<void> | undefined;
  const checkOpen = (): void => {
    if (closed !== undefined) throw closedError();
  };
  const scans = openScans(tables, checkOpen);

  const source: EventSource = {
    newest: () => progress.newest,
    oldest: () => progress.oldest,
    after: (revision) => (revision >= tail.after ? tail.since(revision) : fromLog(revision)),
  };
  function* fromLog(revision: number): Generator<StorageEvent> {
    if (revision < progress.oldest) throw compacted(revision, progress);
    for (const entry of logBetween(tables, revision, progress.newest)) yield asEvent(entry);
  }

  const writer = openWriter({
    tables,
    space,
    marks,
    progress,
    published: (events) => {
      tail.push(events);
      for (const watch of watches) watch.wake();
    },
    oldestInUse: scans.oldestInUse,
  });
  const ticking = setInterval(() => writer.tick(), Math.min(15_000, Math.max(250, seconds * 100)));
  ticking.unref();

  return {
    capabilities: { engine: 'embedded', shared: false, durable: true },
    get: async (key, { revision } = {}) => {
      checkOpen();
      const at = readable(revision, progress);
      return { revision: at, record: readAt(tables, key, at) };
    },
    scan: async (range, { revision, limit = Infinity } = {}) => {
      checkOpen();
      return scans.scan(range, readable(revision, progress), limit);
    },
    commit: async (writes, guards = []) => {
      checkOpen();
      return writer.commit({ writes, guards }, checkCommit(writes, guards));
    },
    watch: (range, { after = progress.newest, standing } = {}) => {
      const watch = openWatch(source, range, after, (ended) => watches.delete(ended));
      watches.add(watch);
      if (closed !== undefined) watch.cancel();
      else if (after >= source.oldest()) standing?.();
      return watch;
    },
    currentRevision: async () => {
      checkOpen();
      return progress.newest;
    },
    compact: async (revision) => {
      checkOpen();
      if (revision > progress.newest) throw future(revision, progress);
      if (revision > progress.oldest) await writer.forget(revision);
    },
    close: () => {
      closed ??= (async () => {
        clearInterval(ticking);
        await writer.close();
        for (const watch of watches) watch.cancel();
        await release(tables);
      })();
      return closed;
    },
  };
}

/** The revision to read at. @throws StorageError `compacted`, `future revision` */
function readable(revision: number | undefined, progress: Progress): number {
  if (revision === undefined) return progress.newest;
  if (revision > progress.newest) throw future(revision, progress);
  if (revision < progress.oldest) throw compacted(revision, progress);
  return revision;
}

function compacted(revision: number, { oldest }: Progress): StorageError {
  return new StorageError({ code: 'compacted', revision, oldest });
}

function future(revision: number, { newest }: Progress): StorageError {
  return new StorageError({ code: 'future revision', revision, current: newest });
}

function closedError(): StorageError {
  return new StorageError({ code: 'unavailable', reason: 'the store is closed', outcome: 'none' });
}
