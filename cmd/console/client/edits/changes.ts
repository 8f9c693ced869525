/** The last writer of each field, from managedFields (`FieldsV1`). */
import type { ObjectMeta } from '../../../../api/resource.js';
import { isObject } from '../../../../api/members.js';

export interface FieldChange {
  /** The field manager, such as `kubectl-edit` or `console`. */
  readonly manager: string;
  /** RFC 3339; empty if it is not known. */
  readonly time: string;
  /** Paths such as `spec.data.password`. */
  readonly fields: readonly string[];
}

/** The latest change first. Entries that own no field of the object itself are left out. */
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

/**
 * `f:name`: a member, `k:{…}`: an item by its keys, `v:…`: an item by its value, `i:0`: an item by its index. Items are
 * reported as a whole.
 */
function fieldsBelow(key: string, value: unknown, before: string): string[] {
  const [kind = '', ...rest] = key.split(':');
  const text = rest.join(':');
  if (kind === 'f') return fieldsOf(value, before === '' ? [text] : [before, text]);
  return [`${before}[${kind === 'k' ? valuesOf(text) : text}]`];
}

/** `{"type":"Ready"}` as `Ready`; a text that is not such JSON as it is. */
function valuesOf(text: string): string {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? Object.values(read).join(', ') : text;
  } catch {
    return text;
  }
}
