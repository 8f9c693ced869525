/** Access keys on the running server: in force and out of it from one request to the next. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AccessKeys } from '../fixtures/accesskeys.js';
import { API, KEYS, accessKeys, bodyOf } from '../fixtures/accesskeys.js';
import type { Client } from '../fixtures/client.js';
import { client } from '../fixtures/client.js';
import type { ServerFixture } from '../fixtures/server.js';
import { startServer } from '../fixtures/server.js';

let server: ServerFixture;
let admin: Client;
let keys: AccessKeys;
beforeAll(async () => {
  server = await startServer({ flags: ['--v=4'] });
  admin = client(server);
  keys = accessKeys(server);
}, 60_000);
afterAll(() => server.remove());

describe('a key authenticates', () => {
  test('until it is disabled, expired or deleted', async () => {
    const key = (await keys.createKey('ending')).spec.key as string;
    const patch = (spec: object) =>
      admin.send('PATCH', `${KEYS}/ending`, { spec }, { 'content-type': 'application/merge-patch+json' });
    await patch({ disabled: true });
    expect(await keys.whoIs(key)).toEqual([401, 'access key disabled']);
    await patch({ disabled: false });
    expect(await keys.whoIs(key)).toContain('management:user:admin');
    await patch({ ttl: 1 });
    await sleep(1_100);
    expect(await keys.whoIs(key)).toEqual([401, 'access key expired']);
    await patch({ ttl: 0, type: 'Reset' });
    expect(await keys.whoIs(key)).toEqual([401, 'Unauthorized']);
    await patch({ type: 'Other' });
    expect(await keys.whoIs(key)).toContain('management:user:admin');
    await admin.send('DELETE', `${KEYS}/ending`);
    expect(await keys.whoIs(key)).toEqual([401, 'access key not found']);
    expect(await keys.whoIs('some-token')).toEqual([401, 'Unauthorized']);
  });

  test('for as long as it is used, where it ends after its last activity', async () => {
    const key = (await keys.createKey('active', { ttl: 4, ttlAfterLastActivity: true })).spec.key as string;
    for (let use = 0; use < 6; use += 1) {
      await sleep(900);
      expect(await keys.whoIs(key)).toContain('management:user:admin');
    }
    const until = Date.now() + 10_000;
    while ((await keys.read('active')).status?.lastActivity === undefined && Date.now() < until)
      await sleep(200);
    const { status, metadata } = await keys.read('active');
    expect(Date.parse(status?.lastActivity ?? '')).toBeGreaterThan(0);
    expect(metadata.generation).toBe(1);
    await sleep(4_100);
    expect(await keys.whoIs(key)).toEqual([401, 'access key expired']);
  }, 30_000);

  test('while its user is there, is the same, and is not disabled', async () => {
    await keys.createUser('carla');
    const key = (await keys.createKey('carlas', { user: 'carla', groups: ['extra'] })).spec.key as string;
    const carla = [
      'carla',
      'management:user:carla',
      'management:authenticated',
      'system:authenticated',
      'extra',
    ];
    expect(await keys.whoIs(key)).toEqual(carla);
    const disable = (disabled: boolean) =>
      admin.send(
        'PATCH',
        `${API}/users/carla`,
        { spec: { disabled } },
        { 'content-type': 'application/merge-patch+json' },
      );
    await disable(true);
    expect(await keys.whoIs(key)).toEqual([401, 'Unauthorized']);
    await disable(false);
    expect(await keys.whoIs(key)).toEqual(carla);
    await admin.send('DELETE', `${API}/users/carla`);
    // Whether the key itself has been collected by then does not matter.
    expect(await keys.whoIs(key)).toEqual([401, expect.anything()]);
    await keys.createUser('carla');
    expect(await keys.whoIs(key)).toEqual([401, expect.anything()]);
  });

  test('as a team, and as a subject', async () => {
    await admin.send('POST', `${API}/teams`, bodyOf('Team', 'ops'));
    const team = (await keys.createKey('ops', { team: 'ops' })).spec.key as string;
    expect(await keys.whoIs(team)).toEqual([
      'management:team:ops',
      'management:team:ops',
      'management:authenticated',
      'system:authenticated',
    ]);
    const subject = (await keys.createKey('robot', { subject: 'robot' })).spec.key as string;
    expect(await keys.whoIs(subject)).toEqual(['robot', 'management:authenticated', 'system:authenticated']);
  });
});

test('keys are nowhere: not in events, the log, or the files of the store', () => keys.expectNowhere());
