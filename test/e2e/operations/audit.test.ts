/** The audit log of a running server: it records who did what, and contains no secret. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask, encoded } from '../../fixtures/clients/protobufclient.js';
import {
  VIEWER_TOKEN,
  fetchFrom,
  startServer,
  type Answer,
  type ServerFixture,
} from '../../fixtures/servers/server.js';

interface Event {
  level: string;
  stage: string;
  verb: string;
  auditID: string;
  requestURI: string;
  user: { username?: string; groups?: string[] };
  impersonatedUser?: { username: string };
  authenticationMetadata?: object;
  objectRef?: Record<string, string>;
  responseStatus?: { code: number; reason?: string; message?: string };
  requestObject?: { data?: unknown };
  responseObject?: { metadata: { uid: string } };
  annotations?: Record<string, string>;
}

const folder = mkdtempSync(join(tmpdir(), 'audit-e2e-'));
const log = join(folder, 'audit.log');
afterAll(() => rmSync(folder, { recursive: true }));

interface Sent {
  readonly token?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

function send(server: ServerFixture, method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { token, body, headers } = sent;
  return fetchFrom(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The records so far, after waiting for the final event of the request with that id. */
async function eventsUntil(auditId: string, stage = 'ResponseComplete'): Promise<Event[]> {
  for (;;) {
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
    const events = lines.map((line) => JSON.parse(line) as Event);
    if (events.some((event) => event.auditID === auditId && event.stage === stage)) return events;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const idOf = ({ headers }: Answer): string => headers['audit-id'] as string;
const ending = async (answer: Answer): Promise<Event> => {
  const id = idOf(answer);
  const found = (await eventsUntil(id)).find(
    (event) => event.auditID === id && event.stage === 'ResponseComplete',
  );
  if (found === undefined) throw new Error('it was there');
  return found;
};

const SECRETS = '/api/v1/namespaces/default/secrets';
const MAPS = '/api/v1/namespaces/default/configmaps';

describe('by default', () => {
  let server: ServerFixture;
  beforeAll(async () => {
    server = await startServer({ flags: [`--audit-log-path=${log}`] });
  });
  afterAll(() => server.remove());

  test('a line has the user, the request and its outcome', async () => {
    const answer = await send(server, 'POST', MAPS, { body: { metadata: { generateName: 'm-' } } });
    const { name } = (JSON.parse(answer.text) as { metadata: { name: string } }).metadata;
    expect(await ending(answer)).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      verb: 'create',
      requestURI: MAPS,
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      objectRef: { resource: 'configmaps', namespace: 'default', name, apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    });
    expect(statSync(log).mode & 0o077).toBe(0);
  });

  test('records refusals, of permissions and of credentials', async () => {
    const denied = await ending(await send(server, 'GET', `${SECRETS}/s`, { token: VIEWER_TOKEN }));
    expect(denied).toMatchObject({
      user: { username: 'viewer' },
      responseStatus: { code: 403, reason: 'Forbidden', status: 'Failure' },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    });
    const stranger = await ending(await send(server, 'GET', SECRETS, { token: 'hunter2-token' }));
    expect(stranger).toMatchObject({ user: {}, responseStatus: { code: 401 } });
  });

  test('records both users of an impersonation', async () => {
    const headers = { 'impersonate-user': 'jane' };
    expect(await ending(await send(server, 'GET', MAPS, { headers }))).toMatchObject({
      user: { username: 'admin' },
      impersonatedUser: { username: 'jane', groups: ['system:authenticated'] },
      authenticationMetadata: { impersonationConstraint: 'impersonate:user-info' },
    });
    const inGroup = { ...headers, 'impersonate-group': 'system:masters' };
    expect(await ending(await send(server, 'GET', MAPS, { headers: inGroup }))).not.toHaveProperty(
      'authenticationMetadata',
    );
  });

  test('records no probes', async () => {
    const probe = await send(server, 'GET', '/readyz');
    const last = await send(server, 'GET', MAPS);
    const events = await eventsUntil(idOf(last));
    expect(events.map(({ auditID }) => auditID)).not.toContain(idOf(probe));
  });
});

const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: written}\n';

const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitManagedFields: true
rules:
  - level: RequestResponse
    verbs: [get]
    omitManagedFields: false
  - level: RequestResponse
