/** PUT creates only leases, roles and bindings. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

const put = (path: string, object: object): Promise<Answer> =>
  fetchFrom(`${server.url}${path}`, {
    method: 'PUT',
    body: JSON.stringify(object),
    headers: { 'content-type': 'application/json' },
  });

test('an absent lease is created, whatever resourceVersion the body has; then updated', async () => {
  const first = await put(`${LEASES}/l`, {
    metadata: { name: 'l', resourceVersion: '5' },
    spec: { holderIdentity: 'a' },
  });
  expect(first.status).toBe(201);
  const lease = JSON.parse(first.text) as { metadata: { resourceVersion: string } };
  const second = await put(`${LEASES}/l`, { ...lease, spec: { holderIdentity: 'b' } });
  expect(second.status).toBe(200);
  expect(JSON.parse(second.text)).toMatchObject({ spec: { holderIdentity: 'b' } });
  expect((await put(`${LEASES}/l`, lease)).status).toBe(409);
});

test('a uid names an object that must be there', async () => {
  const answer = await put(`${ROLES}/r`, { metadata: { name: 'r', uid: 'x' } });
  expect(answer.status).toBe(409);
  expect(answer.text).toContain('Precondition failed: UID in precondition: x, UID in object meta: ');
});

test('an absent namespace refuses it; a dry run creates nothing', async () => {
  const elsewhere = await put('/apis/rbac.authorization.k8s.io/v1/namespaces/absent/roles/r', {
    metadata: { name: 'r' },
  });
  expect(elsewhere.status).toBe(404);
  expect(JSON.parse(elsewhere.text)).toMatchObject({ message: 'namespaces "absent" not found' });
  expect((await put(`${ROLES}/r?dryRun=All`, { metadata: { name: 'r' } })).status).toBe(201);
  expect((await fetchFrom(`${server.url}${ROLES}/r`)).status).toBe(404);
});

test('other kinds are not created', async () => {
  const answer = await put('/api/v1/namespaces/default/secrets/s', { metadata: { name: 's' } });
  expect(answer.status).toBe(404);
});
