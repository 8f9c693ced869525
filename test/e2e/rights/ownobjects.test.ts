/** The objects that users can read and change without any role: their own keys, User and Teams. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const KEYS = `${API}/ownedaccesskeys`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

let server: ServerFixture;
let admin: Client;

beforeAll(async () => {
  server = await startServer();
  admin = client(server);
  await made('users', 'anna', {});
  await made('users', 'ben', {});
  await made('teams', 'red', { users: ['anna'] });
  await made('teams', 'blue', { users: ['ben'] });
});
afterAll(() => server.remove());

async function made(plural: string, name: string, spec: object): Promise<Answer> {
  const answer = await admin.send('POST', `${API}/${plural}`, { metadata: { name }, spec });
  expect(answer.status).toBe(201);
  return answer;
}

/** A client with a new key. */
async function holder(name: string, spec: object): Promise<Client> {
  const { text } = await made('ownedaccesskeys', name, spec);
  return client(server, (JSON.parse(text) as { spec: { key: string } }).spec.key);
}

async function namesIn(asking: Client, path: string): Promise<string[]> {
  const { status, text } = await asking.send('GET', path);
  expect(status).toBe(200);
  const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

const statusOf = async (asking: Client, method: string, path: string, body?: object): Promise<number> =>
  (await asking.send(method, path, body, method === 'PATCH' ? MERGE : {})).status;

test('the holder of a key with a subject sees and changes the keys of that subject alone', async () => {
  const robot = await holder('robot-1', { subject: 'robot' });
  await holder('robot-2', { subject: 'robot' });
  await holder('other', { subject: 'other' });
  expect(await namesIn(robot, KEYS)).toEqual(['robot-1', 'robot-2']);
  expect(await namesIn(admin, `${KEYS}?fieldSelector=spec.subject%3Drobot`)).toEqual(['robot-1', 'robot-2']);
  const disabled = { spec: { disabled: true } };
  expect(await statusOf(robot, 'PATCH', `${KEYS}/robot-2`, disabled)).toBe(200);
  expect(await statusOf(robot, 'PATCH', `${KEYS}/other`, disabled)).toBe(403);
  expect(await statusOf(robot, 'GET', `${KEYS}/other`)).toBe(403);
  expect(await statusOf(robot, 'DELETE', `${KEYS}/robot-2`)).toBe(200);
});

describe('a user without roles', () => {
  let anna: Client;
  beforeAll(async () => {
    anna = await holder('annas', { user: 'anna' });
  });

  test.each([
    ['/users/anna', 200],
    ['/users/ben', 403],
    ['/users/none', 403],
    ['/teams/red', 200],
    ['/teams/blue', 403],
  ])('GET %s is %i', async (path, status) => {
    expect(await statusOf(anna, 'GET', API + path)).toBe(status);
  });

  test('lists them and nothing else, and changes neither', async () => {
    expect(await namesIn(anna, `${API}/users`)).toEqual(['anna']);
    expect(await namesIn(anna, `${API}/teams`)).toEqual(['red']);
    const groups = { spec: { groups: ['management:admins'] } };
    expect(await statusOf(anna, 'PATCH', `${API}/users/anna`, groups)).toBe(403);
    expect(await statusOf(anna, 'PATCH', `${API}/teams/red`, { spec: { users: ['anna', 'ben'] } })).toBe(403);
    expect(await statusOf(anna, 'DELETE', `${API}/users/anna`)).toBe(403);
  });

  test('sees a team no more that they have left', async () => {
    const members = (users: string[]): Promise<number> =>
      statusOf(admin, 'PATCH', `${API}/teams/red`, { spec: { users } });
    expect(await members([])).toBe(200);
    expect(await statusOf(anna, 'GET', `${API}/teams/red`)).toBe(403);
    expect(await members(['anna'])).toBe(200);
    expect(await statusOf(anna, 'GET', `${API}/teams/red`)).toBe(200);
  });

  test('sees neither by a key whose scope does not cover them', async () => {
    const scoped = await holder('scoped', { user: 'anna', scope: { projects: [{ project: 'web' }] } });
    expect(await statusOf(scoped, 'GET', `${API}/users/anna`)).toBe(403);
    expect(await statusOf(scoped, 'GET', `${API}/teams/red`)).toBe(403);
  });
});

test.each([
  ['a user', { user: 'nobody' }, 'there is no User "nobody"'],
  ['a team', { team: 'none' }, 'there is no Team "none"'],
])('a key for an absent %s is made with a warning', async (what, spec, said) => {
  const { headers } = await made('ownedaccesskeys', `for-${what.replace(' ', '-')}`, spec);
  expect(headers.warning).toContain(said.replace(/"/g, '\\"'));
});

test('a key for an existing user is made without a warning', async () => {
  expect((await made('ownedaccesskeys', 'for-ben', { user: 'ben' })).headers.warning).toBeUndefined();
});
