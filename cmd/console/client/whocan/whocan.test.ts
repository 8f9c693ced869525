/** Subjects with a right, and the source of the right. */
import { describe, expect, test } from '@jest/globals';
import { isIgnoredRole as serverIgnores } from '../../../../pkg/management/sharing/managednames.js';
import { en } from '../../texts/en.js';
import { objectWays, rightsForm } from './objectways.js';
import { bindingForm, bindingWays, isIgnoredRole, roleForm, type Roles } from './rolebindings.js';
import { MAX_SHOWN_WAYS, askedOf, throughTeams, waysWith, type Asked, type Way } from './ways.js';
import { waysGraph } from './waysgraph.js';

const GROUP = 'management.svc.example';
const asked: Asked = { verb: 'get', group: GROUP, resource: 'sharedsecrets', namespace: 'n', name: 's' };

const told = (ways: readonly Way[]): string[] =>
  ways.map(({ steps, unsure }) =>
    [...steps.map(({ kind, name }) => `${kind} ${name}`.trim()), ...(unsure ? ['?'] : [])].join(' > '),
  );

const direct = (spec: object, more: Partial<Asked> = {}): string[] => {
  const [view] = rightsForm().changed({ metadata: { name: 's' }, spec });
  return view === undefined ? [] : told(objectWays(view, { ...asked, ...more }));
};

describe('by the object', () => {
  const spec = {
    owner: { user: 'ada', team: 'web' },
    access: [
      { verbs: ['get'], users: ['bob'], teams: ['ops'] },
      { name: 'all', verbs: ['*'], users: ['*'] },
      { verbs: ['update'], users: ['eve'] },
    ],
    members: [
      { kind: 'User', name: 'mia' },
      { kind: 'Team', name: '*' },
    ],
  };

  test('lists the owner, subjects of rules and members', () => {
    expect(direct(spec)).toEqual([
      'user ada > owner spec.owner',
      'team web > owner spec.owner',
      'user bob > accessRule spec.access[0]',
      'team ops > accessRule spec.access[0]',
      'everyone > accessRule all',
      'user mia > membership spec.members',
      'everyone > membership spec.members',
    ]);
    expect(direct(spec, { verb: 'update' })).toEqual([
      'user ada > owner spec.owner',
      'team web > owner spec.owner',
      'everyone > accessRule all',
      'user eve > accessRule spec.access[2]',
    ]);
  });

  test('rules of objects give no rights in another API group', () => {
    expect(direct(spec, { group: '' })).toEqual([]);
  });

  test('users have rights on themselves and their keys', () => {
    expect(direct({}, { resource: 'users', name: 'ada' })).toEqual(['user ada > itself users']);
    expect(direct({ user: 'ada' }, { resource: 'ownedaccesskeys' })).toEqual(['user ada > owner spec.owner']);
    expect(direct({ user: 'ada' }, { resource: 'ownedaccesskeys', verb: 'use' })).toEqual([]);
  });

  test('a user has no owner, and a key of a team is not one of its members', () => {
    expect(direct({ subject: 'eve' }, { resource: 'users', name: 'ada', verb: 'delete' })).toEqual([]);
    expect(direct({ team: 'web', subject: 'eve' }, { resource: 'ownedaccesskeys' })).toEqual([
      'teamKey web > owner spec.owner',
    ]);
  });

  test('acting as a user is asked of no API group', () => {
    expect(askedOf({ ...asked, resource: 'users' }, 'impersonate').group).toBe('');
    expect(askedOf({ ...asked, resource: 'users' }, 'get').group).toBe(GROUP);
  });

  test('nothing else of it stays', () => {
    const kept = rightsForm().changed({
      metadata: { name: 's', annotations: { a: 'b' } },
      spec: { data: { p: 'dg==' } },
    });
    expect(JSON.stringify(kept)).not.toMatch(/dg==|annotations/);
  });
});

const one = <T>([item]: readonly T[]): T => {
  if (item === undefined) throw new Error('there is none');
  return item;
};
const role = (name: string, rule: object, namespace?: string) =>
  one(roleForm().changed({ metadata: { name, namespace }, rules: [rule] }));
const binding = (name: string, to: string, subjects: object[] | null, namespace?: string) => {
  const [kind = '', ref = ''] = to.split('/');
  return one(
    bindingForm().changed({ metadata: { name, namespace }, roleRef: { kind, name: ref }, subjects }),
  );
};
const ALL = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const ada = { kind: 'User', name: 'ada' };

