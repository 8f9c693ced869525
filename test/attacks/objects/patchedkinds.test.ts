/**
 * Patches that remove or change the kind of an object, and directives of wrong types: all are refused, and nothing is
 * changed.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom, type Answer } from '../../fixtures/servers/server.js';

const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const DEFAULT = '/api/v1/namespaces/default';
const MANAGEMENT = '/apis/management.svc.example/v1';

/** Collections, each with an object `x`. */
const COLLECTIONS: [string, string, string][] = [
  [`${DEFAULT}/configmaps`, 'v1', 'ConfigMap'],
  [`${DEFAULT}/serviceaccounts`, 'v1', 'ServiceAccount'],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases', 'coordination.k8s.io/v1', 'Lease'],
  ['/apis/rbac.authorization.k8s.io/v1/clusterroles', 'rbac.authorization.k8s.io/v1', 'ClusterRole'],
  [`${MANAGEMENT}/namespaces/default/sharedsecrets`, 'management.svc.example/v1', 'SharedSecret'],
  [`${MANAGEMENT}/projects`, 'management.svc.example/v1', 'Project'],
  [`${MANAGEMENT}/teams`, 'management.svc.example/v1', 'Team'],
];

const replace = (path: string, value: unknown): [string, unknown] => [
  JSON_PATCH,
  [{ op: 'replace', path, value }],
];

/** Without an apiVersion the type of an object is unknown, so that not even its name is read. */
const NAMELESS: [string, unknown][] = [
  [MERGE, { kind: null, apiVersion: null }],
  [MERGE, { kind: '', apiVersion: '' }],
  [MERGE, { apiVersion: null }],
  [MERGE, { apiVersion: '' }],
  [MERGE, { kind: null, apiVersion: null, metadata: { name: 'x' } }],
  [
    JSON_PATCH,
    [
      { op: 'remove', path: '/kind' },
      { op: 'remove', path: '/apiVersion' },
    ],
  ],
  [JSON_PATCH, [{ op: 'remove', path: '/apiVersion' }]],
  [JSON_PATCH, [{ op: 'move', from: '/apiVersion', path: '/metadata/labels' }]],
  replace('/apiVersion', ''),
  replace('/apiVersion', null),
  replace('', {}),
];
/** The named kind is not that of the endpoint. */
const OTHER: [string, unknown][] = [
  ...[
    { kind: 'Other' },
    { apiVersion: 'v9' },
    { apiVersion: 'a/b/c' },
    { kind: 'Event', apiVersion: 'v1' },
  ].map((patch): [string, unknown] => [MERGE, patch]),
  ...[5, true, {}, ['x']].flatMap((value): [string, unknown][] => [
    [MERGE, { kind: value }],
    [MERGE, { apiVersion: value }],
    replace('/kind', value),
    replace('/apiVersion', value),
  ]),
  [STRATEGIC, { kind: 5 }],
  [STRATEGIC, { apiVersion: {} }],
];
/** Without a kind, the kind of the endpoint is used; a strategic merge patch is applied to an object that has both. */
const TAKEN: [string, unknown][] = [
  [MERGE, { kind: null }],
  [MERGE, { kind: '' }],
  [JSON_PATCH, [{ op: 'remove', path: '/kind' }]],
  [STRATEGIC, { kind: null, apiVersion: null }],
  [MERGE, { metadata: { labels: { a: 'b' } } }],
];

const DIRECTIVES = [
  { metadata: { '$setElementOrder/finalizers': [{}] } },
  { metadata: { '$setElementOrder/finalizers': [[]] } },
  { metadata: { '$setElementOrder/finalizers': ['a/b', { name: 'c/d' }] } },
  { metadata: { '$setElementOrder/finalizers': [{ $patch: 'delete' }], finalizers: ['e/f'] } },
  { metadata: { '$setElementOrder/finalizers': 'a/b' } },
  { metadata: { '$setElementOrder/finalizers': null } },
  {
    metadata: {
      '$setElementOrder/ownerReferences': ['x'],
      ownerReferences: [{ uid: 'u', name: 'n', kind: 'k', apiVersion: 'v' }],
    },
  },
  { metadata: { '$setElementOrder/labels': [] } },
  { metadata: { '$setElementOrder/nosuch': [] } },
  { metadata: { $setElementOrder: 5, finalizers: ['e/f'] } },
  { $patch: 5 },
  { $patch: 'other' },
  { $patch: {} },
  { metadata: { $patch: ['delete'] } },
  { $retainKeys: 'metadata' },
  { $retainKeys: [{}] },
  { metadata: { $retainKeys: [['name']] } },
  { metadata: { $retainKeys: ['name'], labels: { a: 'b' } } },
  { metadata: { finalizers: [5] } },
  { metadata: { finalizers: [{}] } },
];

let engine: EngineServer;
const send = (method: string, path: string, body?: unknown, type = 'application/json'): Promise<Answer> =>
  fetchFrom(`${engine.server.url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': type } }),
  });

beforeAll(async () => {
  engine = await startEmbedded();
  const metadata = { name: 'x', finalizers: ['a/b', 'c/d'] };
  for (const [path, apiVersion, kind] of COLLECTIONS)
    expect(await send('POST', path, { apiVersion, kind, metadata })).toMatchObject({ status: 201 });
});
afterAll(() => engine.remove());

describe.each(COLLECTIONS)('%s', (collection, apiVersion, kind) => {
  const path = `${collection}/x`;
  test('patches that leave no kind, or another', async () => {
    const before = (await send('GET', path)).text;
    for (const [type, patch] of NAMELESS) {
      const answer = await send('PATCH', path, patch, type);
      const message = 'the name of the object (x based on URL) was undeterminable: name must be provided';
      expect({ patch, ...(JSON.parse(answer.text) as object) }).toMatchObject({
        patch,
        code: 400,
        message,
      });
    }
    for (const [type, patch] of OTHER) {
      const { status, text } = await send('PATCH', path, patch, type);
      if (status !== 400) expect({ patch, status, text }).toMatchObject({ patch, status: 422 });
    }
    expect((await send('GET', path)).text).toBe(before);
    for (const [type, patch] of TAKEN) {
      const answer = await send('PATCH', path, patch, type);
      expect(JSON.parse(answer.text)).toMatchObject({ apiVersion, kind, metadata: { name: 'x' } });
    }
  });

  test('directives of wrong types', async () => {
    const before = (await send('GET', path)).text;
    for (const patch of DIRECTIVES) {
      const { status, text } = await send('PATCH', path, patch, STRATEGIC);
      if (status !== 400) expect({ patch, status, text }).toMatchObject({ patch, status: 422 });
    }
    expect((await send('GET', path)).text).toBe(before);
    const patch = { metadata: { '$setElementOrder/finalizers': ['c/d', 'a/b'] } };
    const answer = await send('PATCH', path, patch, STRATEGIC);
    const { metadata } = JSON.parse(answer.text) as { metadata: { finalizers: string[] } };
    expect(metadata.finalizers.slice(0, 2)).toEqual(['c/d', 'a/b']);
  });
});

test('a patch that removes the resourceVersion behaves like a PUT without one', async () => {
  const patch = { metadata: { resourceVersion: null } };
  for (const [path, status] of [
    [`${DEFAULT}/configmaps/x`, 200],
    ['/apis/coordination.k8s.io/v1/namespaces/default/leases/x', 422],
    [`${MANAGEMENT}/teams/x`, 422],
  ] as const)
    expect(await send('PATCH', path, patch, MERGE)).toMatchObject({ status });
});
