/** Decides, without writing, which commits of a batch succeed, and at which revisions. */
import {
  StorageError,
  type Expectation,
  type Guard,
  type StorageEvent,
  type StorageFailure,
  type StoredRecord,
  type Write,
} from '../interface.js';
import { currentRevisionOf, recordAt } from './state.js';
import type { LogEntry } from './logentry.js';
import type { Tables } from './tables.js';

export interface Proposal {
  readonly writes: readonly Write[];
  readonly guards: readonly Guard[];
}

type PlannedEntry = LogEntry & StorageEvent;

/** The outcome of each proposal, in the given order, and the writes. */
export interface Plan {
  readonly outcomes: readonly (readonly number[] | StorageError)[];
  readonly entries: readonly PlannedEntry[];
}

/** The state after the commits planned so far; `'absent'`: deleted by one of them. */
type Overlay = Map<string, StoredRecord | 'absent'>;

/**
 * Plans commits as if they were made one after the other.
 * @param newest the newest revision of the tables, in which no commit is in flight
 */
export function planCommits(tables: Tables, proposals: readonly Proposal[], newest: number): Plan {
  const overlay: Overlay = new Map();
  const entries: PlannedEntry[] = [];
  let revision = newest;
  const outcomes = proposals.map((proposal) => {
    const before = proposal.writes.map((write) => revisionOf(tables, overlay, write.key));
    const failure = failureOf(tables, overlay, proposal, before);
    if (failure !== undefined) return new StorageError(failure);
    return proposal.writes.map(({ key, value }, index) => {
      revision += 1;
      const commitEnd = index === proposal.writes.length - 1;
      entries.push({ key, value, commitEnd, replaces: before[index] ?? 0, revision });
      overlay.set(key, value === undefined ? 'absent' : { key, value, revision });
      return revision;
    });
  });
  return { outcomes, entries };
}

function revisionOf(tables: Tables, overlay: Overlay, key: string): number | undefined {
  const planned = overlay.get(key);
  if (planned === undefined) return currentRevisionOf(tables, key);
  return planned === 'absent' ? undefined : planned.revision;
}

/** The first expectation that fails: of the writes in order, then of the guards. */
function failureOf(
  tables: Tables,
  overlay: Overlay,
  { writes, guards }: Proposal,
  before: readonly (number | undefined)[],
): StorageFailure | undefined {
  const failed = (key: string, code: Mismatch, revision: number | undefined): StorageFailure => {
    if (code === 'not found' || revision === undefined) return { code: 'not found', key };
    const planned = overlay.get(key);
    const current = typeof planned === 'object' ? planned : recordAt(tables, key, revision);
    const { undecryptable: keyName } = current;
    if (keyName !== undefined && code === 'conflict')
      return { code: 'undecryptable', key, revision, keyName };
    return { code, key, current };
  };
  for (const [index, { key, value, expect }] of writes.entries()) {
    const code = mismatch(expect, before[index], value === undefined);
    if (code !== undefined) return failed(key, code, before[index]);
  }
  for (const { key, expect } of guards) {
    const revision = revisionOf(tables, overlay, key);
    const code = mismatch(expect, revision, false);
    if (code !== undefined) return failed(key, code, revision);
  }
  return undefined;
}

type Mismatch = 'exists' | 'not found' | 'conflict';

/** How a key at `revision` (undefined: absent) fails the expectation; undefined: it does not. */
function mismatch(
  expect: Expectation,
  revision: number | undefined,
  isDelete: boolean,
): Mismatch | undefined {
  if (revision === undefined)
    return isDelete || (expect !== 'any' && expect !== 'absent') ? 'not found' : undefined;
  if (expect === 'absent') return 'exists';
  return typeof expect === 'number' && expect !== revision ? 'conflict' : undefined;
}
