/** What a commit requires: as comparisons that etcd makes, and judged here from what it read. */
import type { ICompare } from 'etcd3';
import type { Expectation, Guard, StorageFailure, StoredRecord, Write } from '../../interface.js';
import { compareEtcdRevision, comparePosition } from '../record.js';

/** One condition of a commit; the first that fails, in order, is the one reported. */
export interface Requirement {
  readonly name: string;
  readonly key: Buffer;
  readonly expect: Exclude<Expectation, 'any'>;
  /** A delete needs a record, whatever else it expects. */
  readonly deletes: boolean;
}

/** In the order of writes, then guards. What can not fail is left out. */
export function requirementsOf(
  writes: readonly Write[],
  guards: readonly Guard[],
  dataKey: (key: string) => Buffer,
): Requirement[] {
  const requirements: Requirement[] = [];
  for (const { key, value, expect } of writes) {
    const deletes = value === undefined;
    if (expect !== 'any') requirements.push({ name: key, key: dataKey(key), expect, deletes });
    else if (deletes) requirements.push({ name: key, key: dataKey(key), expect: 'present', deletes });
  }
  for (const { key, expect } of guards) {
    if (expect !== 'any') requirements.push({ name: key, key: dataKey(key), expect, deletes: false });
  }
  return requirements;
}

/**
 * @param positions whether an expected revision is compared whole; else only up to etcd's own revision, for a
 *   caller that knows the position from a read.
 */
export function comparisonsOf({ key, expect, deletes }: Requirement, positions: boolean): ICompare[] {
  if (expect === 'present') return [{ key, target: 'Create', result: 'Greater', create_revision: 0 }];
  if (expect === 'absent') {
    const absent: ICompare = { key, target: 'Create', result: 'Equal', create_revision: 0 };
    return deletes ? [absent, { ...absent, result: 'Greater' }] : [absent];
  }
  const exact = compareEtcdRevision(key, expect);
  return positions ? [exact, ...comparePosition(key, expect)] : [exact];
}

/** The first requirement that does not hold, as the failure to report. `found` is in the order of `requirements`. */
export function firstFailing(
  requirements: readonly Requirement[],
  found: readonly (StoredRecord | undefined)[],
): StorageFailure | undefined {
  for (const [index, { name, expect, deletes }] of requirements.entries()) {
    const current = found[index];
    if (expect === 'absent') {
      if (current !== undefined) return { code: 'exists', key: name, current };
      if (deletes) return { code: 'not found', key: name };
    } else if (current === undefined) return { code: 'not found', key: name };
    else if (expect !== 'present' && current.revision !== expect) {
      return { code: 'conflict', key: name, current };
    }
  }
  return undefined;
}
