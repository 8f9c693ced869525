/** Prepares and validates the new object of an update. */
import type { KubeObject, ObjectMeta } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import { invalid, type FieldError } from '../../apimachinery/errors.js';
import { validateMetadataUpdate } from '../../apimachinery/validation/metadata.js';
import type { TrackedWriteOptions } from './create.js';
import { desiredStateDiffers, keepMetadata, timestamp } from '../object/metadata.js';
import type { PrivateChange } from '../object/interface.js';
import { storageResource, type ResourceStore } from '../resourcestore.js';

/**
 * Checks the top-level types of the part that this endpoint writes before mutating admission: a plugin that fills in
 * members would split a string, and 3 MB of it are 3 million members. Throws StatusError 422.
 */
export function checkOutline(
  store: ResourceStore,
  subresource: string,
  next: KubeObject,
  previous: KubeObject,
): void {
  if (store.schema.fitsOutline(next)) return;
  const metadata = { ...next.metadata };
  keepMetadata(metadata, previous.metadata);
  const own = subresource === 'status' ? { ...previous, status: next.status } : { ...next, metadata };
  const written = subresource !== 'status' && hasStatus(store) ? { ...own, status: previous.status } : own;
  checkSchema(store, written, previous);
}

const hasStatus = ({ definition }: ResourceStore): boolean =>
  definition.subresources.some(({ name }) => name === 'status');

/** An update whose new object is known. */
interface UpdateContext extends Pick<TrackedWriteOptions, 'requester'> {
  /** The endpoint: `''`, or `status`. */
  readonly subresource: string;
  readonly own: Pick<PrivateChange, 'changes'>;
}

/** Restores what the endpoint cannot change, and increments the generation. Throws StatusError 422. */
export function prepareUpdate(
  store: ResourceStore,
  next: KubeObject,
  previous: KubeObject,
  { subresource, own, requester }: UpdateContext,
): void {
  keepMetadata(next.metadata, previous.metadata);
  const { strategy, definition } = store;
  if (subresource === 'status') {
    const status = next.status;
    const metadata = definition.builtIn ? next.metadata : statusMetadata(next, previous);
    delete metadata.resourceVersion;
    for (const member of Object.keys(next)) delete next[member];
    Object.assign(next, copyJson(previous), { metadata, status });
    checkSchema(store, next, previous);
    return;
  }
  if (hasStatus(store)) next.status = copyJson(previous.status);
  checkSchema(store, next, previous);
  strategy.prepareForUpdate?.(next, previous, {
    requester,
    subresource,
    now: timestamp(),
  });
  if (strategy.generation && (own.changes || desiredStateDiffers(next, previous))) {
    next.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  }
}

/** The previous metadata with the new managedFields, which track the status. */
function statusMetadata(next: KubeObject, previous: KubeObject): ObjectMeta {
  const { managedFields: _, ...metadata } = copyJson(previous.metadata);
  const { managedFields } = next.metadata;
  return managedFields === undefined ? metadata : { ...metadata, managedFields };
}

/** Throws StatusError 422. `writeOnlyErrors`: the errors of write-only fields. */
export function validateUpdate(
  store: ResourceStore,
  next: KubeObject,
  previous: KubeObject,
  writeOnlyErrors: readonly FieldError[],
): void {
  const { definition, schema, strategy } = store;
  const misfits = schema.check(next);
  const fits = misfits.length === 0;
  const errors: FieldError[] = [
    ...validateMetadataUpdate(next.metadata, previous.metadata, definition),
    ...misfits,
    ...(fits ? (strategy.validate?.(next) ?? []) : []),
    ...(fits ? (strategy.validateUpdate?.(next, previous) ?? []) : []),
    ...writeOnlyErrors,
  ];
  if (errors.length > 0) throw invalid(storageResource(store), next.metadata.name ?? '', errors);
}

/** Strategies only get objects that match the schema. */
function checkSchema(store: ResourceStore, next: KubeObject, previous: KubeObject): void {
  const misfits = store.schema.check(next);
  if (misfits.length === 0) return;
  const metadata = validateMetadataUpdate(next.metadata, previous.metadata, store.definition);
  throw invalid(storageResource(store), next.metadata.name ?? '', [...metadata, ...misfits]);
}
