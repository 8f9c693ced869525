/** Access keys on a running server: every change of a key applies from the next request on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { API, KEYS, bodyOf, accessKeySuite } from '../../fixtures/clients/accesskeys.js';
import { eventually } from '../../fixtures/wait.js';

const on = accessKeySuite();

describe('a key authenticates', () => {
  test('until it is disabled, expired or deleted', async () => {
    const key = (await on.keys.createKey('ending')).spec.key as string;
    const patch = (spec: object) =>
      on.admin.send('PATCH', `${KEYS}/ending`, { spec }, { 'content-type': 'application/merge-patch+json' });
    await patch({ disabled: true });
    expect(await on.keys.whoIs(key)).toEqual([401, 'access key disabled']);
    await patch({ disabled: false });
    expect(await on.keys.whoIs(key)).toContain('management:user:admin');
    await patch({ ttl: 1 });
    await eventually('its end', async () => String(await on.keys.whoIs(key)).startsWith('401'));
    expect(await on.keys.whoIs(key)).toEqual([401, 'access key expired']);
    await patch({ ttl: 0, type: 'Reset' });
    expect(await on.keys.whoIs(key)).toEqual([401, 'Unauthorized']);
    await patch({ type: 'Other' });
    expect(await on.keys.whoIs(key)).toContain('management:user:admin');
    await on.admin.send('DELETE', `${KEYS}/ending`);
    expect(await on.keys.whoIs(key)).toEqual([401, 'access key not found']);
    expect(await on.keys.whoIs('some-token')).toEqual([401, 'Unauthorized']);
  });

  test('for as long as it is used, where it ends after its last activity', async () => {
    const key = (await on.keys.createKey('active', { ttl: 4, ttlAfterLastActivity: true })).spec
      .key as string;
    for (let use = 0; use < 6; use += 1) {
      await sleep(900);
      expect(await on.keys.whoIs(key)).toContain('management:user:admin');
    }
    const { status, metadata } = await eventually('its activity', async () => {
      const read = await on.keys.read('active');
      return read.status?.lastActivity !== undefined && read;
    });
    expect(Date.parse(status?.lastActivity ?? '')).toBeGreaterThan(0);
    expect(metadata.generation).toBe(1);
    await sleep(4_100);
    expect(await on.keys.whoIs(key)).toEqual([401, 'access key expired']);
  });

  test('while its user is there, is the same, and is not disabled', async () => {
    await on.keys.createUser('carla');
    const key = (await on.keys.createKey('carlas', { user: 'carla', groups: ['extra'] })).spec.key as string;
    const carla = [
      'carla',
      'management:user:carla',
      'management:authenticated',
      'system:authenticated',
      'extra',
    ];
    expect(await on.keys.whoIs(key)).toEqual(carla);
    const disable = (disabled: boolean) =>
      on.admin.send(
        'PATCH',
        `${API}/users/carla`,
        { spec: { disabled } },
        { 'content-type': 'application/merge-patch+json' },
      );
    await disable(true);
    expect(await on.keys.whoIs(key)).toEqual([401, 'Unauthorized']);
    await disable(false);
    expect(await on.keys.whoIs(key)).toEqual(carla);
    await on.admin.send('DELETE', `${API}/users/carla`);
    // The garbage collector may or may not have deleted the key by then.
    expect(await on.keys.whoIs(key)).toEqual([401, expect.anything()]);
    await on.keys.createUser('carla');
    expect(await on.keys.whoIs(key)).toEqual([401, expect.anything()]);
  });

  test('as a team, and as a subject', async () => {
    await on.admin.send('POST', `${API}/teams`, bodyOf('Team', 'ops'));
    const team = (await on.keys.createKey('ops', { team: 'ops' })).spec.key as string;
    expect(await on.keys.whoIs(team)).toEqual([
      'management:team:ops',
      'management:team:ops',
      'management:authenticated',
      'system:authenticated',
    ]);
    const subject = (await on.keys.createKey('robot', { subject: 'robot' })).spec.key as string;
    expect(await on.keys.whoIs(subject)).toEqual([
      'robot',
      'management:authenticated',
      'system:authenticated',
    ]);
  });
});

test('keys are nowhere: not in events, the log, or the files of the store', () => on.keys.expectNowhere());
