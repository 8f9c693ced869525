/** The administrators' keys in force, watched in the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScanResult, Storage, StorageEvent, StoredRecord } from '../../storage/interface.js';
import { ADMIN_RECORDS, adminRecordOf, isDamaged, type AdminRecord } from './adminrecords.js';
import { followRange } from '../../clusteridentity/followrange.js';

const WAIT_TRIES = 200;
const WAIT_PAUSE_MS = 10;

/**
 * Watches the records, so that a key that any server replaces is refused at once. While the store is unavailable the
 * last known hashes stay in force.
 */
export class AdminKeys {
  private readonly damaged: (key: string) => void;
  private readonly records = new Map<string, AdminRecord>();
  private readonly listeners: (() => void)[] = [];
  private byAccessKey: ReadonlyMap<string, AdminRecord> = new Map();
  private watching: { close(): void } | undefined;

  private constructor(damaged: (key: string) => void) {
    this.damaged = damaged;
  }

  /**
   * Rejects with StorageError when the first read fails.
   * @param damaged called with the key of each record that cannot be read, which gives no access
   */
  static async watch(storage: Storage, damaged: (key: string) => void = () => undefined): Promise<AdminKeys> {
    const keys = new AdminKeys(damaged);
    keys.watching = await followRange(storage, ADMIN_RECORDS, {
      reset: (all) => keys.reset(all),
      changed: (events) => keys.apply(events),
    });
    return keys;
  }

  /** The hash and uid that the OwnedAccessKey `name` must have to be an administrator's. */
  named(name: string): Pick<AdminRecord, 'hash' | 'uid'> | undefined {
    return this.byAccessKey.get(name);
  }

  /** Calls `listener` after each change that may have ended a key. */
  onEnded(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Waits, for a limited time, until the record just written at `key` is seen here. */
  async waitFor(key: string): Promise<void> {
    for (let tries = 0; tries < WAIT_TRIES && this.records.get(key)?.uid === undefined; tries += 1)
      await sleep(WAIT_PAUSE_MS);
  }

  close(): void {
    this.watching?.close();
  }

  private reset({ records }: ScanResult): void {
    const found = new Set(records.map(({ key }) => key));
    for (const key of this.records.keys()) if (!found.has(key)) this.records.delete(key);
    for (const record of records) this.set(record);
    this.notify();
  }

  private apply(events: readonly StorageEvent[]): void {
    for (const { key, value, revision } of events) {
      if (value === undefined) this.records.delete(key);
      else this.set({ key, value, revision });
    }
    this.notify();
  }

  private set(stored: StoredRecord): void {
    const record = adminRecordOf(stored);
    if (isDamaged(record)) {
      this.records.delete(record.key);
      return this.damaged(record.key);
    }
    this.records.set(record.key, record);
  }

  private notify(): void {
    this.byAccessKey = new Map([...this.records.values()].map((one) => [one.accessKey, one]));
    for (const listener of this.listeners) listener();
  }
}
