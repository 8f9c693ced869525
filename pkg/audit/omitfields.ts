/** Removes members from recorded objects as the policy demands. */

interface Recorded {
  metadata?: { managedFields?: unknown } | null;
  items?: unknown;
  rows?: unknown;
  /** Of a table's row. */
  object?: unknown;
}

/**
 * Takes `metadata.managedFields` out of an object, of the items of a list, and of the objects of a table's rows
 * (`k8s.io/apiserver/pkg/audit`: copyWithoutManagedFields). Changes `value`.
 */
export function dropManagedFields(value: unknown): void {
  if (!isRecord(value)) return;
  if (isRecord(value.metadata)) delete value.metadata.managedFields;
  if (Array.isArray(value.items)) for (const item of value.items) dropOfOne(item);
  if (Array.isArray(value.rows)) {
    for (const row of value.rows) if (isRecord(row)) dropOfOne(row.object);
  }
}

function dropOfOne(value: unknown): void {
  if (isRecord(value) && isRecord(value.metadata)) delete value.metadata.managedFields;
}

const isRecord = (value: unknown): value is Recorded => typeof value === 'object' && value !== null;
