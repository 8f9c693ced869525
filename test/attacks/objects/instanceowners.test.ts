/**
 * Secrets in a space or virtual cluster are filled with the rights of its owner: users can only name themselves as the
 * owner.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { impersonating, allow, type Actor } from '../../fixtures/clients/impersonation.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';

const API = '/apis/management.svc.example/v1';
const APPLY = 'application/apply-patch+yaml';
const TEAM = 'management:team:';

interface Owned {
  readonly spec: { readonly owner?: object };
}

let on: EngineServer;
let admin: Actor;
/** A user of the project, in the team red. */
let mallory: Actor;
/** Has the rights of mallory, and may impersonate ben and the team blue. */
let granter: Actor;

beforeAll(async () => {
  on = await startEmbedded();
  admin = impersonating(on.server);
  mallory = impersonating(on.server, 'mallory', [`${TEAM}red`]);
  granter = impersonating(on.server, 'granter');
  const members = ['mallory', 'granter'].map((name) => ({
    kind: 'User',
    name,
    clusterRole: 'management-project-user',
  }));
  const project = { metadata: { name: 'web' }, spec: { members } };
  expect((await admin.send('POST', `${API}/projects`, project)).status).toBe(201);
  const impersonate = { apiGroups: [''], verbs: ['impersonate'] };
  const may = [
    { ...impersonate, resources: ['users'], resourceNames: ['ben'] },
    { ...impersonate, resources: ['groups'], resourceNames: [`${TEAM}blue`] },
  ];
  await allow(on.server, 'granter', '', ...may);
});
afterAll(() => on.remove());

describe.each([
  ['SpaceInstance', 'spaceinstances'],
  ['VirtualClusterInstance', 'virtualclusterinstances'],
])('the owner of a %s', (kind, plural) => {
  const where = `${API}/namespaces/loft-p-web/${plural}`;
  const create = async (by: Actor, name: string, owner?: object): Promise<number> =>
    (await by.send('POST', where, { metadata: { name }, spec: owner && { owner } })).status;
  const give = async (by: Actor, name: string, owner: object): Promise<number> =>
    (await by.send('PATCH', `${where}/${name}`, { spec: { owner: { user: null, team: null, ...owner } } }))
      .status;
  const ownerOf = async (name: string): Promise<object | undefined> =>
    (await admin.send<Owned>('GET', `${where}/${name}`)).body.spec.owner;

  test('is not set to another user or team by the creator', async () => {
    const others = [{ user: 'ben' }, { user: 'admin' }, { team: 'blue' }, { user: 'mallory', team: 'blue' }];
    for (const owner of others)
      expect([owner, await create(mallory, 'foreign', owner)]).not.toEqual([owner, 201]);
    const body = { metadata: { name: 'applied' }, spec: { owner: { user: 'ben' } } };
    const manifest = { apiVersion: 'management.svc.example/v1', kind, ...body };
    const applied = await mallory.send('PATCH', `${where}/applied?fieldManager=m`, manifest, APPLY);
    expect(applied.status).toBe(403);
    expect((await admin.send('GET', `${where}/foreign`)).status).toBe(404);
  });

  test('can only give it to a team of their own', async () => {
    expect(await create(mallory, 'own')).toBe(201);
    const { status, body } = await mallory.send('PATCH', `${where}/own`, {
      spec: { owner: { user: 'ben' } },
    });
    expect([status, body.message]).toEqual([403, expect.stringMatching(/cannot impersonate.*users\/ben/)]);
    expect(await give(mallory, 'own', { team: 'blue' })).toBe(403);
    expect(await ownerOf('own')).toEqual({ user: 'mallory' });
    expect(await give(mallory, 'own', { team: 'red' })).toBe(200);
    expect(await give(mallory, 'own', { user: 'ben' })).toBe(403);
    expect(await give(mallory, 'own', { user: 'mallory' })).toBe(200);
  });

  test('may be a user whom the creator may impersonate', async () => {
    expect(await create(granter, 'bens', { user: 'ben' })).toBe(201);
    expect(await create(granter, 'blues', { team: 'blue' })).toBe(201);
    expect(await create(granter, 'admins', { user: 'admin' })).toBe(403);
    expect(await create(granter, 'mine')).toBe(201);
    expect(await give(granter, 'mine', { team: 'red' })).toBe(403);
    expect(await give(granter, 'mine', { team: 'blue' })).toBe(200);
    expect(await create(admin, 'by-admin', { user: 'anybody' })).toBe(201);
  });

  test('stays the same in writes of others', async () => {
    expect(await create(admin, 'kept', { team: 'red' })).toBe(201);
    const label = { metadata: { labels: { tier: 'web' } } };
    expect((await mallory.send('PATCH', `${where}/kept`, label)).status).toBe(200);
    const { body } = await mallory.send('GET', `${where}/kept`);
    expect((await mallory.send('PUT', `${where}/kept`, body)).status).toBe(200);
  });
});
