/** Admission plugins that the operator enables and disables. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  VIEWER_TOKEN,
  fetchFrom,
  startServer,
  type Answer,
  type ServerFixture,
} from '../../fixtures/servers/server.js';

let server: ServerFixture;
beforeAll(async () => {
  const flags = [
    '--enable-admission-plugins=NamespaceAutoProvision',
    '--disable-admission-plugins=OwnerReferencesPermissionEnforcement',
  ];
  server = await startServer({ flags });
});
afterAll(() => server.remove());

function post(path: string, body: object, token?: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', body: JSON.stringify(body), headers, ...(token !== undefined && { token }) };
  return fetchFrom(`${server.url}${path}`, init);
}

test('NamespaceAutoProvision: a create creates the missing namespace', async () => {
  const maps = '/api/v1/namespaces/new/configmaps';
  expect((await post(`${maps}?dryRun=All`, { metadata: { name: 'a' } })).status).toBe(404);
  expect((await fetchFrom(`${server.url}/api/v1/namespaces/new`)).status).toBe(404);
  expect((await post(maps, { metadata: { name: 'a' } })).status).toBe(201);
  const namespace = await fetchFrom(`${server.url}/api/v1/namespaces/new`);
  expect(JSON.parse(namespace.text)).toMatchObject({ status: { phase: 'Active' } });
});

test('OwnerReferencesPermissionEnforcement: off, anyone may block the deletion of owners', async () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }];
  await post(`${rbac}/roles`, { metadata: { name: 'creator' }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'creator' };
  const subjects = [{ kind: 'User', name: 'viewer' }];
  await post(`${rbac}/rolebindings`, { metadata: { name: 'creator' }, roleRef, subjects });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u', blockOwnerDeletion: true };
  const object = { metadata: { name: 'd', ownerReferences: [owner] } };
  expect((await post('/api/v1/namespaces/default/configmaps', object, VIEWER_TOKEN)).status).toBe(201);
});
