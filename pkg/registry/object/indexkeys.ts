/** Values of objects in the cache's indexes. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { isObject } from '../../apimachinery/encoding/members.js';
import { storedLabels } from '../../apimachinery/encoding/storedlabels.js';
import type { Entry, IndexKey } from '../../cache/interface.js';

/** The values that field selectors of a kind compare. */
type Fields = Pick<ResourceDefinition, 'selectedMembers'>;

/** The value of a path such as `status.phase`, as field selectors compare it; `''` if there is none. */
export function fieldOf({ selectedMembers }: Fields, entry: Entry, field: string): string {
  if (field === 'metadata.name') return entry.name;
  if (field === 'metadata.namespace') return entry.namespace;
  const object = entry.object();
  const members = selectedMembers[field];
  if (members === undefined) return memberText(object, field);
  for (const member of members) {
    const text = memberText(object, member);
    if (text !== '') return text;
  }
  return '';
}

function memberText(object: KubeObject, path: string): string {
  let value: unknown = object;
  for (const step of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return '';
    value = value[step];
  }
  if (typeof value === 'string') return value;
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';
}

/** `metadataStart`: the offset of the first field of metadata in serialized objects. */
export function indexedValue(
  fields: Fields,
  metadataStart: number,
): (entry: Entry, key: IndexKey) => string | undefined {
  return (entry, { by, name }) => {
    try {
      if (by === 'field') return fieldOf(fields, entry, name);
      const labels = storedLabels(entry.bytes, metadataStart);
      return labels !== undefined && Object.hasOwn(labels, name) ? labels[name] : undefined;
    } catch {
      // The record is not valid JSON, so no selector matches it.
      return undefined;
    }
  };
}
