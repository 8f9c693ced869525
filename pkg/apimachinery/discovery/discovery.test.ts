import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { defineResource, type ResourceDefinition } from '../../../api/resource.js';
import { discoveryDocuments } from './documents.js';
import { storageVersionHash } from './legacy.js';

const EVERY_VERB = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const STATUS = { name: 'status', verbs: ['update', 'get', 'patch'] };

type Declared = Partial<ResourceDefinition> &
  Pick<ResourceDefinition, 'group' | 'kind' | 'plural' | 'namespaced'>;

function kind(declared: Declared): ResourceDefinition {
  return defineResource({ version: 'v1', description: 'A kind.', schema: Type.Object({}), ...declared });
}

const DEFINITIONS = [
  kind({
    group: 'management.svc.example',
    kind: 'SharedSecret',
    plural: 'sharedsecrets',
    namespaced: true,
    subresources: [STATUS],
  }),
  kind({
    group: 'management.svc.example',
    kind: 'OwnedAccessKey',
    plural: 'ownedaccesskeys',
    namespaced: false,
    subresources: [STATUS],
  }),
  kind({
    group: '',
    kind: 'Namespace',
    plural: 'namespaces',
    namespaced: false,
    builtIn: true,
    shortNames: ['ns'],
    verbs: ['watch', 'create', 'delete', 'get', 'list', 'patch', 'update'],
    subresources: [STATUS, { name: 'finalize', verbs: ['update'] }],
  }),
  kind({
    group: '',
    kind: 'ConfigMap',
    plural: 'configmaps',
    namespaced: true,
    builtIn: true,
    shortNames: ['cm'],
  }),
  kind({
    group: 'authentication.k8s.io',
    kind: 'TokenReview',
    plural: 'tokenreviews',
    namespaced: false,
    builtIn: true,
    verbs: ['create'],
  }),
];
const documents = discoveryDocuments(DEFINITIONS, 'localhost:8443');

/** Documents as parsed JSON, with the order of members. */
const text = (document: unknown): string => JSON.stringify(document);

