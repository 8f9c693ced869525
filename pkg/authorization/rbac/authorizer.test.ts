import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isIgnoredRole } from '../../management/sharing/managednames.js';
import type { User } from '../../authentication/interface.js';
import type { Attributes } from '../interface.js';
import { rbacAuthorizer, type RbacAuthorizer } from './authorizer.js';
import { rbacCaches } from './caches.js';
import { openRbacWorld, type RbacWorld } from './testing/rbacworld.js';

let world: RbacWorld;
let rbac: RbacAuthorizer;

const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });
const to = (kind: string, name: string, namespace?: string) => ({
  kind,
  name,
  ...(namespace && { namespace }),
});
const role = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });

/** `get pods a/p`: verb, resource or resource/subresource with its group after a dot, namespace/name. */
function ask(who: User, question: string): string {
  const [verb = '', what = '', where = '/'] = question.split(' ');
  const [full = '', ...group] = what.split('.');
  const [resource = '', subresource = ''] = full.split('/');
  const [namespace = '', name = ''] = where.split('/');
  const attributes: Attributes = what.startsWith('/')
    ? { kind: 'path', verb, path: what }
    : {
        kind: 'resource',
        verb,
        group: group.join('.'),
        version: 'v1',
        resource,
        subresource,
        namespace,
        name,
      };
  const decision = rbac.authorize(who, attributes);
  return `${decision.allowed ? 'yes' : 'no'}${decision.reason === '' ? '' : ` ${decision.reason}`}`;
}

beforeAll(async () => {
  world = await openRbacWorld();
  rbac = rbacAuthorizer(rbacCaches(world.registry.cache, isIgnoredRole));
  for (const name of ['a', 'b']) await world.create('Namespace', '', name);
  await world.create('ClusterRole', '', 'reader', {
    rules: [
      { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] },
      { verbs: ['get'], nonResourceURLs: ['/logs', '/metrics/*'] },
    ],
  });
  await world.create('ClusterRole', '', 'scaler', {
    rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*/scale'] }],
  });
  await world.create('Role', 'a', 'named', {
    rules: [{ verbs: ['get', 'update'], apiGroups: [''], resources: ['secrets'], resourceNames: ['s', 't'] }],
  });
  await world.create('ClusterRoleBinding', '', 'readers', {
    roleRef: role('ClusterRole', 'reader'),
    subjects: [to('Group', 'readers'), to('ServiceAccount', 'robot', 'b')],
  });
  await world.create('RoleBinding', 'a', 'named', {
    roleRef: role('Role', 'named'),
    subjects: [to('User', 'jane'), to('ServiceAccount', 'robot', 'b')],
  });
  await world.create('RoleBinding', 'a', 'scale', {
    roleRef: role('ClusterRole', 'scaler'),
    subjects: [to('User', 'jane')],
  });
  await world.create('RoleBinding', 'b', 'dangling', {
    roleRef: role('Role', 'gone'),
    subjects: [to('User', 'jane')],
  });
});

afterAll(() => world.close());

const READERS =
  'yes RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "readers"';
const MISSING = 'no RBAC: role.rbac.authorization.k8s.io "gone" not found';
const NAMED = 'yes RBAC: allowed by RoleBinding "named/a" of Role "named" to User "jane"';

