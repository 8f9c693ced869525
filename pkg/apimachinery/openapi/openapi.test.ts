import { describe, expect, test } from '@jest/globals';
import { KINDS } from '../../management/kinds.js';
import { openapiDocuments } from './documents.js';
import { componentName, groupVersionWord, tagOf } from './names.js';
import { PATCH_MEDIA_TYPES } from './patchtypes.js';

/** Kinds with paths of their own. */
const RESOURCES = KINDS.filter((kind) => !('below' in kind)).map(({ definition }) => definition);
const documents = openapiDocuments(RESOURCES);
const MANAGEMENT = 'apis/management.svc.example/v1';
const SECRETS = `/${MANAGEMENT}/namespaces/{namespace}/sharedsecrets`;
const SECRET = 'example.svc.management.v1.SharedSecret';
const SECRET_GVK = { group: 'management.svc.example', kind: 'SharedSecret', version: 'v1' };

/** Returns the value at a path of members. */
function at(value: unknown, ...steps: (string | number)[]): unknown {
  return steps.reduce<unknown>(
    (reached, step) => (reached as Record<string, unknown> | undefined)?.[step],
    value,
  );
}

/** Every object in a document, itself included. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside];
}

const everyDocument: [string, object][] = [
  ['v2', documents.v2()],
  ...documents.paths.map((path): [string, object] => [path, documents.v3(path)]),
];

describe.each(everyDocument)('%s', (_name, document) => {
  test('has a non-empty schema for every $ref', () => {
    const refs = objectsIn(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    expect(refs.length).toBeGreaterThan(0);
    const lost = [...new Set(refs)].filter((ref) => {
      return Object.keys((at(document, ...ref.slice(2).split('/')) as object | undefined) ?? {}).length === 0;
    });
    expect(lost).toEqual([]);
  });

  test('has unique operation ids', () => {
    const ids = objectsIn(document).flatMap(({ operationId }) =>
      operationId === undefined ? [] : [operationId],
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has no keywords that OpenAPI lacks', () => {
    const schemas = at(document, 'definitions') ?? at(document, 'components', 'schemas');
    const strange = objectsIn(schemas).flatMap((each) =>
      ['const', 'patternProperties', 'x-component', '~kind'].filter(
        (key) => typeof each[key] === 'string' || typeof each[key] === 'object',
      ),
    );
    expect(strange).toEqual([]);
  });

  test('describes every field of every component', () => {
    const schemas = (at(document, 'definitions') ?? at(document, 'components', 'schemas')) as Record<
      string,
      unknown
    >;
    const silent = Object.entries(schemas).flatMap(([name, schema]) => {
      const properties = (at(schema, 'properties') ?? {}) as Record<string, unknown>;
      const own = at(schema, 'description') === undefined ? [name] : [];
      const fields = Object.keys(properties).filter((field) => {
        return (
          at(properties, field, 'description') === undefined && at(properties, field, '$ref') === undefined
        );
      });
      return [...own, ...fields.map((field) => `${name}.${field}`)];
    });
    expect(silent).toEqual([]);
  });
});

describe('v3', () => {
  const document = documents.v3(MANAGEMENT);

  test('lists the path of each document, sorted', () => {
    expect(documents.paths).toEqual([...documents.paths].sort());
    expect(documents.paths).toEqual(expect.arrayContaining(['api/v1', MANAGEMENT]));
  });

  test('is OpenAPI 3.0.0', () => expect(document.openapi).toBe('3.0.0'));

  test.each([
    [SECRETS, 'get', 'list', 'listManagementSvcExampleV1NamespacedSharedSecret'],
    [SECRETS, 'post', 'post', 'createManagementSvcExampleV1NamespacedSharedSecret'],
    [SECRETS, 'delete', 'deletecollection', 'deleteManagementSvcExampleV1CollectionNamespacedSharedSecret'],
    [`${SECRETS}/{name}`, 'get', 'get', 'readManagementSvcExampleV1NamespacedSharedSecret'],
    [`${SECRETS}/{name}`, 'put', 'put', 'replaceManagementSvcExampleV1NamespacedSharedSecret'],
    [`${SECRETS}/{name}`, 'patch', 'patch', 'patchManagementSvcExampleV1NamespacedSharedSecret'],
    [`${SECRETS}/{name}`, 'delete', 'delete', 'deleteManagementSvcExampleV1NamespacedSharedSecret'],
    [`${SECRETS}/{name}/status`, 'patch', 'patch', 'patchManagementSvcExampleV1NamespacedSharedSecretStatus'],
    [`/${MANAGEMENT}/sharedsecrets`, 'get', 'list', 'listManagementSvcExampleV1SharedSecretForAllNamespaces'],
    [
      `/${MANAGEMENT}/watch/sharedsecrets`,
      'get',
      'watchlist',
      'watchManagementSvcExampleV1SharedSecretListForAllNamespaces',
    ],
  ])('%s %s', (path, method, action, id) => {
    expect(at(document.paths, path, method)).toMatchObject({
      operationId: id,
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': SECRET_GVK,
    });
  });

  test('declares field validation and the patch types of PATCH for kubectl', () => {
    const patch = at(document.paths, `${SECRETS}/{name}`, 'patch');
    const names = (at(patch, 'parameters') as { name: string; in: string }[]).map(
      (each) => `${each.in} ${each.name}`,
    );
    expect(names).toEqual(['query dryRun', 'query fieldManager', 'query fieldValidation', 'query force']);
    expect(Object.keys(at(patch, 'requestBody', 'content') as object)).toEqual(PATCH_MEDIA_TYPES);
  });

  // kubectl refuses to create a kind that has no PATCH, unless its caller may list CustomResourceDefinitions.
  test.each([
    ['auditsearches', '404'],
    ['directclusterendpointtokens', '405'],
  ])('declares a PATCH of %s that is refused, so that kubectl finds field validation', (plural, code) => {
    const patch = at(document.paths, `/${MANAGEMENT}/${plural}/{name}`, 'patch');
    expect(at(patch, 'parameters')).toContainEqual(expect.objectContaining({ name: 'fieldValidation' }));
    expect(Object.keys(at(patch, 'responses') as object)).toEqual(['401', code].sort());
  });

  test('lists the common fields of objects before those of the kind', () => {
    const schema = document.components.schemas[SECRET];
    expect(at(schema, 'x-kubernetes-group-version-kind')).toEqual([SECRET_GVK]);
    expect(Object.keys(at(schema, 'properties') as object)).toEqual([
      'apiVersion',
      'kind',
      'metadata',
      'spec',
      'status',
    ]);
    expect(at(schema, 'properties', 'metadata', 'allOf')).toEqual([
      { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    ]);
    expect(at(schema, 'properties', 'spec', 'properties', 'data', 'additionalProperties', 'type')).toBe(
      'string',
    );
    expect(at(schema, 'properties', 'spec', 'properties', 'access', 'x-kubernetes-list-type')).toBe('atomic');
    expect(
      at(document.components.schemas[`${SECRET}List`], 'x-kubernetes-group-version-kind', 0, 'kind'),
    ).toBe('SharedSecretList');
  });

  test('omits DELETE of the collection for a kind without deletecollection', () => {
    const core = documents.v3('api/v1');
    expect(Object.keys(core.paths['/api/v1/namespaces'] ?? {})).toEqual(['get', 'post', 'parameters']);
    expect(Object.keys(core.paths['/api/v1/namespaces/{name}/finalize'] ?? {})).toEqual([
      'put',
      'parameters',
    ]);
    expect(core.components.schemas).toHaveProperty(['io.k8s.api.core.v1.ConfigMap']);
  });
});

describe("Kubernetes' own kinds", () => {
  const { paths, components } = documents.v3('api/v1');
  const PROTOBUF = 'application/vnd.kubernetes.protobuf';
  const types = ['application/json', 'application/yaml', PROTOBUF];
  const streams = [...types, 'application/json;stream=watch', `${PROTOBUF};stream=watch`];

  test('have named components for spec and status', () => {
    const fields = at(components.schemas['io.k8s.api.core.v1.Namespace'], 'properties');
    for (const [field, name] of [
      ['spec', 'NamespaceSpec'],
      ['status', 'NamespaceStatus'],
    ] as const) {
      expect(at(fields, field, 'allOf', 0)).toEqual({
        $ref: `#/components/schemas/io.k8s.api.core.v1.${name}`,
      });
    }
    const status = components.schemas['io.k8s.api.core.v1.NamespaceStatus'];
    expect(at(status, 'properties', 'phase', 'enum')).toEqual(['Active', 'Terminating']);
  });

  test('accept any media type, respond in protobuf too, and may answer a create with 202', () => {
    const collection = paths['/api/v1/namespaces/{namespace}/configmaps'];
    const post = at(collection, 'post');
    expect(Object.keys(at(post, 'requestBody', 'content') as object)).toEqual(['*/*']);
    expect(Object.keys(at(post, 'responses') as object)).toEqual(['200', '201', '202', '401']);
    expect(Object.keys(at(post, 'responses', '202', 'content') as object)).toEqual(types);
    expect(Object.keys(at(collection, 'get', 'responses', '200', 'content') as object)).toEqual(streams);
    const v2 = documents.v2().paths['/api/v1/namespaces/{namespace}/configmaps'];
    expect([at(v2, 'get', 'consumes'), at(v2, 'get', 'produces')]).toEqual([['*/*'], streams]);
  });

  test('differ from other groups, which have JSON and YAML only', () => {
    const post = at(documents.v3(MANAGEMENT).paths, SECRETS, 'post');
    expect(Object.keys(at(post, 'requestBody', 'content') as object)).toEqual(types.slice(0, 2));
    expect(Object.keys(at(post, 'responses', '201', 'content') as object)).toEqual(types.slice(0, 2));
  });
});

describe('v2', () => {
  const document = documents.v2();

  test('contains every kind', () => {
    expect(document.swagger).toBe('2.0');
    const missing = RESOURCES.map(componentName).filter((name) => document.definitions[name] === undefined);
    expect(missing).toEqual([]);
  });

  test('declares a body and media types of PATCH', () => {
    const patch = at(document.paths, `${SECRETS}/{name}`, 'patch');
    expect(at(patch, 'consumes')).toEqual(PATCH_MEDIA_TYPES);
    expect(at(patch, 'parameters', 0)).toEqual({
      name: 'body',
      in: 'body',
      required: true,
      schema: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch' },
    });
  });
});

test.each([
  ['', 'io.k8s.api.core.v1.Role', 'CoreV1', 'core_v1'],
  ['rbac.authorization.k8s.io', 'io.k8s.api.rbac.v1.Role', 'RbacAuthorizationV1', 'rbacAuthorization_v1'],
])('names in the group "%s" of Kubernetes', (group, component, word, tag) => {
  const definition = { group, version: 'v1', kind: 'Role', builtIn: true };
  expect([componentName(definition), groupVersionWord(definition), tagOf(definition)]).toEqual([
    component,
    word,
    tag,
  ]);
});
