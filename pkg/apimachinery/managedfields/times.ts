import type { KubeObject, ManagedFieldsEntry } from '../../../api/resource.js';
import { membersOf } from '../encoding/members.js';
import { equalValues } from './fieldpath/order.js';

/**
 * The managedFields to store for `next`: those of `live` if the objects only differ in times of entries, so that such
 * a write changes nothing (`k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager`,
 * IgnoreManagedFieldsTimestampsTransformer).
 */
export function settleTimes(live: KubeObject, next: KubeObject): ManagedFieldsEntry[] | undefined {
  const before = live.metadata.managedFields;
  const after = next.metadata.managedFields;
  if (before === undefined || after === undefined || before.length !== after.length) return after;
  if (live.metadata.generation !== next.metadata.generation) return after;
  if (after.every(({ time }, index) => time === before[index]?.time)) return after;
  if (!before.every((entry, index) => equalBut(entry, after[index]!, TIME))) return after;
  const same = equalBut(live, next, METADATA) && equalBut(live.metadata, next.metadata, OWNERS);
  return same ? before : after;
}

const TIME = ['time'];
const METADATA = ['metadata'];
const OWNERS = ['managedFields', 'resourceVersion'];

/** Whether two objects are equal in all but some of their members. */
function equalBut(a: object, b: object, members: readonly string[]): boolean {
  const [left, right] = [membersOf(a), membersOf(b)];
  for (const name of Object.keys(left)) {
    if (!members.includes(name) && !equalValues(left[name], right[name])) return false;
  }
  return Object.keys(right).every(
    (name) => members.includes(name) || right[name] === undefined || left[name] !== undefined,
  );
}
