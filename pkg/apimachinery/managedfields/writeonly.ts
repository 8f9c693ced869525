/** Fields that are taken but never stored in an object or shown (`writeOnly` in the schema). */
import type { JsonValue, ObjectMeta } from '../../../api/resource.js';
import { encodeValue } from '../encoding/canonical.js';
import type { FieldSet } from './fieldpath/fieldset.js';
import { FieldSetBuilder } from './fieldpath/fieldset.js';
import type { MergeType } from './typed/mergeschema.js';
import { removeItems } from './typed/removeitems.js';
import { parseJson } from '../encoding/depth.js';

/** The annotation in which kubectl keeps what it applied from the client's side. */
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

/** The value without its write-only fields; the same value where its type has none. */
export function withoutWriteOnly(type: MergeType, value: JsonValue): JsonValue {
  const fields = writeOnlyFields(type);
  return fields.size === 0 ? value : removeItems(type, value, fields);
}

/** Cuts the write-only fields of a kind out of kubectl's annotation; one that cannot be read goes. */
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
