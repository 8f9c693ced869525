/** A server that has enough to do. */
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN_TOKEN, VIEWER_TOKEN, fetchFrom, startServer } from '../fixtures/server.js';
import type { Answer, ServerFixture } from '../fixtures/server.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer({ flags: ['--max-mutating-requests-inflight=1', '--max-watches=2'] });
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'watch'] }];
  await create(`${rbac}/roles`, { metadata: { name: 'viewer' }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'viewer' };
  await create(`${rbac}/rolebindings`, {
    metadata: { name: 'v' },
    roleRef,
    subjects: [{ kind: 'User', name: 'viewer' }],
  });
});
afterAll(() => server.remove());

function create(path: string, body: object, token = ADMIN_TOKEN): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return fetchFrom(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers, token });
}

/** A request that the server has begun to serve, and that is not over: it waits for the body, or watches. */
async function begun(
  method: string,
  path: string,
): Promise<{ sent: ClientRequest; answer: Promise<[IncomingMessage]> }> {
  const headers = { authorization: `Bearer ${VIEWER_TOKEN}`, 'content-type': 'application/json' };
  const sent = request(`${server.url}${path}`, { method, headers, rejectUnauthorized: false });
  const answer = once(sent, 'response') as Promise<[IncomingMessage]>;
  if (method === 'GET') sent.end();
  else {
    sent.setHeader('expect', '100-continue');
    sent.flushHeaders();
    await once(sent, 'continue');
  }
  return { sent, answer };
}

test('a write waits for its turn; who sends more is turned away; masters are not held up', async () => {
  const first = await begun('POST', MAPS);
  const second = create(MAPS, { metadata: { name: 'second' } }, VIEWER_TOKEN);
  const third = create(MAPS, { metadata: { name: 'third' } }, VIEWER_TOKEN);
  const refused = await Promise.race([second, third]);
  expect(refused).toMatchObject({
    status: 429,
    text: 'Too many requests, please try again later.\n',
    headers: { 'retry-after': '1', 'content-type': 'text/plain; charset=utf-8' },
  });
  expect((await create(MAPS, { metadata: { name: 'admins' } })).status).toBe(201);
  first.sent.end(JSON.stringify({ metadata: { name: 'first' } }));
  const [answered] = await first.answer;
  expect(answered.statusCode).toBe(201);
  answered.resume();
  const outcomes = await Promise.all([second, third]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual([201, 429]);
  const { text } = await fetchFrom(`${server.url}/metrics`);
  expect(text).toMatch(/^apiserver_dropped_requests_total\{request_kind="mutating"\} 1$/m);
  expect(text).toMatch(/^apiserver_audit_event_total [1-9]\d*$/m);
});

test('a user has half of the watches', async () => {
  const first = await begun('GET', `${MAPS}?watch=1`);
  const [watching] = await first.answer;
  expect(watching.statusCode).toBe(200);
  const path = `${server.url}${MAPS}?watch=1&timeoutSeconds=1`;
  expect((await fetchFrom(path, { token: VIEWER_TOKEN })).status).toBe(429);
  first.sent.destroy();
  for (;;) {
    const { status } = await fetchFrom(path, { token: VIEWER_TOKEN });
    if (status === 200) break;
    expect(status).toBe(429);
  }
});
