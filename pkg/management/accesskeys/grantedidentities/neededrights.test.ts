import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../api/resource.js';
import { neededRights } from './neededrights.js';

const object = (kind: string, spec: Record<string, unknown>): KubeObject => ({
  kind,
  apiVersion: 'management.svc.example/v1',
  metadata: { name: 'it' },
  spec,
});

/** [written object, previous object, requester, whether the key changes, required rights] */
const rows: [
  string,
  Record<string, unknown>,
  Record<string, unknown> | undefined,
  string,
  boolean,
  string[],
][] = [
  ['User', {}, undefined, 'anna', false, []],
  [
    'User',
    { groups: ['a', 'b'] },
    undefined,
    'anna',
    false,
    ['impersonate groups/a', 'impersonate groups/b'],
  ],
  ['User', { groups: ['a', 'b'] }, { groups: ['b'] }, 'anna', false, ['impersonate groups/a']],
  ['User', { groups: ['a'] }, { groups: ['a', 'b'] }, 'anna', false, []],
  ['User', { groups: ['a'], displayName: 'x' }, { groups: ['a'] }, 'anna', false, []],
  ['User', { subject: 's' }, undefined, 'anna', false, ['impersonate users/it']],
  ['User', { subject: 's' }, { subject: 't' }, 'anna', false, ['impersonate users/it']],
  ['User', { subject: 's', displayName: 'x' }, { subject: 's' }, 'anna', false, []],
  ['User', {}, { subject: 's' }, 'anna', false, []],
  ['Team', {}, undefined, 'anna', false, []],
  ['Team', { users: ['anna'] }, undefined, 'anna', false, ['update teams/it']],
  ['Team', { groups: ['g'] }, { users: ['anna'] }, 'anna', false, ['update teams/it']],
  ['Team', { users: [] }, { users: ['anna'] }, 'anna', false, []],
  ['Team', { users: ['anna'], displayName: 'x' }, { users: ['anna'] }, 'anna', false, []],
  ['OwnedAccessKey', { user: 'anna' }, undefined, 'anna', false, []],
  ['OwnedAccessKey', { user: 'ben' }, undefined, 'anna', false, ['impersonate users/ben']],
  ['OwnedAccessKey', { team: 'ops' }, undefined, 'anna', false, ['impersonate groups/management:team:ops']],
  ['OwnedAccessKey', { team: 'ops' }, undefined, 'management:team:ops', false, []],
  ['OwnedAccessKey', { subject: 's' }, undefined, 's', false, ['impersonate users/s']],
  ['OwnedAccessKey', { user: 'anna', groups: ['g'] }, undefined, 'anna', false, ['impersonate groups/g']],
  ['OwnedAccessKey', { user: 'ben', displayName: 'x' }, { user: 'ben' }, 'anna', false, []],
  ['OwnedAccessKey', { user: 'ben' }, { user: 'anna' }, 'anna', false, ['impersonate users/ben']],
  ['OwnedAccessKey', { user: 'ben' }, { user: 'ben' }, 'anna', true, ['impersonate users/ben']],
  ['OwnedAccessKey', { user: 'ben', ttl: 9 }, { user: 'ben' }, 'anna', false, ['impersonate users/ben']],
  ['OwnedAccessKey', { user: 'ben' }, { user: 'ben', scope: {} }, 'anna', false, ['impersonate users/ben']],
  [
    'OwnedAccessKey',
    { user: 'ben' },
    { user: 'ben', disabled: true },
    'anna',
    false,
    ['impersonate users/ben'],
  ],
  ['OwnedAccessKey', { user: 'ben', disabled: true }, { user: 'ben' }, 'anna', false, []],
  ['OwnedAccessKey', { user: 'anna', ttl: 9 }, { user: 'anna', ttl: 3 }, 'anna', false, []],
  ['OwnedAccessKey', { user: 'anna', groups: ['g'] }, { user: 'anna', groups: ['g'] }, 'anna', false, []],
  [
    'OwnedAccessKey',
    { user: 'anna', groups: ['g'] },
    { user: 'anna', groups: ['g'] },
    'anna',
    true,
    ['impersonate groups/g'],
  ],
  ['SpaceInstance', { owner: { user: 'anna' } }, undefined, 'anna', false, []],
  ['SpaceInstance', { owner: { user: 'ben' } }, undefined, 'anna', false, ['impersonate users/ben']],
  [
    'SpaceInstance',
    { owner: { user: 'ben' } },
    { owner: { user: 'anna' } },
    'anna',
    false,
    ['impersonate users/ben'],
  ],
  ['SpaceInstance', { owner: { user: 'anna' } }, { owner: { user: 'ben' } }, 'anna', false, []],
  ['SpaceInstance', { owner: { user: 'ben' } }, { owner: { user: 'ben' } }, 'anna', false, []],
  ['SpaceInstance', { owner: { team: 'own' } }, undefined, 'anna', false, []],
  ['SpaceInstance', { owner: { team: 'ops' } }, undefined, 'management:team:ops', false, []],
  [
    'SpaceInstance',
    { owner: { team: 'ops' } },
    { owner: { user: 'anna' } },
    'anna',
    false,
    ['impersonate groups/management:team:ops'],
  ],
  [
    'SpaceInstance',
    { owner: { user: 'anna', team: 'ops' } },
    { owner: { user: 'anna' } },
    'anna',
    false,
    ['impersonate groups/management:team:ops'],
  ],
  [
    'SpaceInstance',
    { owner: { user: 'ben' } },
    { owner: { team: 'own' } },
    'anna',
    false,
    ['impersonate users/ben'],
  ],
  ['VirtualClusterInstance', { owner: { user: 'anna' } }, undefined, 'anna', false, []],
  ['VirtualClusterInstance', { owner: { user: 'ben' } }, undefined, 'anna', false, ['impersonate users/ben']],
  [
    'VirtualClusterInstance',
    { owner: { user: 'ben' } },
    { owner: { user: 'anna' } },
    'anna',
    false,
    ['impersonate users/ben'],
  ],
  ['VirtualClusterInstance', { owner: { user: 'anna' } }, { owner: { user: 'ben' } }, 'anna', false, []],
  ['VirtualClusterInstance', { owner: { user: 'ben' } }, { owner: { user: 'ben' } }, 'anna', false, []],
  ['VirtualClusterInstance', { owner: { team: 'own' } }, undefined, 'anna', false, []],
  ['VirtualClusterInstance', { owner: { team: 'ops' } }, undefined, 'management:team:ops', false, []],
  [
    'VirtualClusterInstance',
    { owner: { team: 'ops' } },
    { owner: { user: 'anna' } },
    'anna',
    false,
    ['impersonate groups/management:team:ops'],
  ],
  [
    'VirtualClusterInstance',
    { owner: { user: 'anna', team: 'ops' } },
    { owner: { user: 'anna' } },
    'anna',
    false,
    ['impersonate groups/management:team:ops'],
  ],
  [
    'VirtualClusterInstance',
    { owner: { user: 'ben' } },
    { owner: { team: 'own' } },
    'anna',
    false,
    ['impersonate users/ben'],
  ],
  ['SharedSecret', { owner: { user: 'ben' } }, undefined, 'anna', false, []],
  ['SharedSecret', { groups: ['g'] }, undefined, 'anna', false, []],
];

