/** Removes what an applier gives up (`structured-merge-diff/v6/merge`, update.go: prune and what follows it). */
import type { JsonValue } from '../../../api/resource.js';
import type { FieldSet } from './fieldset.js';
import { EMPTY_SET, difference, equalSets, intersection, union } from './fieldset.js';
import type { MergeType } from './mergeschema.js';
import type { Owners } from './owners.js';
import { withNamedFields } from './reconcile.js';
import { removeItems } from './removeitems.js';
import { toFieldSet } from './tofieldset.js';

/**
 * `merged` without what is in `last`, the applier's set of the time before, and is owned by nobody now. `owners`: all
 * of them, with the applier's `next` set.
 */
export function pruneGivenUp(
  type: MergeType,
  merged: JsonValue,
  { last, next }: { readonly last: FieldSet; readonly next: FieldSet },
  owners: Owners,
): JsonValue {
  if (last.size === 0 || equalSets(last, next)) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(type, set);
  const lastNamed = named(last);
  const mergedSet = named(toFieldSet(type, merged));
  const without = removeItems(type, merged, lastNamed);
  const owned = [...owners.values()].reduce((all, { set }) => union(all, set), EMPTY_SET);
  const kept = union(named(toFieldSet(type, without)), named(owned));
  const ownedKept = removeItems(type, merged, difference(mergedSet, kept));
  const gone = difference(mergedSet, named(toFieldSet(type, ownedKept)));
  return removeItems(type, merged, intersection(gone, lastNamed));
}
