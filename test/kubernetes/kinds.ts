/**
 * Kinds of Kubernetes that this project does not have, made of the OpenAPI documents of a release: enough for tests of the API
 * machinery that use Pods or Deployments as examples of a kind. They have the schema, defaults, merge keys and status of Kubernetes, and none of
 * what it has in Go for each kind (validation, columns of tables, other subresources): `notrun.json` names the tests that take it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineResource, type ResourceDefinition } from '../../api/resource.js';
import { Type } from '../../api/type.js';
import type { StoredKind } from '../../pkg/registry/registry.js';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly [Schema];
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly description?: string;
  readonly [extension: string]: unknown;
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Operation {
  readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Which the tests that are run use. */
const DOCUMENTS = [
  'api__v1',
  'apis__admissionregistration.k8s.io__v1',
  'apis__apps__v1',
  'apis__batch__v1',
  'apis__discovery.k8s.io__v1',
  'apis__flowcontrol.apiserver.k8s.io__v1',
  'apis__networking.k8s.io__v1',
  'apis__policy__v1',
  'apis__storagemigration.k8s.io__v1',
];

/** A path of objects of a kind: whether they are in namespaces, the plural. */
const COLLECTION = /^\/(?:api|apis\/[^/]+)\/v1(\/namespaces\/\{namespace\})?\/([a-z]+)$/;

/** `replicas` is 1 in them: Kubernetes sets it in Go. */
const REPLICATED = [
  'io.k8s.api.apps.v1.DeploymentSpec',
  'io.k8s.api.apps.v1.ReplicaSetSpec',
  'io.k8s.api.apps.v1.StatefulSetSpec',
  'io.k8s.api.core.v1.ReplicationControllerSpec',
];

/** Those that are not `existing`. `folder` has the documents of `api/openapi-spec/v3`. */
export function kindsOfKubernetes(
  folder: string,
  existing: readonly Pick<ResourceDefinition, 'group' | 'plural'>[],
): StoredKind[] {
  const known = new Set(existing.map(({ group, plural }) => `${group}/${plural}`));
  return DOCUMENTS.flatMap((name) => {
    const document = JSON.parse(readFileSync(join(folder, `${name}_openapi.json`), 'utf8')) as Document;
    return Object.entries(document.paths).flatMap(([path, { get, post }]) => {
      const [, namespaced, plural] = COLLECTION.exec(path) ?? [];
      const of = post?.['x-kubernetes-group-version-kind'];
      if (plural === undefined || of === undefined || get === undefined) return [];
      return known.has(`${of.group}/${plural}`) ? [] : [kindOf(document, path, of, namespaced !== undefined)];
    });
  });
}

function kindOf(document: Document, path: string, of: GroupVersionKind, namespaced: boolean): StoredKind {
  const isOf = ({ group, version, kind }: GroupVersionKind): boolean =>
    group === of.group && version === of.version && kind === of.kind;
  const schemas = Object.values(document.components.schemas);
  const schema = schemas.find((each) =>
    (each['x-kubernetes-group-version-kind'] as GroupVersionKind[] | undefined)?.some(isOf),
  );
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema?.properties ?? {};
  const hasStatus = `${path}/{name}/status` in document.paths;
  const definition = defineResource({
    ...of,
    plural: path.slice(path.lastIndexOf('/') + 1),
    namespaced,
    builtIn: true,
    unconditionalUpdate: true,
    description: schema?.description ?? '',
    subresources: hasStatus ? [{ name: 'status', verbs: ['get', 'patch', 'update'] }] : [],
    schema: Type.Object(propertiesOf(document, properties, [])),
  });
  return { definition, strategy: { generation: hasStatus } };
}

/** All are optional: what is required, Kubernetes checks in Go. */
const propertiesOf = (
  document: Document,
  properties: Readonly<Record<string, Schema>>,
  within: readonly string[],
): Record<string, ReturnType<typeof Type.Optional>> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const found = { ...resolved(document, schema, within), ...defaultOf(schema, name, within) };
      return [name, Type.Optional(Type.Unsafe(found))];
    }),
  );

/** What Go writes where there is nothing: an empty struct, an empty string. */
function defaultOf(schema: Schema, name: string, within: readonly string[]): object {
  const value = name === 'replicas' && REPLICATED.includes(within.at(-1) ?? '') ? 1 : schema.default;
  return value === undefined ? {} : { default: value, 'x-keep-empty': true };
}

const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Without references: the schemas that a kind is made of, in place. A type within itself is taken as it comes. */
function resolved(document: Document, schema: Schema, within: readonly string[]): object {
  const { $ref, allOf, properties, items, additionalProperties, required: _, default: __, ...rest } = schema;
  const of = $ref ?? allOf?.[0].$ref;
  if (of !== undefined) {
    const name = of.slice('#/components/schemas/'.length);
    if (within.includes(name)) return ANYTHING;
    const { 'x-kubernetes-group-version-kind': ___, ...found } = document.components.schemas[name] ?? {};
    return { ...resolved(document, found, [...within, name]), ...rest };
  }
  // A string or a number: a quantity, or what is either.
  if ('oneOf' in rest) return { description: rest.description };
  if (properties !== undefined)
    return { ...Type.Object(propertiesOf(document, properties, within)), ...rest };
  if (items !== undefined) return { ...rest, items: resolved(document, items, within) };
  if (additionalProperties !== undefined) {
    const value = resolved(document, additionalProperties, within);
    return { ...Type.Record(Type.String(), Type.Unsafe(value)), ...rest };
  }
  return rest.type === 'object' ? { ...rest, ...ANYTHING } : rest;
}