describe('legacy discovery', () => {
  test('/api names the versions of the core group and no apiVersion', () => {
    expect(documents.apiVersions).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: 'localhost:8443' }],
    });
  });

  test('/apis lists groups by name, without the core group', () => {
    expect(text(documents.groupList)).toBe(
      '{"kind":"APIGroupList","apiVersion":"v1","groups":[' +
        '{"name":"authentication.k8s.io","versions":[{"groupVersion":"authentication.k8s.io/v1","version":"v1"}],' +
        '"preferredVersion":{"groupVersion":"authentication.k8s.io/v1","version":"v1"}},' +
        '{"name":"management.svc.example","versions":[{"groupVersion":"management.svc.example/v1","version":"v1"}],' +
        '"preferredVersion":{"groupVersion":"management.svc.example/v1","version":"v1"}}]}',
    );
  });

  test('/apis/<group>', () => {
    expect(text(documents.group('management.svc.example'))).toBe(
      '{"kind":"APIGroup","apiVersion":"v1","name":"management.svc.example",' +
        '"versions":[{"groupVersion":"management.svc.example/v1","version":"v1"}],' +
        '"preferredVersion":{"groupVersion":"management.svc.example/v1","version":"v1"}}',
    );
  });

  test('/apis/<group>/<version>', () => {
    const verbs = text(EVERY_VERB);
    expect(text(documents.resourceList('management.svc.example', 'v1'))).toBe(
      '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"management.svc.example/v1","resources":[' +
        `{"name":"ownedaccesskeys","singularName":"ownedaccesskey","namespaced":false,"kind":"OwnedAccessKey","verbs":${verbs},"storageVersionHash":"GxDfW7Bpeic="},` +
        '{"name":"ownedaccesskeys/status","singularName":"","namespaced":false,"kind":"OwnedAccessKey","verbs":["get","patch","update"]},' +
        `{"name":"sharedsecrets","singularName":"sharedsecret","namespaced":true,"kind":"SharedSecret","verbs":${verbs},"storageVersionHash":"EmU9uasDZCo="},` +
        '{"name":"sharedsecrets/status","singularName":"","namespaced":true,"kind":"SharedSecret","verbs":["get","patch","update"]}]}',
    );
  });

  test('/api/v1 has no apiVersion and sorts subresources', () => {
    expect(text(documents.resourceList('', 'v1'))).toBe(
      '{"kind":"APIResourceList","groupVersion":"v1","resources":[' +
        `{"name":"configmaps","singularName":"configmap","namespaced":true,"kind":"ConfigMap","verbs":${text(EVERY_VERB)},"shortNames":["cm"],"storageVersionHash":"qFsyl6wFWjQ="},` +
        '{"name":"namespaces","singularName":"namespace","namespaced":false,"kind":"Namespace","verbs":["create","delete","get","list","patch","update","watch"],"shortNames":["ns"],"storageVersionHash":"Q3oi5N2YM8M="},' +
        '{"name":"namespaces/finalize","singularName":"","namespaced":false,"kind":"Namespace","verbs":["update"]},' +
        '{"name":"namespaces/status","singularName":"","namespaced":false,"kind":"Namespace","verbs":["get","patch","update"]}]}',
    );
  });

  test('omits storageVersionHash for kinds that are not stored', () => {
    expect(documents.resourceList('authentication.k8s.io', 'v1')?.resources).toEqual([
      {
        name: 'tokenreviews',
        singularName: 'tokenreview',
        namespaced: false,
        kind: 'TokenReview',
        verbs: ['create'],
      },
    ]);
  });

  test.each([
    ['', 'v1', 'Event', 'r2yiGXH7wu8='],
    ['', 'v1', 'Secret', 'S6u1pOWzb84='],
    ['coordination.k8s.io', 'v1', 'Lease', 'gqkMMb/YqFM='],
    ['rbac.authorization.k8s.io', 'v1', 'Role', '7FuwZcIIItM='],
  ])('storageVersionHash of %s/%s/%s', (group, version, name, expected) => {
    expect(storageVersionHash(kind({ group, version, kind: name, plural: 'any', namespaced: true }))).toBe(
      expected,
    );
  });

  test('returns no document for a group that is not served', () => {
    expect(documents.group('no.such.group')).toBeUndefined();
    expect(documents.group('')).toBeUndefined();
    expect(documents.resourceList('management.svc.example', 'v9')).toBeUndefined();
    expect(discoveryDocuments(DEFINITIONS.slice(0, 2)).apiVersions).toBeUndefined();
    expect(discoveryDocuments(DEFINITIONS.slice(0, 2)).aggregatedCore.items).toEqual([]);
  });
});

describe('aggregated discovery', () => {
  test('/apis', () => {
    const { items, ...head } = documents.aggregatedGroups;
    expect(head).toEqual({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      'authentication.k8s.io',
      'management.svc.example',
    ]);
    const secret = '{"group":"management.svc.example","version":"v1","kind":"SharedSecret"}';
    expect(text(items[1]?.versions[0]?.resources[1])).toBe(
      `{"resource":"sharedsecrets","responseKind":${secret},"scope":"Namespaced","singularResource":"sharedsecret","verbs":${text(EVERY_VERB)},` +
        `"subresources":[{"subresource":"status","responseKind":${secret},"verbs":["get","patch","update"]}]}`,
    );
    expect(items[1]?.versions[0]?.freshness).toBe('Current');
  });

  test('/api', () => {
    const namespace = '{"group":"","version":"","kind":"Namespace"}';
    expect(text(documents.aggregatedCore)).toBe(
      '{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},"versions":[{"version":"v1","resources":[' +
        `{"resource":"configmaps","responseKind":{"group":"","version":"","kind":"ConfigMap"},"scope":"Namespaced","singularResource":"configmap","verbs":${text(EVERY_VERB)},"shortNames":["cm"]},` +
        `{"resource":"namespaces","responseKind":${namespace},"scope":"Cluster","singularResource":"namespace","verbs":["create","delete","get","list","patch","update","watch"],"shortNames":["ns"],` +
        `"subresources":[{"subresource":"finalize","responseKind":${namespace},"verbs":["update"]},{"subresource":"status","responseKind":${namespace},"verbs":["get","patch","update"]}]}` +
        '],"freshness":"Current"}]}]}',
    );
  });
});
