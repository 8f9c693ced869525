/** The requirements of a commit: as comparisons for etcd, and evaluated here on records that were read. */
import type { ICompare } from 'etcd3';
import type { Expectation, Guard, StorageFailure, StoredRecord, Write } from '../../interface.js';
import { compareEtcdRevision, comparePosition } from '../record.js';

/** One condition of a commit. The first failure, in order, is reported. */
export interface Requirement {
  readonly name: string;
  readonly key: Buffer;
  readonly expect: Exclude<Expectation, 'any'>;
  /** A delete requires a record, whatever else it expects. */
  readonly deletes: boolean;
}

/** The requirements in the order of writes, then guards, without those that cannot fail. */
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
 * @param positions whether the whole expected revision is compared; otherwise only up to etcd's own revision,
 *   for a caller that has read the position
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

/** The failure of the first requirement that does not hold. `found` is in the order of `requirements`. */
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
