/**
 * Removes fields that an applier gives up (`structured-merge-diff/v6/merge`, update.go: prune and the functions after
 * it).
 */
import type { JsonValue } from '../../../api/resource.js';
import {
  EMPTY_SET,
  difference,
  equalSets,
  intersection,
  union,
  type FieldSet,
} from './fieldpath/fieldset.js';
import type { MergeType } from './typed/mergeschema.js';
import type { Owners } from './owners.js';
import { withNamedFields } from './typed/reconcile.js';
import { removeItems } from './typed/removeitems.js';
import { toFieldSet } from './typed/tofieldset.js';

/** The fields of an applier at its last apply and now, with their versions. */
export interface GivenUp {
  readonly last: FieldSet;
  readonly lastVersion: string;
  readonly next: FieldSet;
  readonly nextVersion: string;
}

/**
 * Removes fields of `last` from `merged` that no manager owns now. `owners`: all managers, with the applier's `next`
 * set. Fields of others are added back version by version, that of `last` first: an item that is unowned in one
 * version is removed before the next one. `check`: called with each value that is converted to another version.
 */
export function pruneRemoved(
  type: MergeType,
  merged: JsonValue,
  { last, lastVersion, next, nextVersion }: GivenUp,
  owners: Owners,
  check: (value: JsonValue) => void,
): JsonValue {
  if (last.size === 0 || equalSets(last, next)) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(type, set);
  const lastNamed = named(last);
  const mergedSet = named(toFieldSet(type, merged));
  let pruned = removeItems(type, merged, lastNamed);
  let version = lastVersion;
  const convert = (wanted: string): void => {
    if (wanted !== version) check(pruned);
    version = wanted;
  };
  for (const [ownersVersion, owned] of ownedByVersion(owners, lastVersion)) {
    convert(ownersVersion);
    const kept = union(named(toFieldSet(type, pruned)), named(owned));
    pruned = removeItems(type, merged, difference(mergedSet, kept));
  }
  convert(lastVersion);
  const gone = difference(mergedSet, named(toFieldSet(type, pruned)));
  pruned = removeItems(type, merged, intersection(gone, lastNamed));
  convert(nextVersion);
  return pruned;
}

/** The fields of all managers, by version. */
function ownedByVersion(owners: Owners, first: string): ReadonlyMap<string, FieldSet> {
  const versions = new Map<string, FieldSet>();
  const all = [...owners.values()];
  const ordered = [
    ...all.filter(({ apiVersion }) => apiVersion === first),
    ...all.filter(({ apiVersion }) => apiVersion !== first),
  ];
  for (const { apiVersion, set } of ordered)
    versions.set(apiVersion, union(versions.get(apiVersion) ?? EMPTY_SET, set));
  return versions;
}
