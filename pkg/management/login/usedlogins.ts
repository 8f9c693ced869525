/** Logins that created a key. Each creates one only, even if the key is deleted and its name is free again. */
import { createHash } from 'node:crypto';
import {
  MAX_COMMIT_WRITES,
  prefixEnd,
  StorageError,
  type Storage,
  type StoredRecord,
} from '../../storage/interface.js';
import { pagesOf } from '../../storage/pages.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

const RECORDS = 'private/usedlogin/';
/** Longer than anything that is sealed of a login can be used: link, attempt, page and code take 31 minutes one after the other. */
const KEPT_MS = 3_600_000;
/** Interval of removing old records, while people log in. */
const SWEEP_MS = 600_000;
const PAGE = 500;

export interface UsedLoginParts {
  readonly storage: Pick<Storage, 'scan' | 'commit'>;
  /** Called if old records could not be removed. */
  readonly failed: (error: unknown) => void;
  readonly now?: () => number;
}

interface UsedLogin {
  /** ms since 1970. */
  readonly at: number;
}

/** On any server of a store, and at the same moment too. */
export class UsedLogins {
  private swept = 0;

  constructor(private readonly parts: UsedLoginParts) {}

  /** Whether the login was free; from now on it is used. Rejects with StorageError. */
  async use(login: string): Promise<boolean> {
    const { storage, failed } = this.parts;
    const record: UsedLogin = { at: this.now() };
    try {
      await storage.commit([
        { key: recordKey(login), value: Buffer.from(JSON.stringify(record)), expect: 'absent' },
      ]);
    } catch (error) {
      if (error instanceof StorageError && error.failure.code === 'exists') return false;
      throw error;
    }
    if (this.now() - this.swept >= SWEEP_MS) {
      this.swept = this.now();
      this.sweep().catch(failed);
    }
    return true;
  }

  /** Removes records older than the maximum age of a login. Rejects with StorageError. */
  async sweep(): Promise<void> {
    const { storage } = this.parts;
    const range = { start: RECORDS, end: prefixEnd(RECORDS) };
    for await (const records of pagesOf(storage, range, { limit: PAGE })) await this.removeOld(records);
  }

  private async removeOld(records: readonly StoredRecord[]): Promise<void> {
    const before = this.now() - KEPT_MS;
    const old = records.filter((record) => isBefore(record, before));
    for (let from = 0; from < old.length; from += MAX_COMMIT_WRITES)
      try {
        const some = old.slice(from, from + MAX_COMMIT_WRITES);
        await this.parts.storage.commit(some.map(({ key, revision }) => ({ key, expect: revision })));
      } catch (error) {
        // Another server came first: it removes the same.
        if (!(error instanceof StorageError) || error.failure.code === 'unavailable') throw error;
      }
  }

  private now(): number {
    return (this.parts.now ?? Date.now)();
  }
}

/** An unreadable record stays: it still marks the login as used. */
function isBefore({ value }: StoredRecord, time: number): boolean {
  try {
    return parseStored<UsedLogin>(value).at < time;
  } catch {
    return false;
  }
}

/** The login itself is worth a key while it is sealed: only a hash of it is kept. */
const recordKey = (login: string): string => RECORDS + createHash('sha256').update(login).digest('hex');
