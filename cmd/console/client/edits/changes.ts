/** Who changed which field last, as managedFields tell (`FieldsV1`). */
import type { ObjectMeta } from '../../../../api/resource.js';

export interface FieldChange {
  /** What wrote: `kubectl-edit`, `console`. */
  readonly manager: string;
  /** RFC 3339; empty where it is not known. */
  readonly time: string;
  /** Such as `spec.data.password`. */
  readonly fields: readonly string[];
}

/** The latest first. Entries that own nothing of the object's own are left out. */
export function changesOf({ managedFields = [] }: ObjectMeta): FieldChange[] {
  return managedFields
    .map(({ manager = '', time = '', fieldsV1 }) => ({ manager, time, fields: fieldsOf(fieldsV1) }))
    .filter(({ fields }) => fields.length > 0)
    .sort((one, other) => other.time.localeCompare(one.time));
}

function fieldsOf(set: unknown, path: readonly string[] = []): string[] {
  if (typeof set !== 'object' || set === null) return [];
  const below = Object.entries(set).filter(([key]) => key !== '.');
  const found = below.flatMap(([key, value]) => fieldsOf(value, [...path, nameOf(key)]));
  return found.length > 0 || path.length === 0 ? found : [path.join('.')];
}

/** `f:name` a member, `k:{…}` an item by its keys, `v:…` an item by its value, `i:0` by its place. */
function nameOf(key: string): string {
  const [kind = '', ...rest] = key.split(':');
  const text = rest.join(':');
  return kind === 'f' ? text : `[${text}]`;
}