describe('rights required by a write of', () => {
  test.each(rows)('%s %j after %j by %s (key: %j)', (kind, next, before, requester, changesKey, needed) => {
    const groups = ['management:team:own'];
    const previous = before && object(kind, before);
    const write = { object: object(kind, next), previous, requester, groups, changesKey };
    const rights = neededRights({ ...write, linkVerifiedEmail: false });
    expect(rights.map(({ verb, resource, name }) => `${verb} ${resource}/${name}`)).toEqual(needed);
  });
});

describe('where a verified address connects a login', () => {
  test.each<[object, object | undefined, boolean]>([
    [{ email: 'a@example.com' }, undefined, true],
    [{ email: 'a@example.com' }, {}, true],
    [{ email: 'a@example.com' }, { email: 'b@example.com' }, true],
    [{ email: 'a@example.com', displayName: 'A' }, { email: 'a@example.com' }, false],
    [{ email: 'a@example.com', subject: 's' }, { subject: 's' }, false],
    [{ email: 'a@example.com' }, { email: 'a@example.com', subject: 's' }, true],
    [{ email: '' }, { email: 'a@example.com' }, false],
  ])('a User with %j after %j needs the right to impersonate: %j', (next, before, needed) => {
    const rights = neededRights({
      object: object('User', { ...next }),
      previous: before && object('User', { ...before }),
      requester: 'anna',
      groups: [],
      changesKey: false,
      linkVerifiedEmail: true,
    });
    expect(rights.map(({ verb, name }) => `${verb} ${name}`)).toEqual(needed ? ['impersonate it'] : []);
  });
});
