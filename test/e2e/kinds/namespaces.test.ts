/** Namespaces are deleted through `/finalize`, as a namespace controller does it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const NAMESPACES = '/api/v1/namespaces';

interface Namespace {
  metadata: { name: string; uid: string; labels?: Record<string, string> };
  spec: { finalizers?: string[] };
  status: { phase: string };
}

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

const send = (method: string, path: string, body?: object): Promise<Answer> =>
  fetchFrom(`${server.url}${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });

async function create(name: string, finalizers: string[] = []): Promise<Namespace> {
  const answer = await send('POST', NAMESPACES, { metadata: { name, finalizers } });
  expect(answer.status).toBe(201);
  return JSON.parse(answer.text) as Namespace;
}

const read = async (name: string): Promise<Namespace> =>
  JSON.parse((await send('GET', `${NAMESPACES}/${name}`)).text) as Namespace;

test('the namespaces of every server are there', async () => {
  const { items } = JSON.parse((await send('GET', NAMESPACES)).text) as { items: Namespace[] };
  const names = items.map(({ metadata }) => metadata.name);
  expect(names).toEqual(['default', 'kube-public', 'kube-system', 'management-system']);
});

test('only /finalize changes spec.finalizers; an active namespace stays when they are empty', async () => {
  const namespace = await create('active');
  const without = { ...namespace, spec: {} };
  expect((await send('PUT', `${NAMESPACES}/active`, without)).status).toBe(200);
  expect((await read('active')).spec).toEqual({ finalizers: ['kubernetes'] });
  expect((await send('PUT', `${NAMESPACES}/active/finalize`, without)).status).toBe(200);
  expect((await read('active')).spec).toEqual({});
});

test('a deleted namespace is gone once both kinds of finalizers are', async () => {
  await create('gone', ['example.com/hold']);
  expect((await send('DELETE', `${NAMESPACES}/gone`)).status).toBe(200);
  const terminating = await read('gone');
  expect(terminating.status).toEqual({ phase: 'Terminating' });
  expect((await send('PUT', `${NAMESPACES}/gone/finalize`, { ...terminating, spec: {} })).status).toBe(200);
  const held = await read('gone');
  const { metadata } = held;
  const released = { ...held, metadata: { ...metadata, finalizers: [] } };
  expect((await send('PUT', `${NAMESPACES}/gone`, released)).status).toBe(200);
  expect((await send('GET', `${NAMESPACES}/gone`)).status).toBe(404);
});

test.each([
  ['PATCH', 405],
  ['POST', 405],
  ['GET', 405],
])('%s on /finalize is %i', async (method, status) => {
  expect((await send(method, `${NAMESPACES}/default/finalize`, {})).status).toBe(status);
});

test('the phase follows from the deletion alone', async () => {
  const namespace = await create('phase');
  const answer = await send('PUT', `${NAMESPACES}/phase/status`, {
    ...namespace,
    status: { phase: 'Terminating' },
  });
  expect(answer.status).toBe(422);
  expect(answer.text).toContain("may only be 'Active' if `deletionTimestamp` is empty");
});

test('a DELETE for another uid is refused in the words of Kubernetes', async () => {
  const { metadata } = await create('again');
  const answer = await send('DELETE', `${NAMESPACES}/again`, { preconditions: { uid: 'x' } });
  expect(answer.status).toBe(409);
  const { message } = JSON.parse(answer.text) as { message: string };
  expect(message).toBe(
    `Operation cannot be fulfilled on namespaces "again": Precondition failed: UID in precondition: x, UID in object meta: ${metadata.uid}`,
  );
});

test('finalizers have names', async () => {
  const answer = await send('POST', NAMESPACES, { metadata: { name: 'bad' }, spec: { finalizers: ['x'] } });
  expect(JSON.parse(answer.text)).toMatchObject({
    message:
      'Namespace "bad" is invalid: spec.finalizers: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  });
});
