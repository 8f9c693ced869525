import type { KubeObject, ManagedFieldsEntry } from '../../../api/resource.js';
import { equalValues } from './order.js';

/**
 * What to store as managedFields of `next`: those of `live` where the objects differ in nothing but the times of their
 * entries, so that such a write changes nothing
 * (`k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager`, IgnoreManagedFieldsTimestampsTransformer).
 */
export function settleTimes(live: KubeObject, next: KubeObject): ManagedFieldsEntry[] | undefined {
  const before = live.metadata.managedFields;
  const after = next.metadata.managedFields;
  if (before === undefined || after === undefined || before.length !== after.length) return after;
  if (!equalValues(before.map(withoutTime), after.map(withoutTime))) return after;
  return equalValues(rest(live), rest(next)) ? before : after;
}

const withoutTime = ({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry => entry;

function rest({ metadata, ...object }: KubeObject): object {
  const { managedFields: _, resourceVersion: _version, ...kept } = metadata;
  return { ...object, metadata: kept };
}
