/** Private records that logins leave for an hour. */
import { createHash } from 'node:crypto';
import {
  MAX_COMMIT_WRITES,
  prefixEnd,
  StorageError,
  type Expectation,
  type Storage,
  type StoredRecord,
} from '../../storage/interface.js';
import { pagesOf } from '../../storage/pages.js';
import { unlessMoved } from '../../storage/precondition.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Longer than anything that is sealed of a login can be used: link, attempt, page and code take 31 minutes one after the other. */
const KEPT_MS = 3_600_000;
/** Interval of removing old records, while people log in. */
const SWEEP_MS = 600_000;
const PAGE = 500;

export interface ShortRecordParts {
  readonly storage: Pick<Storage, 'get' | 'scan' | 'commit'>;
  /** Called if old records could not be removed. */
  readonly failed: (error: unknown) => void;
  /** ms since 1970. */
  readonly now?: () => number;
}

export interface ShortRecord<Content = unknown> {
  /** When it was written, in ms since 1970. */
  readonly at: number;
  readonly content?: Content;
}

/** By names that are secret, or say something of a person: only hashes of them are stored. All reject with StorageError. */
export class ShortRecords<Content = undefined> {
  private swept = 0;

  /** `prefix`: ends with a slash. */
  constructor(
    private readonly prefix: string,
    private readonly parts: ShortRecordParts,
  ) {}

  /** False if there is one, also if another server writes it at the same moment. */
  async add(name: string, content: Content): Promise<boolean> {
    try {
      await this.write(name, content, 'absent');
      return true;
    } catch (error) {
      if (error instanceof StorageError && error.failure.code === 'exists') return false;
      throw error;
    }
  }

  /** Replaces one that is there. */
  set(name: string, content: Content): Promise<void> {
    return this.write(name, content, 'any');
  }

  /** Undefined if there is none, and if it is too old. */
  async get(name: string): Promise<ShortRecord<Content> | undefined> {
    const { record } = await this.parts.storage.get(this.keyOf(name));
    if (record === undefined) return undefined;
    const found = parseStored<ShortRecord<Content>>(record.value);
    return found.at < this.now() - KEPT_MS ? undefined : found;
  }

  /** Does nothing if there is none. */
  async remove(name: string): Promise<void> {
    const key = this.keyOf(name);
    const { record } = await this.parts.storage.get(key);
    if (record !== undefined) await this.parts.storage.commit([{ key, expect: record.revision }]);
  }

  /** Removes old records. */
  async sweep(): Promise<void> {
    const { storage } = this.parts;
    const range = { start: this.prefix, end: prefixEnd(this.prefix) };
    for await (const records of pagesOf(storage, range, { limit: PAGE })) await this.removeOld(records);
  }

  private async write(name: string, content: Content, expect: Expectation): Promise<void> {
    const { storage, failed } = this.parts;
    const record: ShortRecord = { at: this.now(), ...(content !== undefined && { content }) };
    await storage.commit([{ key: this.keyOf(name), value: Buffer.from(JSON.stringify(record)), expect }]);
    if (this.now() - this.swept < SWEEP_MS) return;
    this.swept = this.now();
    this.sweep().catch(failed);
  }

  private async removeOld(records: readonly StoredRecord[]): Promise<void> {
    const before = this.now() - KEPT_MS;
    const old = records.filter((record) => isBefore(record, before));
    for (let from = 0; from < old.length; from += MAX_COMMIT_WRITES) {
      const some = old.slice(from, from + MAX_COMMIT_WRITES);
      // A server that came first removes the same.
      await unlessMoved(
        this.parts.storage.commit(some.map(({ key, revision }) => ({ key, expect: revision }))),
      );
    }
  }

  private keyOf(name: string): string {
    return this.prefix + createHash('sha256').update(name).digest('hex');
  }

  private now(): number {
    return (this.parts.now ?? Date.now)();
  }
}

/** An unreadable record stays: it still marks the login as used. */
function isBefore({ value }: StoredRecord, time: number): boolean {
  try {
    return parseStored<ShortRecord>(value).at < time;
  } catch {
    return false;
  }
}
