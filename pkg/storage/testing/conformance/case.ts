/** What the cases of the storage suite share: their shape, and short ways to write, read and expect failures. */
import { expect } from '@jest/globals';
import {
  StorageError,
  type Expectation,
  type KeyRange,
  type Storage,
  type StorageFailure,
  type StoredRecord,
  type Write,
} from '../../interface.js';

export interface StorageFixture {
  /** An open store without keys. Stale after {@link reopen}. */
  readonly storage: Storage;
  /** Closes the newest storage of this fixture and opens it again on the same state. */
  reopen(): Promise<Storage>;
  /** Closes what is open and removes the state. */
  dispose(): Promise<void>;
}

export interface StorageCase {
  readonly name: string;
  run(fixture: StorageFixture): Promise<void>;
}

/** Every key that the cases write lies in here. */
export const ALL: KeyRange = { start: '\u0001', end: '\u{10ffff}' };

export function put(key: string, value: string | Buffer = key, expect: Expectation = 'any'): Write {
  return { key, value: typeof value === 'string' ? Buffer.from(value) : value, expect };
}

export function remove(key: string, expect: Expectation = 'any'): Write {
  return { key, expect };
}

/** Commits one write and answers its revision. */
export async function commitOne(storage: Storage, write: Write): Promise<number> {
  return onlyOf((await storage.commit([write])).revisions);
}

function onlyOf<T>(items: readonly T[]): T {
  expect(items).toHaveLength(1);
  return items[0] as T;
}

export function at<T>(items: readonly T[], index: number): T {
  const item = items.at(index);
  if (item === undefined) throw new Error(`no item ${index} among ${items.length}`);
  return item;
}

/** The failure of a call that must throw a {@link StorageError}. */
export async function failureOf(call: Promise<unknown>): Promise<StorageFailure> {
  try {
    await call;
  } catch (error) {
    if (error instanceof StorageError) return error.failure;
    throw error;
  }
  throw new Error('the call should have failed');
}

export async function valueOf(storage: Storage, key: string, revision?: number): Promise<string | undefined> {
  return (await storage.get(key, { revision })).record?.value.toString();
}

/** The range as `key=value` strings, so that a failing comparison reads well. */
export async function stateOf(storage: Storage, range: KeyRange = ALL, revision?: number): Promise<string[]> {
  return (await storage.scan(range, { revision })).records.map(asText);
}

function asText(record: StoredRecord): string {
  return `${record.key}=${record.value.toString()}`;
}

/** Writes `count` keys of `prefix` (zero-padded, in order) in full commits, some at a time. */
export async function fill(storage: Storage, prefix: string, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(6, '0')}`);
  const commits: Write[][] = [];
  for (let from = 0; from < count; from += 60) {
    commits.push(keys.slice(from, from + 60).map((key) => put(key)));
  }
  for (let from = 0; from < commits.length; from += 16) {
    await Promise.all(commits.slice(from, from + 16).map((writes) => storage.commit(writes)));
  }
  return keys;
}