test.each<[string, User, string, string]>([
  ['a ClusterRoleBinding holds everywhere', user('x', 'readers'), 'get pods a/p', READERS],
  ['and at the cluster scope', user('x', 'readers'), 'list pods', READERS],
  ['a verb that is not listed', user('x', 'readers'), 'delete pods a/p', 'no'],
  ['another group', user('x', 'readers'), 'get pods.example a/p', 'no'],
  ['a listed subresource', user('x', 'readers'), 'get pods/log a/p', READERS],
  ['a subresource that is not', user('x', 'readers'), 'get pods/exec a/p', 'no'],
  ['a path', user('x', 'readers'), 'get /logs', READERS],
  ['a path below it', user('x', 'readers'), 'get /logs/a', 'no'],
  ['a path under a star', user('x', 'readers'), 'get /metrics/a/b', READERS],
  ['the path before the star', user('x', 'readers'), 'get /metrics', 'no'],
  ['another method', user('x', 'readers'), 'post /logs', 'no'],
  ['a user without bindings', user('readers'), 'get pods a/p', 'no'],
  [
    'a service account',
    user('system:serviceaccount:b:robot'),
    'get pods a/p',
    'yes RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to ServiceAccount "robot/b"',
  ],
  ['a named object', user('jane'), 'get secrets a/s', NAMED],
  ['another object', user('jane'), 'get secrets a/u', 'no'],
  ['all objects', user('jane'), 'get secrets a/', 'no'],
  ['in another namespace, with a binding to nothing', user('jane'), 'get secrets b/s', MISSING],
  ['at the cluster scope', user('jane'), 'get secrets /s', 'no'],
  [
    'a ClusterRole in a namespace, any resource with this subresource',
    user('jane'),
    'patch things/scale.example a/s',
    'yes RBAC: allowed by RoleBinding "scale/a" of ClusterRole "scaler" to User "jane"',
  ],
  ['and not the resource itself', user('jane'), 'patch things.example a/s', 'no'],
])('%s', (_name, who, question, answer) => {
  expect(ask(who, question)).toBe(answer);
  expect(ask(who, question)).toBe(answer);
});

test('does not confuse users and groups, whatever their names', () => {
  expect(ask(user('x 7 readers'), 'get pods a/p')).toBe('no');
  expect(ask(user('x', '7 readers'), 'get pods a/p')).toBe('no');
});

test('shows all objects, named ones, or none', () => {
  const secrets = { verb: 'get', group: '', resource: 'secrets', subresource: '' };
  expect(rbac.visible(user('jane'), { ...secrets, namespace: 'a' })).toEqual({
    objects: 'names',
    names: new Set(['s', 't']),
  });
  expect(rbac.visible(user('jane'), { ...secrets, namespace: 'b' })).toEqual({ objects: 'none' });
  expect(rbac.visible(user('x', 'readers'), { ...secrets, resource: 'pods', namespace: 'b' })).toEqual({
    objects: 'all',
  });
});

test('lists the rules of a user in a namespace, cluster-wide ones first', () => {
  const { resourceRules, nonResourceRules, incomplete } = rbac.rulesFor(user('jane', 'readers'), 'a');
  expect(resourceRules.map(({ resources, resourceNames }) => [resources, resourceNames])).toEqual([
    [['pods', 'pods/log'], []],
    [['secrets'], ['s', 't']],
    [['*/scale'], []],
  ]);
  expect(nonResourceRules).toEqual([{ verbs: ['get'], nonResourceURLs: ['/logs', '/metrics/*'] }]);
  expect(incomplete).toBe(false);
});

test('applies a change as soon as it is written', async () => {
  const kim = user('kim');
  const allowed = 'yes RBAC: allowed by RoleBinding "kim/b" of Role "late" to User "kim"';
  expect(ask(kim, 'get maps b/m')).toBe('no');
  await world.create('RoleBinding', 'b', 'kim', {
    roleRef: role('Role', 'late'),
    subjects: [to('User', 'kim')],
  });
  expect(ask(kim, 'get maps b/m')).toBe('no RBAC: role.rbac.authorization.k8s.io "late" not found');
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['maps'] };
  await world.create('Role', 'b', 'late', { rules: [rule] });
  expect(ask(kim, 'get maps b/m')).toBe(allowed);
  await world.setRules('Role', 'b', 'late', [{ ...rule, verbs: ['list'] }]);
  expect(ask(kim, 'get maps b/m')).toBe('no');
  await world.setRules('Role', 'b', 'late', [rule]);
  expect(ask(kim, 'get maps b/m')).toBe(allowed);
  await world.remove('RoleBinding', 'b', 'kim');
  expect(ask(kim, 'get maps b/m')).toBe('no');
});

test('applies a changed ClusterRole in every namespace that binds it', async () => {
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*/scale'] };
  expect(ask(user('jane'), 'get x/scale a/m')).toMatch(/^yes/);
  await world.setRules('ClusterRole', '', 'scaler', [{ ...rule, verbs: ['patch'] }]);
  expect(ask(user('jane'), 'get x/scale a/m')).toBe('no');
  await world.setRules('ClusterRole', '', 'scaler', [rule]);
  expect(ask(user('jane'), 'get x/scale a/m')).toMatch(/^yes/);
});
