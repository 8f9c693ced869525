import { afterEach, expect, test } from '@jest/globals';
import { isIgnoredRole } from '../../management/sharing/managednames.js';
import { lineTo, type Line } from '../../cache/testing/line.js';
import { rbacAuthorizer } from './authorizer.js';
import { BindingIndexes } from './bindingindexes.js';
import { rbacCaches } from './caches.js';
import { Policy } from './policy.js';
import { openRbacWorld, type RbacWorld } from './testing/rbacworld.js';

const BINDING = 'registry/rbac.authorization.k8s.io/rolebindings/a/kim';

let world: RbacWorld | undefined;
afterEach(() => world?.close());

test('denies what was revoked while the cache was disconnected once it is rebuilt', async () => {
  let line: Line | undefined;
  world = await openRbacWorld((engine) => (line = lineTo(engine)).storage);
  const { engine, registry } = world;
  const caches = rbacCaches(registry.cache, isIgnoredRole);
  const rbac = rbacAuthorizer(caches);
  const kim = { name: 'kim', uid: '', groups: [], extra: {} };
  const reading = { verb: 'get', group: '', version: 'v1', resource: 'maps', subresource: '', name: 'm' };
  const may = (): boolean => rbac.authorize(kim, { kind: 'resource', ...reading, namespace: 'a' }).allowed;
  await world.create('Namespace', '', 'a');
  await world.create('Role', 'a', 'reader', {
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['maps'] }],
  });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
  await world.create('RoleBinding', 'a', 'kim', { roleRef, subjects: [{ kind: 'User', name: 'kim' }] });
  expect(may()).toBe(true);

  const cut = line as unknown as Line;
  cut.down = { code: 'unavailable', reason: 'cut', outcome: 'none' };
  cut.breakWatches(cut.down);
  const { revisions } = await engine.commit([{ key: BINDING, expect: 'any' }]);
  const newest = revisions[0] as number;
  await engine.compact(newest);
  expect(may()).toBe(true);
  cut.down = undefined;
  expect(await caches.roleBindings.reach(newest, 10_000)).toBe(true);
  expect(may()).toBe(false);

  await world.create('RoleBinding', 'a', 'kim', { roleRef, subjects: [{ kind: 'User', name: 'kim' }] });
  expect(may()).toBe(true);
});

test('compiles the grants of a group once, and those of a user apart', async () => {
  world = await openRbacWorld();
  const policy = new Policy(rbacCaches(world.registry.cache, isIgnoredRole));
  await world.create('Namespace', '', 'a');
  await world.create('Role', 'a', 'reader', {
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['maps'] }],
  });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
  await world.create('RoleBinding', 'a', 'team', { roleRef, subjects: [{ kind: 'Group', name: 'team' }] });
  await world.create('RoleBinding', 'a', 'kim', { roleRef, subjects: [{ kind: 'User', name: 'kim' }] });
  const of = (name: string, ...groups: string[]): unknown => policy.grants({ name, groups }, 'a');

  expect(of('lou', 'team')).toBe(of('max', 'team', 'others'));
  expect(of('ada')).toBe(of('bea', 'others'));
  expect(of('kim', 'team')).not.toBe(of('lou', 'team'));
  expect(of('kim')).not.toBe(of('ada'));
});

test('drops unused grants, and keeps the others', async () => {
  world = await openRbacWorld();
  let minutes = 0;
  const policy = new Policy(rbacCaches(world.registry.cache, isIgnoredRole), () => minutes * 60_000);
  await world.create('Namespace', '', 'a');
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  for (const name of ['kim', 'lou'])
    await world.create('RoleBinding', 'a', name, { roleRef, subjects: [{ kind: 'User', name }] });
  const of = (name: string): unknown => policy.grants({ name, groups: [] }, 'a');

  const [kim, lou] = [of('kim'), of('lou')];
  for (; minutes < 60; minutes += 5) {
    expect(of('lou')).toBe(lou);
    of(`somebody-${minutes}`);
  }
  expect(of('kim')).not.toBe(kim);
});

test('keeps a bounded number of namespaces without bindings, and tells of the first binding in each', async () => {
  world = await openRbacWorld();
  const policy = new Policy(rbacCaches(world.registry.cache, isIgnoredRole));
  const kim = { name: 'kim', groups: [] };
  const indexes = new BindingIndexes(rbacCaches(world.registry.cache, isIgnoredRole));
  for (let at = 0; at < 3_000; at += 1) {
    policy.grants(kim, `made-up-${at}`);
    indexes.of(`made-up-${at}`);
  }
  expect([...indexes.built()].length).toBeLessThan(1_100);
  await world.create('Namespace', '', 'made-up-7');
  const changed: string[] = [];
  policy.onChange(({ namespace }) => changed.push(namespace));
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  await world.create('RoleBinding', 'made-up-7', 'kim', {
    roleRef,
    subjects: [{ kind: 'User', name: 'kim' }],
  });
  expect(changed).toEqual(['made-up-7']);
  expect(policy.namespaces(kim)).toEqual(['made-up-7']);
});
