/** Fields that are accepted but never stored in an object or shown (`writeOnly` in the schema). */
import type { JsonValue, ObjectMeta } from '../../../api/resource.js';
import { encodeValue } from '../encoding/canonical.js';
import { FieldSetBuilder, type FieldSet } from './fieldpath/fieldset.js';
import type { MergeType } from './typed/mergeschema.js';
import { removeItems } from './typed/removeitems.js';
import { parseJson } from '../encoding/depth.js';

/** The annotation of kubectl's client-side apply. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const fieldsOf = new WeakMap<MergeType, FieldSet>();

/** The write-only fields of a kind, outside lists and free-form maps. */
export function writeOnlyFields(type: MergeType): FieldSet {
  let fields = fieldsOf.get(type);
  if (fields === undefined) {
    const builder = new FieldSetBuilder();
    collect(type, [], builder);
    fieldsOf.set(type, (fields = builder.set));
  }
  return fields;
}

function collect(type: MergeType, path: string[], builder: FieldSetBuilder): void {
  if (type.writeOnly) builder.insert(path);
  for (const field of type.map?.fields.values() ?? []) collect(field.type, [...path, field.element], builder);
}

/** Removes write-only fields; returns the same value if its type has none. */
export function withoutWriteOnly(type: MergeType, value: JsonValue): JsonValue {
  const fields = writeOnlyFields(type);
  return fields.size === 0 ? value : removeItems(type, value, fields);
}

/** Removes the write-only fields of a kind from kubectl's annotation; an invalid annotation is removed. */
export function redactLastApplied(type: MergeType, { annotations }: ObjectMeta): void {
  const text = annotations?.[LAST_APPLIED];
  if (annotations === undefined || text === undefined || writeOnlyFields(type).size === 0) return;
  try {
    const applied = parseJson(text);
    annotations[LAST_APPLIED] = `${encodeValue(withoutWriteOnly(type, applied))}\n`;
  } catch {
    delete annotations[LAST_APPLIED];
  }
}
