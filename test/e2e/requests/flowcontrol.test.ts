/** A server at its limit of concurrent requests. */
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import { request } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  ADMIN_TOKEN,
  VIEWER_TOKEN,
  fetchFrom,
  startServer,
  type Answer,
  type ServerFixture,
} from '../../fixtures/servers/server.js';

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

/** Starts a watch, and waits until the server serves it. */
async function watching(path: string): Promise<ClientRequest> {
  const headers = { authorization: `Bearer ${VIEWER_TOKEN}` };
  const sent = request(`${server.url}${path}`, { headers, rejectUnauthorized: false });
  sent.end();
  const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage];
  expect(statusCode).toBe(200);
  return sent;
}

/** Sends a write whose response the client does not read until `take` is called. */
async function answerInLine(): Promise<{ take(): Promise<number> }> {
  const session = connect(server.url, { rejectUnauthorized: false, settings: { initialWindowSize: 0 } });
  const path = { ':method': 'POST', ':path': MAPS, authorization: `Bearer ${VIEWER_TOKEN}` };
  const stream = session.request({ ...path, 'content-type': 'application/json' });
  stream.end(JSON.stringify({ metadata: { name: 'first' } }));
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & IncomingHttpStatusHeader];
  return {
    async take() {
      session.settings({ initialWindowSize: 65_535 });
      stream.resume();
      await once(stream, 'end');
      session.close();
      return headers[':status'] ?? 0;
    },
  };
}

test('a write waits in the queue; more writes of its user get 429; system:masters is exempt', async () => {
  const first = await answerInLine();
  const second = create(MAPS, { metadata: { name: 'second' } }, VIEWER_TOKEN);
  const third = create(MAPS, { metadata: { name: 'third' } }, VIEWER_TOKEN);
  const refused = await Promise.race([second, third]);
  expect(refused).toMatchObject({
    status: 429,
    text: 'Too many requests, please try again later.\n',
    headers: { 'retry-after': '1', 'content-type': 'text/plain; charset=utf-8' },
  });
  expect((await create(MAPS, { metadata: { name: 'admins' } })).status).toBe(201);
  expect(await first.take()).toBe(201);
  const outcomes = await Promise.all([second, third]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual([201, 429]);
  const { text } = await fetchFrom(`${server.url}/metrics`);
  expect(text).toMatch(/^apiserver_dropped_requests_total\{request_kind="mutating"\} 1$/m);
  expect(text).toMatch(/^apiserver_audit_event_total [1-9]\d*$/m);
});

test('a user has a share of the watches', async () => {
  const first = await watching(`${MAPS}?watch=1`);
  const path = `${server.url}${MAPS}?watch=1&timeoutSeconds=1`;
  expect((await fetchFrom(path, { token: VIEWER_TOKEN })).status).toBe(429);
  first.destroy();
  for (;;) {
    const { status } = await fetchFrom(path, { token: VIEWER_TOKEN });
    if (status === 200) break;
    expect(status).toBe(429);
  }
});
