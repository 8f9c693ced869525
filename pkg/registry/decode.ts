/** From a decoded body to a typed object of the kind that an endpoint serves (wire texts of `k8s.io/apimachinery`). */
import type { JsonValue, KubeObject, ResourceDefinition } from '../../api/resource.js';
import { apiVersionOf } from '../../api/resource.js';
import { badRequest, quote } from '../apimachinery/errors.js';
import type { ResourceStore } from './resourcestore.js';

/** What the server can tell a kind from, beside the endpoint's own: all definitions that it serves. */
export type KnownKinds = readonly Pick<ResourceDefinition, 'group' | 'version' | 'kind'>[];

export interface DecodedObject {
  readonly object: KubeObject;
  /** Paths of members that the schema does not know, which were removed: `spec.a[0].b`. */
  readonly unknown: readonly string[];
}

/**
 * Checks that `value` is an object of the store's kind and fits its types; removes unknown members; applies defaults.
 * Changes `value`. Throws StatusError 400. `summary`: the beginning of the body, for messages.
 */
export function decodeObject(
  store: ResourceStore,
  known: KnownKinds,
  value: JsonValue,
  summary: () => string,
): DecodedObject {
  const { definition, schema } = store;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const text = `the object provided is unrecognized (must be of type ${definition.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (${summary()})`;
    throw badRequest(text);
  }
  checkKind(definition, known, value, summary);
  const object = value as unknown as KubeObject;
  object.kind = definition.kind;
  object.apiVersion = apiVersionOf(definition);
  object.metadata ??= {};
  schema.decodeTypes(object);
  const unknown = schema.prune(object);
  schema.applyDefaults(object);
  return { object, unknown };
}

function jsonType(value: JsonValue): string {
  return Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function checkKind(
  definition: ResourceDefinition,
  known: KnownKinds,
  value: { [member: string]: JsonValue },
  summary: () => string,
): void {
  const kind = text(definition, value.kind, summary) || definition.kind;
  const apiVersion = text(definition, value.apiVersion, summary) || apiVersionOf(definition);
  if (kind === definition.kind && apiVersion === apiVersionOf(definition)) return;
  const parts = apiVersion.split('/');
  if (parts.length > 2) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${definition.kind}): unexpected GroupVersion string: ${apiVersion} (${summary()})`,
    );
  }
  const version = parts[parts.length - 1] as string;
  const prefix = `${kind} in version ${quote(version)} cannot be handled as a ${definition.kind}: `;
  const group = parts.length === 2 ? parts[0] : '';
  const other = known.find((each) => each.group === group && each.version === version && each.kind === kind);
  if (other !== undefined) {
    throw badRequest(
      `${prefix}converting (${goType(other)}) to (${definition.group === '' ? 'core' : shortGroup(definition.group)}.${definition.kind}): unknown conversion`,
    );
  }
  if (kind === definition.kind && !definition.builtIn) {
    throw badRequest(
      `${prefix}the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(definition)})`,
    );
  }
  throw badRequest(
    `${prefix}no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function text(definition: ResourceDefinition, value: JsonValue | undefined, summary: () => string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw badRequest(
    `the object provided is unrecognized (must be of type ${definition.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(value)} into Go struct field of type string (${summary()})`,
  );
}

const shortGroup = (group: string): string => group.split('.')[0] as string;
const goType = (kind: { version: string; kind: string }): string => `${kind.version}.${kind.kind}`;
