/** The administrators' keys in force, as the store has them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage, StoredRecord } from '../storage/interface.js';
import type { AdminRecord } from './adminrecords.js';
import { ADMIN_RECORDS, adminRecordOf, isDamaged } from './adminrecords.js';
import { followRange } from './followrange.js';

export interface AdminKeys {
  /** The hashes of keys that are in force by themselves. One that stays in force stays the same Buffer. */
  current(this: void): readonly Buffer[];
  /** Which object and which key the OwnedAccessKey `name` must be to be an administrator's. */
  named(this: void, name: string): Pick<AdminRecord, 'hash' | 'uid'> | undefined;
  /** Calls `listener` after each change that may have ended a key. */
  onEnded(listener: () => void): void;
  /** Waits a little for the record with this key, which was just written. */
  known(key: string): Promise<void>;
  close(): void;
}

const KNOWN_TRIES = 200;
const KNOWN_PAUSE_MS = 10;

/**
 * Follows the records, so that a key that any server replaced stops working at once. While the store is out of reach
 * the last known hashes stay in force. A record that cannot be read gives nobody anything, and is told to `damaged` by its key.
 */
export async function followAdminKeys(
  storage: Storage,
  damaged: (key: string) => void = () => undefined,
): Promise<AdminKeys> {
  const records = new Map<string, AdminRecord>();
  const listeners: (() => void)[] = [];
  let current: readonly Buffer[] = [];
  let named: ReadonlyMap<string, AdminRecord> = new Map();

  function keep(stored: StoredRecord): void {
    const record = adminRecordOf(stored);
    if (isDamaged(record)) {
      records.delete(record.key);
      return damaged(record.key);
    }
    const before = records.get(record.key);
    const hash = before?.hash.equals(record.hash) === true ? before.hash : record.hash;
    records.set(record.key, { ...record, hash });
  }
  function changed(): void {
    const all = [...records.values()];
    current = all.filter(({ accessKey }) => accessKey === undefined).map(({ hash }) => hash);
    named = new Map(all.flatMap((one) => (one.accessKey === undefined ? [] : [[one.accessKey, one]])));
    for (const listener of listeners) listener();
  }
  const following = await followRange(storage, ADMIN_RECORDS, {
    reset(all) {
      const names = new Set(all.records.map(({ key }) => key));
      for (const key of records.keys()) if (!names.has(key)) records.delete(key);
      for (const record of all.records) keep(record);
      changed();
    },
    changed(events) {
      for (const { key, value, revision } of events) {
        if (value === undefined) records.delete(key);
        else keep({ key, value, revision });
      }
      changed();
    },
  });
  return {
    current: () => current,
    named: (name) => named.get(name),
    onEnded: (listener) => void listeners.push(listener),
    async known(key) {
      for (let tries = 0; tries < KNOWN_TRIES && records.get(key)?.uid === undefined; tries += 1)
        await sleep(KNOWN_PAUSE_MS);
    },
    close: () => following.close(),
  };
}
