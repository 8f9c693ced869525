/** The embedded engine: a multi-version store in one LMDB file, for one process. */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FIRST_REVISION, type Storage } from '../interface.js';
import { markStore, checkFiles } from './integrity/checkfiles.js';
import { DirectoryInUseError, prepareDirectoryLock, isOwned } from './directorylock.js';
import { serveReads } from './ownerreads.js';
import { openDiskReserve } from './diskreserve.js';
import {
  checkFormat,
  encodeRevision,
  FORMAT,
  META,
  oldestIn,
  openTables,
  readCounter,
  type Tables,
} from './tables.js';
import { EmbeddedStore, type HistoryOptions } from './store.js';
import type { Progress } from './writer.js';
import { codeOf } from '../../apimachinery/caught.js';

export interface EmbeddedOptions extends HistoryOptions {
  /** The directory of the files, created for this user only if absent. */
  readonly directory: string;
  /** Disk space held back for deletes and compaction on a full disk. Default 8 MiB. */
  readonly reserveBytes?: number;
  /** The maximum size of the file; beyond it, as on a full disk, writes are unavailable. Default 64 GiB. */
  readonly maxBytes?: number;
  /** For a restored store: revisions continue from here at least, and earlier ones count as compacted. */
  readonly bumpTo?: number | undefined;
}

const MIB = 1024 * 1024;

/**
 * Opens the store of a directory. This process owns the directory until {@link Storage.close}.
 * @throws DirectoryInUseError when a process has it open; Error when the files have another format, are
 *   damaged or missing, or cannot be opened
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Storage> {
  const { directory, maxBytes = 65_536 * MIB, reserveBytes = 8 * MIB } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  narrow(directory);
  if (await checkUnlessOwned(directory)) throw new DirectoryInUseError(directory);
  const lock = await prepareDirectoryLock(directory);
  let tables: Tables | undefined;
  try {
    makeLockFile(directory);
    tables = openTables(directory, maxBytes + 64 * MIB);
    for (const file of ['data.mdb', 'lock.mdb']) chmodSync(path.join(directory, file), 0o600);
    await lock.claim(tables);
    const progress = loadProgress(tables);
    if (options.bumpTo !== undefined) bump(tables, progress, options.bumpTo);
    markStore(directory);
    const reserve = await openDiskReserve(directory, tables, { reserveBytes, maxBytes });
    const release = async (opened: Tables) => {
      await opened.root.close();
      await reserve.close();
      await lock.release();
    };
    const store = storageOf(new EmbeddedStore(options, tables, reserve, progress, release));
    lock.serve((connection) => serveReads(store, connection));
    return store;
  } catch (error) {
    await tables?.root.close();
    await lock.release();
    throw error;
  }
}

/** More than the size that LMDB gives it. */
const LOCK_FILE_BYTES = 16 * 1024;

/**
 * LMDB maps its lock file without reserving disk space for it; on a full disk the process would end by
 * SIGBUS. The file is renamed into place, as another process may open the store, too. Throws Error on a full
 * disk.
 */
function makeLockFile(directory: string): void {
  const file = path.join(directory, 'lock.mdb');
  if (existsSync(file)) return;
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, Buffer.alloc(LOCK_FILE_BYTES), { mode: 0o600, flag: 'wx' });
    linkSync(draft, file);
  } catch (error) {
    // Another process was faster, or the file system has no links.
    if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes the rights of other users to the directory if this user owns it. A mounted volume may have another
 * owner; the files do not.
 */
function narrow(directory: string): void {
  try {
    chmodSync(directory, 0o700);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/** Reads the progress of the store; a new store is empty at the first revision. */
function loadProgress(tables: Tables): Progress {
  const format = readCounter(tables, META.format);
  checkFormat(format);
  if (format === undefined)
    tables.root.transactionSync(() => {
      tables.meta.putSync(META.format, encodeRevision(FORMAT));
      tables.meta.putSync(META.revision, encodeRevision(FIRST_REVISION));
    });
  return {
    newest: readCounter(tables, META.revision) ?? FIRST_REVISION,
    oldest: oldestIn(tables),
    compacted: readCounter(tables, META.compacted) ?? FIRST_REVISION,
  };
}

/** Durable when it returns. */
function bump(tables: Tables, progress: Progress, revision: number): void {
  if (progress.newest >= revision) return;
  tables.root.transactionSync(() => {
    tables.meta.putSync(META.revision, encodeRevision(revision));
    tables.meta.putSync(META.oldest, encodeRevision(revision));
  });
  [progress.newest, progress.oldest] = [revision, revision];
}

/** Returns an object of functions, so that wrappers can replace some of them. */
function storageOf(store: EmbeddedStore): Storage {
  return {
    capabilities: { engine: 'embedded', shared: false, durable: true },
    get: (key, options) => store.get(key, options),
    scan: (range, options) => store.scan(range, options),
    commit: (writes, guards) => store.commit(writes, guards),
    watch: (range, options) => store.watch(range, options),
    currentRevision: () => store.currentRevision(),
    revisionNow: () => store.revisionNow(),
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
  };
}

/**
 * Returns whether a process has the store open, whose writes during a check would not match; otherwise the files are undamaged. Rejects as {@link
 * checkFiles} throws.
 */
async function checkUnlessOwned(directory: string): Promise<boolean> {
  if (await isOwned(directory)) return true;
  try {
    checkFiles(directory);
  } catch {
    if (await isOwned(directory)) return true;
    // A process that had it open for a moment may have ended.
    checkFiles(directory);
  }
  return false;
}
