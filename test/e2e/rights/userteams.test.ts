/** The status of a user contains the user's teams. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const MERGE = { 'content-type': 'application/merge-patch+json' };
let server: ServerFixture;
let admin: Client;

beforeAll(async () => {
  server = await startServer({ controllers: 'user-teams-controller' });
  admin = client(server);
});
afterAll(() => server.remove());

async function create(kind: 'User' | 'Team', name: string, spec: object): Promise<void> {
  const body = { kind, apiVersion: 'management.svc.example/v1', metadata: { name }, spec };
  const { status } = await admin.send('POST', `${API}/${kind.toLowerCase()}s`, body);
  expect(status).toBe(201);
}

async function patch(path: string, spec: object): Promise<void> {
  expect((await admin.send('PATCH', `${API}/${path}`, { spec }, MERGE)).status).toBe(200);
}

const teamsBecome = (user: string, teams: readonly string[]): Promise<unknown> =>
  eventually(`${user} is in ${teams.join()}`, async () => {
    const { status = {} } = JSON.parse((await admin.send('GET', `${API}/users/${user}`)).text) as {
      status?: { teams?: string[] };
    };
    return (status.teams ?? []).join() === teams.join();
  });

test('the teams of a user follow those that name them or a group of theirs', async () => {
  await create('Team', 'early', { users: ['anna'] });
  await create('User', 'anna', { groups: ['auditors'] });
  await create('User', 'ben', {});
  await teamsBecome('anna', ['early']);
  await create('Team', 'audit', { groups: ['auditors'] });
  await create('Team', 'both', { users: ['anna', 'ben'] });
  await teamsBecome('anna', ['audit', 'both', 'early']);
  await teamsBecome('ben', ['both']);
  await patch('users/anna', { groups: [] });
  await patch('teams/both', { users: ['ben'] });
  await teamsBecome('anna', ['early']);
  await admin.send('DELETE', `${API}/teams/both`);
  await teamsBecome('ben', []);
});
