/** A refused request says nothing about users, teams, keys and other objects that its caller may not read. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { API, KEYS, accessKeys, type AccessKeys } from '../../fixtures/clients/accesskeys.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import type { Answer } from '../../fixtures/servers/server.js';

const APPLY = { 'content-type': 'application/apply-patch+yaml' };

describe('refusals', () => {
  let on: EngineServer;
  let admin: Client;
  let keys: AccessKeys;
  let eve: Client;

  const made = async (path: string, object: object): Promise<void> => {
    expect((await admin.send('POST', path, object)).status).toBe(201);
  };

  beforeAll(async () => {
    on = await startEmbedded();
    admin = client(on.server);
    keys = accessKeys(on.server);
    for (const name of ['eve', 'there']) await keys.createUser(name);
    await made(`${API}/teams`, { metadata: { name: 'there' } });
    await keys.createKey('there', { user: 'there' });
    eve = client(on.server, (await keys.createKey('of-eve', { user: 'eve' })).spec.key as string);
  });
  afterAll(() => on.remove());

  /** What an answer says, without the name that was asked for. */
  const said = ({ status, text, headers }: Answer, name: string): unknown => [
    status,
    text.replaceAll(name, 'NAME'),
    headers['warning'],
  ];

  const ASKED: readonly (readonly [string, (name: string) => Promise<Answer>])[] = [
    ['a key for a user', (user) => eve.send('POST', KEYS, { metadata: { name: 'new' }, spec: { user } })],
    ['a key for a team', (team) => eve.send('POST', KEYS, { metadata: { name: 'new' }, spec: { team } })],
    [
      'a key with the name of a key, for another user',
      (name) => eve.send('POST', KEYS, { metadata: { name }, spec: { user: 'other' } }),
    ],
    [
      'the same as a dry run',
      (name) => eve.send('POST', `${KEYS}?dryRun=All`, { metadata: { name }, spec: { user: 'other' } }),
    ],
    ['a key', (name) => eve.send('GET', `${KEYS}/${name}`)],
    [
      'a patch of a key',
      (name) => eve.send('PATCH', `${KEYS}/${name}`, {}, { 'content-type': 'application/merge-patch+json' }),
    ],
    [
      'an apply of a key',
      (name) =>
        eve.send(
          'PATCH',
          `${KEYS}/${name}?fieldManager=eve`,
          { kind: 'OwnedAccessKey', apiVersion: 'management.svc.example/v1', metadata: { name } },
          APPLY,
        ),
    ],
    ['a user', (name) => eve.send('POST', `${API}/users`, { metadata: { name } })],
    ['a team', (name) => eve.send('DELETE', `${API}/teams/${name}`)],
    [
      'a token for a cluster',
      (cluster) => eve.send('POST', `${API}/directclusterendpointtokens`, { spec: { cluster } }),
    ],
  ];

  test.each(ASKED)('%s is refused alike, whether it exists or not', async (_what, ask) => {
    const [there, absent] = [await ask('there'), await ask('absent')];
    expect(there.status).toBe(403);
    expect(said(there, 'there')).toEqual(said(absent, 'absent'));
    expect(there.headers['warning']).toBeUndefined();
  });

  test('an accepted key of a user who does not exist has a warning', async () => {
    const answer = await admin.send('POST', KEYS, { metadata: { name: 'early' }, spec: { user: 'absent' } });
    expect([answer.status, answer.headers['warning']]).toEqual([201, expect.stringContaining('absent')]);
  });

  test('members have the display names of teams only for those who may get the teams', async () => {
    await made(`${API}/teams`, {
      metadata: { name: 'owners' },
      spec: { displayName: 'Secret venture', users: ['there'] },
    });
    const clusterRole = 'management-project-viewer';
    const members = [
      { kind: 'User', name: 'eve', clusterRole },
      { kind: 'Team', name: 'owners', clusterRole },
    ];
    await made(`${API}/projects`, { metadata: { name: 'web' }, spec: { owner: { user: 'there' }, members } });
    await made(`${API}/projects`, {
      metadata: { name: 'shop' },
      spec: { owner: { team: 'owners' }, members },
    });
    for (const project of ['web', 'shop']) {
      const path = `${API}/projects/${project}/members`;
      const answer = await eve.send('GET', path);
      expect([answer.status, answer.text.includes('Secret venture')]).toEqual([200, false]);
      expect((await admin.send('GET', path)).text).toContain('Secret venture');
    }
  });
});
