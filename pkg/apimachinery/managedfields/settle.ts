/** Updates managers after a change (`structured-merge-diff/v6/merge`, update.go). */
import type { JsonValue } from '../../../api/resource.js';
import type { Comparison } from './typed/compare.js';
import { ApplyConflict, type Conflict } from './conflict.js';
import { difference, intersection, union } from './fieldpath/fieldset.js';
import type { Owner, Owners } from './owners.js';
import { reconcileSet } from './typed/reconcile.js';
import type { TrackedKind } from './trackedkind.js';
import { problemsText, validateValue } from './typed/validate.js';

/** An object that cannot be converted to another version of its kind. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

/**
 * The managers after a change by `workflow`: all others lose changed and removed fields; empty entries are dropped.
 * Throws {@link ApplyConflict} if others own changed fields and `force` is not set.
 */
export function settleOwners(
  comparison: Comparison,
  owners: Owners,
  workflow: string,
  force: boolean,
): ReadonlyMap<string, Owner> {
  const changed = union(comparison.modified, comparison.added);
  const conflicts = new Map<string, Conflict>();
  const out = new Map<string, Owner>();
  for (const [identity, owner] of owners) {
    let { set } = owner;
    if (identity !== workflow) {
      const taken = intersection(set, changed);
      if (taken.size > 0) {
        conflicts.set(identity, { owner, set: taken });
        set = difference(set, taken);
      }
      set = difference(set, comparison.removed);
    }
    if (set.size > 0) out.set(identity, set === owner.set ? owner : { ...owner, set });
  }
  if (!force && conflicts.size > 0) throw new ApplyConflict(conflicts);
  return out;
}

/**
 * The managers under the current schema, without those of versions that are not served. If an entry has another
 * version than `object`, the object must be valid in that version too. Throws {@link ConversionError}.
 */
export function currentOwners(
  kind: TrackedKind,
  owners: Owners,
  object: JsonValue,
  apiVersion: string,
): Owners {
  const out = new Map<string, Owner>();
  for (const [identity, owner] of owners) {
    if (!kind.apiVersions.includes(owner.apiVersion)) continue;
    if (owner.apiVersion !== apiVersion) checkConvertible(kind, object);
    const set = reconcileSet(kind.type, owner.set);
    out.set(identity, set === owner.set ? owner : { ...owner, set });
  }
  return out;
}

/**
 * Checks that `next`, a new object, is valid in the versions of all entries, in which no list may have duplicates.
 * Throws {@link ConversionError}.
 */
export function checkOtherVersions(
  kind: TrackedKind,
  owners: Owners,
  next: JsonValue,
  apiVersion: string,
): void {
  for (const owner of owners.values()) {
    if (owner.apiVersion !== apiVersion) return checkConvertible(kind, next);
  }
}

/** Validates an object for conversion to another version. Throws {@link ConversionError}. */
export function checkConvertible(kind: TrackedKind, object: JsonValue): void {
  const problems = validateValue(kind.type, object, false);
  if (problems.length > 0) throw new ConversionError(problemsText(problems));
}
