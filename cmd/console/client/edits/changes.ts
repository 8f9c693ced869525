/** The last writer of each field, by managedFields (`FieldsV1`). */
import type { ObjectMeta } from '../../../../api/resource.js';
import { isMembers } from './members.js';

export interface FieldChange {
  /** The field manager: `kubectl-edit`, `console`. */
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
  const found = below.flatMap(([key, value]) => fieldsBelow(key, value, path.join('.')));
  return found.length > 0 || path.length === 0 ? found : [path.join('.')];
}

/** `f:name` a member, `k:{…}` an item by its keys, `v:…` an item by its value, `i:0` by its place. Items are told whole. */
function fieldsBelow(key: string, value: unknown, before: string): string[] {
  const [kind = '', ...rest] = key.split(':');
  const text = rest.join(':');
  if (kind === 'f') return fieldsOf(value, before === '' ? [text] : [before, text]);
  return [`${before}[${kind === 'k' ? valuesOf(text) : text}]`];
}

/** `{"type":"Ready"}` as `Ready`; what is no such JSON as it is. */
function valuesOf(text: string): string {
  try {
    const read: unknown = JSON.parse(text);
    return isMembers(read) ? Object.values(read).join(', ') : text;
  } catch {
    return text;
  }
}
