/** Rights on an object come from the object, and end with it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import { ADMIN } from '../../fixtures/clients/impersonation.js';
import { API, SECRETS, rolePlanters, type RolePlanters } from '../../fixtures/objects/roleplanters.js';

let on: RolePlanters;
beforeAll(async () => {
  on = await rolePlanters(startEmbedded);
});
afterAll(() => on.remove());

test('rights end with the write that takes them, and do not come back with the name', async () => {
  const path = `${SECRETS}/ours`;
  const access = [{ verbs: ['get', 'update'], users: ['ute'], teams: ['red'] }];
  await on.make(SECRETS, { metadata: { name: 'ours' }, spec: { access } }, 'anna');
  const seen = (): Promise<number[]> =>
    Promise.all(['anna', 'ute', 'tom', 'mallory'].map((user) => on.statusOf(user, 'GET', path)));
  const listed = async (user: string): Promise<boolean> => {
    const { status, text } = await on.send(user, 'GET', SECRETS);
    return status === 200 && text.includes('"ours"');
  };
  expect([await seen(), await listed('ute'), await listed('tom')]).toEqual([
    [200, 200, 200, 403],
    true,
    true,
  ]);
  expect(await on.statusOf('anna', 'PATCH', path, { spec: { access: null } })).toBe(200);
  expect([await seen(), await listed('ute'), await listed('tom')]).toEqual([
    [200, 403, 403, 403],
    false,
    false,
  ]);
  expect(await on.statusOf('anna', 'PATCH', path, { spec: { owner: { user: 'ute' } } })).toBe(200);
  expect([await seen(), await listed('anna')]).toEqual([[403, 200, 403, 403], false]);
  expect(await on.statusOf('ute', 'DELETE', path)).toBe(200);
  await on.make(SECRETS, { metadata: { name: 'ours' } }, 'mallory');
  expect([await seen(), await listed('ute')]).toEqual([[403, 403, 403, 200], false]);
});

test('the owner of an object created under an old name sees nothing of the old object, nor of times before a right', async () => {
  const [gone, shared, key] = ['Z29uZQ==', 'YmVmb3Jl', 'the key of anna'];
  const keys = `${API}/ownedaccesskeys`;
  const start = await on.make(SECRETS, { metadata: { name: 'mine' } }, 'mallory');
  const before = [start.metadata.resourceVersion];
  const page = JSON.parse((await on.send('mallory', 'GET', `${SECRETS}?limit=1`)).text) as {
    metadata: { continue?: string };
  };
  const then = await on.make(SECRETS, { metadata: { name: 'name' }, spec: { data: { a: gone } } }, 'anna');
  before.push(then.metadata.resourceVersion);
  await on.make(SECRETS, { metadata: { name: 'given' }, spec: { data: { a: shared } } }, 'anna');
  const made = await on.make(keys, {
    metadata: { name: 'name' },
    spec: { user: 'anna', displayName: key },
  });
  before.push(made.metadata.resourceVersion);
  expect(await on.statusOf('anna', 'DELETE', `${SECRETS}/name`)).toBe(200);
  expect(await on.statusOf(ADMIN, 'DELETE', `${keys}/name`)).toBe(200);
  await on.make(SECRETS, { metadata: { name: 'name' } }, 'mallory');
  await on.make(keys, { metadata: { name: 'name' }, spec: { user: 'mallory' } });
  const spec = { data: { a: 'bmV3' }, access: [{ verbs: ['get'], users: ['mallory'] }] };
  expect(await on.statusOf('anna', 'PATCH', `${SECRETS}/given`, { spec })).toBe(200);
  const asked = before.flatMap((revision) => [
    `?resourceVersionMatch=Exact&resourceVersion=${revision}`,
    `?watch=1&timeoutSeconds=1&resourceVersion=${revision}`,
  ]);
  const next = page.metadata.continue;
  if (next !== undefined) asked.push(`?limit=50&continue=${encodeURIComponent(next)}`);
  const answers = await Promise.all(
    [SECRETS, keys].flatMap((path) => asked.map(async (query) => on.send('mallory', 'GET', path + query))),
  );
  for (const { text } of answers) for (const one of [gone, shared, key]) expect(text).not.toContain(one);
  expect(await on.statusOf('mallory', 'GET', `${SECRETS}/name`)).toBe(200);
});

test("a limit of the owner's is not theirs to lift, nor to give away", async () => {
  const path = `${API}/projects/web`;
  const review = async (user: string): Promise<boolean> => {
    const resourceAttributes = {
      group: 'management.svc.example',
      resource: 'projects',
      subresource: 'quotas',
      name: 'web',
      verb: 'update',
    };
    const answer = await on.send(user, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      spec: { resourceAttributes },
    });
    return (JSON.parse(answer.text) as { status: { allowed: boolean } }).status.allowed;
  };
  const shared = (...subresources: string[]): Promise<number> =>
    on.statusOf('paul', 'PATCH', path, {
      spec: { access: [{ verbs: ['*'], subresources, users: ['paul', 'ute'] }] },
    });
  expect([await shared('*', 'quotas'), await shared('quotas'), await shared('*')]).toEqual([403, 403, 200]);
  expect([await review('paul'), await review('ute'), await review(ADMIN)]).toEqual([false, false, true]);
});

test.each([
  { access: null },
  { owner: null, access: [null] },
  { access: [{ verbs: null, users: null, teams: null, subresources: null }] },
  { access: [{ verbs: ['get'], users: [null, 7], teams: {} }] },
  { owner: 'anna', access: 'get' },
  { owner: { user: null, team: null }, members: [null] },
])('a nonsensical spec harms nobody: %j', async (spec) => {
  for (const path of [SECRETS, `${API}/projects`]) {
    const { status } = await on.send('mallory', 'POST', path, { metadata: { generateName: 'odd-' }, spec });
    expect([201, 400, 422]).toContain(status);
  }
  expect(await on.statusOf('anna', 'GET', `${SECRETS}/nothing`)).toBe(403);
  expect(await on.statusOf('paul', 'GET', `${API}/projects/web`)).toBe(200);
});
