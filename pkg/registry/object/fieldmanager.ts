/** Field management of a kind's writes: tracks managers in metadata.managedFields. */
import { apiVersionOf, type KubeObject, type ResourceDefinition } from '../../../api/resource.js';
import { fieldElement } from '../../apimachinery/managedfields/fieldpath/element.js';
import { EMPTY_SET, setOf, type FieldSet } from '../../apimachinery/managedfields/fieldpath/fieldset.js';
import { compileMergeType } from '../../apimachinery/managedfields/typed/mergeschema.js';
import { blankObject, type TrackedKind } from '../../apimachinery/managedfields/trackedkind.js';
import { trackSteps } from '../../apimachinery/managedfields/trackupdate.js';
import { redactLastApplied } from '../../apimachinery/managedfields/writeonly.js';
import { inSlices } from '../../apimachinery/eventloop/slices.js';
import { OBJECT_META, isObject, jsonSchema, type JsonSchema } from '../../apimachinery/schema/jsonschema.js';
import { timestamp } from './metadata.js';
import type { ResourceStore } from '../resourcestore.js';

/** Prepares the field management of a kind. */
export function trackedKind(definition: ResourceDefinition): TrackedKind {
  const schema = jsonSchema(definition.schema);
  const text: JsonSchema = { type: 'string' };
  const properties = { ...schema.properties, kind: text, apiVersion: text, metadata: OBJECT_META };
  const always = Object.entries(schema.properties ?? {}).filter(([, property]) => isAlwaysThere(property));
  const reset = resetFields(definition, Object.keys(schema.properties ?? {}));
  return {
    group: definition.group,
    kind: definition.kind,
    apiVersions: [apiVersionOf(definition)],
    type: compileMergeType({ ...schema, type: 'object', properties }),
    always: Object.fromEntries(always.map(([name, property]) => [name, property.default ?? null])),
    resetFields: (subresource) => reset.get(subresource) ?? EMPTY_SET,
  };
}

/**
 * Whether every object has the field, as it defaults to `{}`, null or `''` (in Go: structs that are no pointers,
 * fields without `omitempty`).
 */
function isAlwaysThere({ default: value }: JsonSchema): boolean {
  return value === null || value === '' || (isObject(value) && Object.keys(value).length === 0);
}

/**
 * `/status` writes only status, and other endpoints do not; for Kubernetes' own kinds, `/status` also writes labels
 * and annotations (`GetResetFields` of the strategies of kube-apiserver).
 */
function resetFields(
  { subresources, builtIn }: ResourceDefinition,
  members: readonly string[],
): ReadonlyMap<string, FieldSet> {
  if (!subresources.some(({ name }) => name === 'status')) return new Map();
  const others = members.filter((name) => name !== 'status');
  const fields = (names: readonly string[]): FieldSet => setOf(...names.map((name) => [fieldElement(name)]));
  const status = fields(['status']);
  return new Map([
    ['', status],
    ['finalize', status],
    ['status', fields(builtIn ? others : ['metadata', ...others])],
  ]);
}

/** Sets managedFields of a new object, and ignores those of the client. */
export function trackCreate(
  { tracked }: Pick<ResourceStore, 'tracked'>,
  object: KubeObject,
  fieldManager: string,
): Promise<void> {
  delete object.metadata.managedFields;
  return track(tracked, blankObject(tracked, object.apiVersion), object, { subresource: '', fieldManager });
}

/** Sets managedFields of an update of `live`. */
export function trackChange(
  { tracked }: ResourceStore,
  live: KubeObject,
  next: KubeObject,
  by: { readonly subresource: string; readonly fieldManager: string },
): Promise<void> {
  return track(tracked, live, next, by);
}

async function track(
  kind: TrackedKind,
  live: KubeObject,
  next: KubeObject,
  { subresource, fieldManager }: { readonly subresource: string; readonly fieldManager: string },
): Promise<void> {
  redactLastApplied(kind.type, next.metadata);
  const now = timestamp();
  const { managedFields } = await inSlices(
    trackSteps(kind, { live, next, manager: fieldManager, subresource, now }),
  );
  if (managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = managedFields;
}
