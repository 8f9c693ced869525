/** The objects that every server creates at its start, and recreates at the next start if they were deleted. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const EVENTS = '/api/v1/namespaces/default/events';

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly rules?: unknown[];
}

let server: ServerFixture;
beforeAll(async () => {
  // Without the controller that writes aggregated roles: a start writes nothing else.
  server = await startServer({ controllers: 'namespace-controller' });
});
afterAll(() => server.remove());

const send = (method: string, path: string, body?: object, type = 'application/json'): Promise<Answer> =>
  fetchFrom(`${server.url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': type } }),
  });
const read = async (path: string): Promise<Item> => JSON.parse((await send('GET', path)).text) as Item;
const list = async (path: string): Promise<Item[]> =>
  (JSON.parse((await send('GET', path)).text) as { items: Item[] }).items;
const versions = (items: readonly Item[]): string[] =>
  items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
const patch = (path: string, body: object): Promise<Answer> =>
  send('PATCH', path, body, 'application/merge-patch+json');

test('roles and bindings are there, marked as such', async () => {
  const [roles, bindings] = await Promise.all([list(ROLES), list(BINDINGS)]);
  const names = roles.map(({ metadata }) => metadata.name);
  expect(names).toEqual(
    expect.arrayContaining([
      'admin',
      'cluster-admin',
      'edit',
      'system:basic-user',
      'system:discovery',
      'view',
    ]),
  );
  expect(bindings.map(({ metadata }) => metadata.name)).toContain('cluster-admin');
  for (const { metadata } of [...roles, ...bindings]) {
    expect(metadata.labels).toMatchObject({ 'kubernetes.io/bootstrapping': 'rbac-defaults' });
    expect(metadata.annotations).toEqual({ 'rbac.authorization.kubernetes.io/autoupdate': 'true' });
  }
});

test('a start repairs what was taken, and writes nothing else', async () => {
  expect((await send('DELETE', `${ROLES}/system:discovery`)).status).toBe(200);
  expect((await patch(`${ROLES}/system:basic-user`, { rules: [] })).status).toBe(200);
  const off = {
    metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    rules: [],
  };
  expect((await patch(`${ROLES}/system:monitoring`, off)).status).toBe(200);
  const changed = ['system:basic-user', 'system:discovery'];
  const untouched = (items: readonly Item[]): Item[] =>
    items.filter(({ metadata }) => !changed.includes(metadata.name));
  const before = versions(untouched(await list(ROLES)));
  await server.restart();
  const roles = await list(ROLES);
  expect(versions(untouched(roles))).toEqual(before);
  expect((await read(`${ROLES}/system:discovery`)).rules).toHaveLength(2);
  expect((await read(`${ROLES}/system:basic-user`)).rules).toHaveLength(2);
  expect((await read(`${ROLES}/system:monitoring`)).rules).toBeNull();
});

test('events are found by what they are about', async () => {
  for (const name of ['a', 'b']) {
    const involvedObject = { kind: 'Secret', namespace: 'default', name };
    const answer = await send('POST', EVENTS, {
      metadata: { name: `e-${name}` },
      involvedObject,
      reason: 'Why',
    });
    expect(answer.status).toBe(201);
  }
  const selected = async (selector: string): Promise<string[]> =>
    (await list(`${EVENTS}?fieldSelector=${encodeURIComponent(selector)}`)).map(
      ({ metadata }) => metadata.name,
    );
  expect(await selected('involvedObject.name=a,reason=Why')).toEqual(['e-a']);
  expect(await selected('involvedObject.name!=a')).toEqual(['e-b']);
  const refused = await send('GET', `${EVENTS}?fieldSelector=message%3Dx`);
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('field label not supported: message');
});
