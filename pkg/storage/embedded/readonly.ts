/**
 * Reads the store of a directory that another process may have open, for commands beside a running server.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import type { ChangeReader, Changes } from '../changes.js';
import { DAMAGED, refuseUnreadable, StorageError, type StorageEvent } from '../interface.js';
import { announceReader, connectToOwner } from './directorylock.js';
import { checkFiles } from './integrity/checkfiles.js';
import { readThrough } from './ownerreads.js';
import type { ReadOnlyStorage } from './readonlystorage.js';
import { openUntil, ReopeningReads } from './reopeningreads.js';
import { openScans } from './scans.js';
import { asEvent, logBetween, readAt } from './state.js';
import { checkFormat, META, oldestIn, openTables, readCounter, type Tables } from './tables.js';

const MAP_BYTES = 65_600 * 1024 * 1024;

/** For this time an owner that does not answer may be shutting down; after it, it is of another release. */
const ENDING_MS = 3_000;

/** The most of the log that is read in one turn of the event loop. */
const CHANGES = 1_000;
const CHANGES_BYTES = 1024 * 1024;

/**
 * Opens a store for reading at the newest or an earlier revision (`compacted` if its history is gone). Reads
 * go through the process that has the store open, or to the files if there is none. No LMDB snapshot is held
 * between pages. Undefined: there is no store. Rejects with Error for files that are damaged or cannot be
 * read, and for an owner that does not answer.
 */
export async function readEmbedded(directory: string): Promise<ReadOnlyStorage | undefined> {
  if (!existsSync(path.join(directory, 'data.mdb'))) return undefined;
  const open = (): Promise<ReadOnlyStorage> => readOnce(directory);
  return new ReopeningReads(await openUntil(open, performance.now() + ENDING_MS), open);
}

async function readOnce(directory: string): Promise<ReadOnlyStorage> {
  const opening = await announceReader(directory);
  try {
    const owner = await connectToOwner(directory);
    if (owner !== undefined) return await readThrough(owner);
    checkFiles(directory);
    return await readFiles(openTables(directory, MAP_BYTES, true));
  } finally {
    await opening.end();
  }
}

async function readFiles(tables: Tables): Promise<ReadOnlyStorage> {
  try {
    checkFormat(readCounter(tables, META.format));
  } catch (error) {
    await tables.root.close();
    throw error;
  }
  const newest = (): number => readCounter(tables, META.revision) ?? 0;
  return {
    get: async (key, { revision = newest() } = {}) => {
      checkReadable(tables, revision);
      const record = readAt(tables, key, revision);
      refuseUnreadable(record);
      return { revision, record };
    },
    scan: (range, { limit = Infinity, revision = newest() } = {}) =>
      openScans(tables, () => checkReadable(tables, revision)).scan(range, revision, limit),
    changes: (after) => changesIn(tables, after),
    close: () => tables.root.close(),
  };
}

function changesIn(tables: Tables, after: number): ChangeReader {
  let position = after;
  const onNewSnapshot = <T>(step: () => T): T => {
    tables.root.resetReadTxn();
    try {
      return step();
    } finally {
      tables.root.resetReadTxn();
    }
  };
  return {
    async *untilNow() {
      const wanted = onNewSnapshot(() => readCounter(tables, META.revision) ?? 0);
      while (position < wanted) {
        const changes = onNewSnapshot(() => changesBetween(tables, position, wanted));
        position = changes.revision;
        yield changes;
        await nextTurn();
      }
    },
    close: () => undefined,
  };
}

/** Some of the changes, ending with a complete commit. Throws StorageError. */
function changesBetween(tables: Tables, after: number, last: number): Changes {
  checkReadable(tables, after);
  const events: StorageEvent[] = [];
  let bytes = 0;
  for (const { revision, entry } of logBetween(tables, after, last)) {
    if (entry === undefined)
      throw new StorageError({
        code: 'undecryptable',
        key: `revision ${revision}`,
        revision,
        keyName: DAMAGED,
      });
    events.push(asEvent(entry, revision));
    bytes += entry.value?.length ?? 0;
    if (entry.commitEnd && (events.length >= CHANGES || bytes >= CHANGES_BYTES)) return { events, revision };
  }
  return { events, revision: last };
}

/** Call it in the same turn of the event loop as the read, and so in its snapshot. Throws StorageError. */
function checkReadable(tables: Tables, revision: number): void {
  const oldest = oldestIn(tables);
  if (revision < oldest) throw new StorageError({ code: 'compacted', revision, oldest });
}
