/** What a change takes from the owners of an object (`structured-merge-diff/v6/merge`, update.go). */
import type { JsonValue } from '../../../api/resource.js';
import type { Comparison } from './typed/compare.js';
import type { Conflict } from './conflict.js';
import { ApplyConflict } from './conflict.js';
import { difference, intersection, union } from './fieldpath/fieldset.js';
import type { Owner, Owners } from './owners.js';
import { reconcileSet } from './typed/reconcile.js';
import type { TrackedKind } from './trackedkind.js';
import { problemsText, validateValue } from './typed/validate.js';

/** An object that cannot be read as another version of its kind. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

/**
 * The owners after a change that `workflow` made: changed fields leave all others, removed fields too; empty entries
 * go. Throws {@link ApplyConflict} where others own changed fields and `force` is not set.
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
 * The owners as the schema of today sees them; those of versions that are not served are gone. Where an entry is of
 * another version than `object`, the object must fit that one too. Throws {@link ConversionError}.
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
 * Where an entry is of another version than `next`, a new object, that must fit the other one too, in which no list may
 * have duplicates. Throws {@link ConversionError}.
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

/** An object that is read as another version is looked at anew. Throws {@link ConversionError}. */
export function checkConvertible(kind: TrackedKind, object: JsonValue): void {
  const problems = validateValue(kind.type, object, false);
  if (problems.length > 0) throw new ConversionError(problemsText(problems));
}
