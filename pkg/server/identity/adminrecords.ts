/** The private records of administrators' keys: one for each kubeconfig that a server was told to write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { prefixEnd, type Storage } from '../../storage/interface.js';
import { followRange } from './followrange.js';

/** Begins the keys of the records; what follows names the kubeconfig. */
export const ADMIN_KEYS = 'private/adminkey/';
const RANGE = { start: ADMIN_KEYS, end: prefixEnd(ADMIN_KEYS) };

/** One record: the hash of a key, never the key. */
export interface AdminRecord {
  /** The record's key in the store. */
  readonly key: string;
  readonly hash: Buffer;
  /** When a server last said that it still uses it, in ms since 1970. */
  readonly renewed: number;
  /** The revision of the record. */
  readonly revision: number;
}

export interface AdminRecords {
  readonly records: readonly AdminRecord[];
  /** The revision at which this was true. */
  readonly revision: number;
}

interface StoredKey {
  /** base64. */
  readonly hash: string;
  /** RFC 3339. */
  readonly created: string;
  /** RFC 3339; absent: not since it was created. */
  readonly renewed?: string;
}

export async function readAdminRecords(storage: Storage): Promise<AdminRecords> {
  const { records, revision } = await storage.scan(RANGE);
  return { records: records.map(({ key, value, revision: at }) => recordOf(key, value, at)), revision };
}

function recordOf(key: string, value: Buffer, revision: number): AdminRecord {
  const stored = JSON.parse(value.toString('utf8')) as StoredKey;
  const renewed = Date.parse(stored.renewed ?? stored.created);
  return { key, hash: Buffer.from(stored.hash, 'base64'), renewed, revision };
}

/** The value of a record that is created or renewed at `now`. */
export function adminRecordValue(hash: Buffer, now: number): Buffer {
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const stored: StoredKey = { hash: hash.toString('base64'), created: time, renewed: time };
  return Buffer.from(JSON.stringify(stored));
}

/** The hashes in force, kept current. */
export interface AdminKeyHashes {
  /** A hash that stays in force stays the same Buffer. */
  current(): readonly Buffer[];
  /** Waits a little for the record with this key, which was just written. */
  known(key: string): Promise<void>;
  close(): void;
}

const KNOWN_TRIES = 200;
const KNOWN_PAUSE_MS = 10;

/**
 * Follows the records, so that a key that any server replaced stops working at once. While the store is out of reach
 * the last known hashes stay in force.
 */
export async function followAdminKeys(storage: Storage): Promise<AdminKeyHashes> {
  const hashes = new Map<string, Buffer>();
  let current: readonly Buffer[] = [];

  function keep({ key, hash }: Pick<AdminRecord, 'key' | 'hash'>): void {
    if (hashes.get(key)?.equals(hash) !== true) hashes.set(key, hash);
  }
  const following = await followRange(storage, RANGE, {
    reset({ records }) {
      const names = new Set(records.map(({ key }) => key));
      for (const key of hashes.keys()) if (!names.has(key)) hashes.delete(key);
      for (const { key, value, revision } of records) keep(recordOf(key, value, revision));
      current = [...hashes.values()];
    },
    changed(events) {
      for (const { key, value, revision } of events) {
        if (value === undefined) hashes.delete(key);
        else keep(recordOf(key, value, revision));
      }
      current = [...hashes.values()];
    },
  });
  return {
    current: () => current,
    async known(key) {
      for (let tries = 0; tries < KNOWN_TRIES && !hashes.has(key); tries += 1) await sleep(KNOWN_PAUSE_MS);
    },
    close: () => following.close(),
  };
}
