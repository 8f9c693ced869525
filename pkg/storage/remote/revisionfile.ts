/**
 * The newest revision in a file, which processes beside the owner of a store read without asking it. They
 * must not open LMDB's files for this: see ../embedded/directorylock.ts.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { StorageError, type Storage } from '../interface.js';

/** The number is written twice, so that an incomplete write is detected. */
const NUMBER_BYTES = 8;
const FILE_BYTES = 2 * NUMBER_BYTES;
const TRIES = 100;

/**
 * Wraps the store: each revision is written to the file before its commit is acknowledged. `close` closes the
 * file, too.
 */
export function notingRevisions(store: Storage, newest: number, file: string): Storage {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  const bytes = Buffer.alloc(FILE_BYTES);
  let noted = 0;
  const note = (revision: number): void => {
    if (revision <= noted) return;
    bytes.writeDoubleBE(revision, 0);
    bytes.writeDoubleBE(revision, NUMBER_BYTES);
    writeSync(descriptor, bytes, 0, FILE_BYTES, 0);
    noted = revision;
  };
  note(newest);
  return {
    ...store,
    async commit(writes, guards) {
      const result = await store.commit(writes, guards);
      try {
        note(result.revisions.at(-1) ?? 0);
      } catch (cause) {
        throw unavailable('the revision of the store cannot be noted', 'unknown', cause);
      }
      return result;
    },
    async close() {
      await store.close();
      closeSync(descriptor);
    },
  };
}

/** The newest revision of a store that another process has open. */
export interface RevisionReader {
  /**
   * At least the revision of every commit that was acknowledged before the call. Throws StorageError
   * `unavailable`.
   */
  newest(): number;
  close(): Promise<void>;
}

/** Throws Error if the file does not exist. */
export function openRevisionReader(file: string): RevisionReader {
  const descriptor = openSync(file, constants.O_RDONLY);
  const bytes = Buffer.alloc(FILE_BYTES);
  return {
    newest() {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const read = readSync(descriptor, bytes, 0, FILE_BYTES, 0);
        const revision = bytes.readDoubleBE(0);
        if (read === FILE_BYTES && revision === bytes.readDoubleBE(NUMBER_BYTES)) return revision;
      }
      throw unavailable('the revision of the store cannot be read', 'none');
    },
    close() {
      closeSync(descriptor);
      return Promise.resolve();
    },
  };
}

const unavailable = (reason: string, outcome: 'none' | 'unknown', cause?: unknown): StorageError =>
  new StorageError({ code: 'unavailable', reason, outcome }, { cause });
