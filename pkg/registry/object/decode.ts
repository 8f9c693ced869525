/** Decodes a parsed body into an object of the endpoint's kind (wire messages of `k8s.io/apimachinery`). */
import { objectOfJson } from '../../apimachinery/encoding/objectjson.js';
import {
  apiVersionOf,
  type JsonValue,
  type KubeObject,
  type ResourceDefinition,
} from '../../../api/resource.js';
import { goType } from '../../apimachinery/encoding/body.js';
import { badRequest, quote } from '../../apimachinery/errors.js';
import type { Steps } from '../../apimachinery/eventloop/slices.js';
import type { ResourceStore } from '../resourcestore.js';

/** The kinds of all definitions that the server serves. */
export type KnownKinds = readonly Pick<ResourceDefinition, 'group' | 'version' | 'kind'>[];

/** The part of a store that decoding needs. */
export type Decoding = Pick<ResourceStore, 'definition' | 'schema'> & {
  readonly strategy: Pick<ResourceStore['strategy'], 'applyDefaults'>;
};

export interface DecodedObject {
  readonly object: KubeObject;
  /** Paths of unknown fields, which were removed: `spec.a[0].b`. */
  readonly unknown: readonly string[];
}

/**
 * Checks that `value` is an object of the store's kind and matches its types; removes unknown fields; applies
 * defaults. Modifies `value`. Throws StatusError 400.
 */
export function* decodeObject(store: Decoding, known: KnownKinds, value: JsonValue): Steps<DecodedObject> {
  const { definition, schema } = store;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw badRequest(`json: cannot unmarshal ${goType(value)} into Go value of type ${definition.kind}`);
  }
  checkKind(definition, known, value);
  const object = objectOfJson(value);
  object.kind = definition.kind;
  object.apiVersion = apiVersionOf(definition);
  object.metadata ??= {};
  schema.decodeTypes(object);
  yield;
  const unknown = schema.prune(object);
  yield;
  schema.applyDefaults(object);
  store.strategy.applyDefaults?.(object);
  return { object, unknown };
}

/** Absent kind and apiVersion default to those of the endpoint. */
function checkKind(
  definition: ResourceDefinition,
  known: KnownKinds,
  value: { [member: string]: JsonValue },
): void {
  const kind = textOf(value.kind) || definition.kind;
  const apiVersion = textOf(value.apiVersion) || apiVersionOf(definition);
  if (kind === definition.kind && apiVersion === apiVersionOf(definition)) return;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const prefix = `${kind} in version ${quote(version)} cannot be handled as a ${definition.kind}: `;
  const other = known.find((each) => each.group === group && each.version === version && each.kind === kind);
  const expected = apiVersionOf(definition);
  const mismatch = `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`;
  // kube-apiserver reports the version for the same kind in another group.
  if (other !== undefined && kind === definition.kind) throw badRequest(mismatch);
  if (other !== undefined) {
    const target = `${definition.group === '' ? 'core' : shortGroup(definition.group)}.${definition.kind}`;
    throw badRequest(`${prefix}converting (${version}.${kind}) to (${target}): unknown conversion`);
  }
  if (kind === definition.kind && !definition.builtIn) throw badRequest(prefix + mismatch);
  throw badRequest(
    `${prefix}no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const shortGroup = (group: string): string => group.split('.')[0]!;