describe('by roles', () => {
  const ways = (roles: Partial<Roles>, more: Partial<Asked> = {}): string[] =>
    told(bindingWays({ bindings: [], roles: [], clusterRoles: [], ...roles }, { ...asked, ...more }));

  test.each([
    ['all', ALL, true],
    ['this', { apiGroups: [GROUP], resources: ['sharedsecrets'], verbs: ['get'] }, true],
    ['another verb', { ...ALL, verbs: ['list'] }, false],
    ['another group', { ...ALL, apiGroups: [''] }, false],
    ['a subresource', { ...ALL, resources: ['sharedsecrets/status'] }, false],
    ['this name', { ...ALL, resourceNames: ['s'] }, true],
    ['another name', { ...ALL, resourceNames: ['t'] }, false],
    ['paths', { nonResourceURLs: ['*'], verbs: ['*'] }, false],
  ])('a rule of %s: %j, %s', (_title, rule, covered) => {
    const found = ways({ bindings: [binding('b', 'ClusterRole/r', [ada])], clusterRoles: [role('r', rule)] });
    expect(found).toEqual(covered ? ['user ada > clusterRoleBinding b > clusterRole r'] : []);
  });

  test('bindings of a namespace count there, and bind roles of it or of the cluster', () => {
    const roles = {
      bindings: [
        binding('c', 'ClusterRole/r', [{ kind: 'Group', name: 'system:authenticated' }]),
        binding('here', 'Role/r', [ada], 'n'),
        binding('elsewhere', 'ClusterRole/r', [ada], 'm'),
        binding('empty', 'ClusterRole/r', null),
        binding('missing', 'ClusterRole/gone', [ada]),
      ],
      roles: [role('r', ALL, 'n')],
      clusterRoles: [role('r', ALL)],
    };
    expect(ways(roles)).toEqual([
      'user ada > roleBinding here > role r',
      'everyone > clusterRoleBinding c > clusterRole r',
    ]);
    const namespace = { group: '', resource: 'namespaces', namespace: '', name: 'n' };
    expect(ways(roles, namespace)).toContain('user ada > roleBinding here > role r');
  });

  test('subjects of bindings are resolved to users, teams and service accounts', () => {
    const subjects = [
      { kind: 'Group', name: 'management:team:web' },
      { kind: 'Group', name: 'management:user:bob' },
      { kind: 'User', name: 'management:team:ops' },
      { kind: 'ServiceAccount', name: 'ci' },
      { kind: 'Robot', name: 'r' },
    ];
    expect(
      ways({ bindings: [binding('b', 'Role/r', subjects, 'n')], roles: [role('r', ALL, 'n')] }).map(
        (text) => text.split(' > ')[0],
      ),
    ).toEqual(['team web', 'user bob', 'teamKey ops', 'serviceAccount n/ci']);
  });

  test('rights of a role are unknown if roles may not be listed', () => {
    const bindings = [binding('b', 'ClusterRole/r', [ada]), binding('c', 'Role/r', [ada], 'n')];
    expect(ways({ bindings, clusterRoles: undefined })).toEqual([
      'user ada > clusterRoleBinding b > clusterRole r > ?',
    ]);
  });

  test.each([
    'management:sharedsecrets:a:0',
    'management:sharedsecrets:a:01234567-89ab-4cde-8f01-23456789abcd:0',
    'management:host:requests:all',
    'management:project-member:view',
    'management:team:blue',
    'x:management:sharedsecrets:a:0',
    'management-project-admin',
  ])('%s gives what the server reads from it', (name) => {
    expect(isIgnoredRole(name)).toBe(serverIgnores(name));
  });
});

describe('ways', () => {
  const way = (name: string): Way => ({
    steps: [
      { kind: 'team', name, path: '' },
      { kind: 'owner', name: 'spec.owner', path: '', verbs: ['*'] },
    ],
    unsure: false,
  });

  test('of a team are those of its members', () => {
    const teams = [{ name: 'web', users: ['ada'], groups: ['devs'] }];
    expect(told(throughTeams([way('web'), way('unseen')], teams))).toEqual([
      'user ada > team web > owner spec.owner',
      'group devs > team web > owner spec.owner',
      'team unseen > owner spec.owner',
    ]);
  });

  test('are a bounded number, whatever a rule and its teams name', () => {
    const users = Array.from({ length: 3_000 }, (_one, at) => `user-${at}`);
    const teams = [{ name: 'big', users, groups: [] }];
    const ways = throughTeams(
      Array.from({ length: 2_000 }, () => way('big')),
      teams,
    );
    expect(ways).toHaveLength(MAX_SHOWN_WAYS);
    expect(ways.at(-1)?.steps.map(({ name }) => name)).toEqual(['user-1999', 'big', 'spec.owner']);
  });

  test('are found by any name in them', () => {
    expect(told(waysWith([way('web'), way('ops')], ' WE '))).toEqual(['team web > owner spec.owner']);
    expect(waysWith([way('web')], '')).toHaveLength(1);
  });

  test('lead to the object in the graph, where what they share is drawn once', () => {
    const object = { resource: 'sharedsecrets', name: 's', path: '/p' };
    const { nodes, edges } = waysGraph([way('web'), way('ops')], object, en.whoCan.kinds);
    expect(nodes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'sharedsecrets s',
      'Team web',
      'Owner spec.owner',
      'Team ops',
    ]);
    expect(edges).toHaveLength(3);
  });
});
