/** Bounds the entries of updates (`k8s.io/apimachinery/pkg/util/managedfields/internal`, capmanagers.go). */
import { compareBytes } from '../encoding/canonical.js';
import { union } from './fieldpath/fieldset.js';
import { identityOf, type Owner, type Owners } from './owners.js';

/** The maximum number of separate update managers of an object. */
const MAX_UPDATERS = 10;
const BUCKET = 'ancient-changes';

/** Merges the oldest updaters of an apiVersion into `ancient-changes` until the limit is met. */
export function capUpdaters(owners: Owners): Owners {
  if (owners.size <= MAX_UPDATERS) return owners;
  const updaters = [...owners].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return owners;
  updaters.sort(
    ([a, left], [b, right]) => compareBytes(left.time ?? '', right.time ?? '') || compareBytes(a, b),
  );
  const out = new Map(owners);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const [identity, updater] of updaters) {
    if (count <= MAX_UPDATERS) break;
    const first = firstOf.get(updater.apiVersion);
    if (first === undefined) {
      firstOf.set(updater.apiVersion, identity);
      continue;
    }
    pour(out, first, identity, updater);
    count -= 1;
  }
  return out;
}

/** Keeps the later time, that of the merged updater. */
function pour(out: Map<string, Owner>, first: string, identity: string, updater: Owner): void {
  const { apiVersion, time } = updater;
  const bucket = { manager: BUCKET, operation: 'Update', apiVersion, subresource: '' } as const;
  const id = identityOf(bucket);
  const before = out.get(id) ?? out.get(first);
  if (!out.has(id)) out.delete(first);
  out.delete(identity);
  out.set(id, { ...bucket, time, set: before === undefined ? updater.set : union(updater.set, before.set) });
}
