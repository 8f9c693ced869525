/** Reads of a store that another process owns, over the socket by which it owns it. */
import type { Socket } from 'node:net';
import {
  StorageError,
  type KeyRange,
  type ScanOptions,
  type ScanResult,
  type Storage,
  type StoredRecord,
} from '../interface.js';
import { watchedChanges } from '../changes.js';
import { pagesOf } from '../pages.js';
import { openRemote } from '../remote/open.js';
import { serveStorage } from '../remote/owner.js';
import { socketPort } from '../remote/socketport.js';
import type { ReadOnlyStorage } from './readonlystorage.js';

/** The size of a page that the owner sends, and how many records it reads before it checks their bytes. */
const PAGE_RECORDS = 500;
const PAGE_BYTES = 4 * 1024 * 1024;
const STEP_RECORDS = 50;
/** Includes the start of the owner. */
const ANSWER_MS = 30_000;

/** Serves the owner's end until the socket is closed. */
export function serveReads(store: Storage, socket: Socket): void {
  const refused = (): Promise<never> =>
    Promise.reject(
      new StorageError({ code: 'unavailable', reason: 'this process only reads', outcome: 'none' }),
    );
  serveStorage(
    { ...store, commit: refused, compact: refused, scan: (range, options) => page(store, range, options) },
    socketPort(socket),
  );
}

/** Returns at most a page, whatever the request, to bound the work for others. */
function page(store: Storage, range: KeyRange, options: ScanOptions = {}): Promise<ScanResult> {
  const limit = Math.min(options.limit ?? Infinity, PAGE_RECORDS);
  return collect(store, range, { ...options, limit }, { records: STEP_RECORDS, bytes: PAGE_BYTES });
}

/**
 * Reads `step.records` at a time until the requested number or `step.bytes` of values is reached. `more` may
 * be true at the end of the range.
 */
async function collect(
  store: Storage,
  range: KeyRange,
  { limit = Infinity, ...options }: ScanOptions,
  step: { readonly records: number; readonly bytes: number },
): Promise<ScanResult> {
  const revision = options.revision ?? (await store.currentRevision());
  const records: StoredRecord[] = [];
  const next = (): number => Math.min(limit - records.length, step.records);
  let bytes = 0;
  for await (const part of pagesOf(store, range, { revision, limit: next(), nextLimit: next })) {
    records.push(...part);
    for (const { value } of part) bytes += value.length;
    if (records.length >= limit || bytes >= step.bytes) return { revision, records, more: true };
  }
  return { revision, records, more: false };
}

/** No limit here, as the owner sends pages. */
const WHOLE = { records: Infinity, bytes: Infinity };

/**
 * Opens the reader's end. Rejects with StorageError `unavailable` if the owner does not answer as one of this
 * release.
 */
export async function readThrough(socket: Socket): Promise<ReadOnlyStorage> {
  const capabilities = { engine: 'embedded', shared: true, durable: true };
  const remote = openRemote(socketPort(socket), { capabilities });
  const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
  try {
    await remote.currentRevision();
  } catch (cause) {
    socket.destroy();
    const reason =
      'the process that has the store open does not let others read it: it is ending, or of another release, whose commands can';
    throw new StorageError({ code: 'unavailable', reason, outcome: 'none' }, { cause });
  } finally {
    clearTimeout(timer);
  }
  return {
    get: (key, options) => remote.get(key, options),
    scan: (range, options = {}) => collect(remote, range, options, WHOLE),
    changes: (after) => watchedChanges(remote, after),
    async close() {
      await remote.close();
      socket.destroy();
    },
  };
}