`;

describe('with a policy', () => {
  const policy = join(folder, 'policy.yaml');
  let server: ServerFixture;
  beforeAll(async () => {
    rmSync(log, { force: true });
    writeFileSync(policy, POLICY);
    server = await startServer({ flags: [`--audit-log-path=${log}`, `--audit-policy-file=${policy}`] });
  });
  afterAll(() => server.remove());

  test('records the bodies of request and response', async () => {
    const answer = await send(server, 'POST', MAPS, { body: { metadata: { name: 'm' }, data: { a: 'b' } } });
    const { metadata } = JSON.parse(answer.text) as { metadata: { uid: string } };
    const event = await ending(answer);
    expect(event.requestObject).toEqual({ metadata: { name: 'm' }, data: { a: 'b' } });
    expect(event.responseObject).toMatchObject({ metadata: { uid: metadata.uid }, data: { a: 'b' } });
    const stages = (await eventsUntil(idOf(answer))).filter(({ auditID }) => auditID === idOf(answer));
    expect(stages.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
  });

  test.each<[string, string, string, string, unknown]>([
    ['YAML', 'POST', 'application/yaml', `${HEAD}data: {a: b}\n`, { data: { a: 'b' } }],
    [
      'an apply',
      'PATCH',
      'application/apply-patch+yaml',
      `${HEAD}data: {e: f}\n`,
      { kind: 'ConfigMap', data: { e: 'f' } },
    ],
    ['a merge patch', 'PATCH', 'application/merge-patch+json', '{"data":{"a":"d"}}', { data: { a: 'd' } }],
    [
      'a JSON patch',
      'PATCH',
      'application/json-patch+json',
      '[{"op":"remove","path":"/data/a"}]',
      [{ op: 'remove', path: '/data/a' }],
    ],
    ['a DELETE in YAML', 'DELETE', 'application/yaml', 'propagationPolicy: Orphan\n', {}],
  ])('records a body in %s as JSON', async (_name, method, type, body, expected) => {
    const path = method === 'POST' ? MAPS : `${MAPS}/written?fieldManager=f`;
    const answer = await fetchFrom(`${server.url}${path}`, {
      method,
      headers: { 'content-type': type },
      body,
    });
    if (![200, 201].includes(answer.status)) throw new Error(answer.text);
    expect((await ending(answer)).requestObject).toMatchObject(expected as object);
  });

  test('records a body in protobuf as JSON', async () => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'p' }, data: { a: 'b' } };
    const answer = await ask(server.url + MAPS, 'POST', { body: encoded(object) });
    expect(answer.status).toBe(201);
    const event = await ending({ status: 201, headers: answer.headers, text: '' });
    expect(event.requestObject).toMatchObject({ kind: 'ConfigMap', data: { a: 'b' } });
  });

  test('leaves out managedFields, unless the rule wants them', async () => {
    const [first, second] = [
      await send(server, 'GET', `${MAPS}/kept`),
      await send(server, 'POST', MAPS, { body: { metadata: { name: 'kept' }, data: { a: 'b' } } }),
    ];
    expect(first.status).toBe(404);
    const omitted = await ending(second);
    expect(second.text).toContain('managedFields');
    expect(JSON.stringify(omitted.responseObject)).not.toContain('managedFields');
    const list = await send(server, 'GET', MAPS);
    expect(JSON.stringify((await ending(list)).responseObject)).not.toContain('managedFields');
    const kept = await send(server, 'GET', `${MAPS}/kept`);
    expect(JSON.stringify((await ending(kept)).responseObject)).toContain('managedFields');
  });

  test('never records a secret', async () => {
    const secret = { metadata: { name: 's' }, stringData: { password: 'hunter2' } };
    await send(server, 'POST', SECRETS, { body: secret });
    const misplaced = await send(server, 'POST', MAPS, {
      body: { kind: 'Secret', apiVersion: 'v1', ...secret },
    });
    expect(misplaced.status).toBe(400);
    await send(server, 'GET', `${SECRETS}/s`);
    await send(server, 'GET', SECRETS);
    await send(server, 'PUT', `${SECRETS}/s`, { body: { ...secret, type: 'hunter2' } });
    const bad = await send(server, 'POST', SECRETS, {
      body: { metadata: { name: 't' }, data: { a: 'hunter2' } },
    });
    expect(bad.status).toBe(400);
    const shared = { metadata: { name: 's' }, spec: { data: { password: 'aHVudGVyMg==' } } };
    await send(server, 'POST', '/apis/management.svc.example/v1/namespaces/default/sharedsecrets', {
      body: shared,
    });
    const review = { spec: { token: 'hunter2' } };
    await send(server, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: review });
    await send(server, 'GET', `${SECRETS}?token=hunter2`);
    const account = '/api/v1/namespaces/default/serviceaccounts';
    await send(server, 'POST', account, { body: { metadata: { name: 'robot' } } });
    const issued = await send(server, 'POST', `${account}/robot/token`, { body: {} });
    const { token } = (JSON.parse(issued.text) as { status: { token: string } }).status;
    const last = await send(server, 'GET', MAPS);
    const events = await eventsUntil(idOf(last));
    const text = readFileSync(log, 'utf8');
    expect(events.length).toBeGreaterThan(18);
    for (const value of ['hunter2', 'aHVudGVyMg', token]) expect(text.includes(value)).toBe(false);
  });

  test('a watch is recorded when it begins and when it ends', async () => {
    const answer = await send(server, 'GET', `${MAPS}?watch=1&timeoutSeconds=1`);
    const id = idOf(answer);
    const events = (await eventsUntil(id)).filter(({ auditID }) => auditID === id);
    expect(events.map(({ stage }) => stage)).toEqual([
      'RequestReceived',
      'ResponseStarted',
      'ResponseComplete',
    ]);
  });
});

test('a log that cannot be written stops no request, unless the mode requires it', async () => {
  for (const [mode, status] of [
    ['batch', 200],
    ['blocking-strict', 500],
  ] as const) {
    const place = join(folder, mode);
    const flags = [`--audit-log-path=${join(place, 'audit.log')}`, `--audit-log-mode=${mode}`];
    const server = await startServer({ flags });
    rmSync(place, { recursive: true });
    writeFileSync(place, '');
    expect((await send(server, 'GET', MAPS)).status).toBe(status);
    expect((await send(server, 'GET', '/readyz')).status).toBe(200);
    await server.remove();
  }
});
