/** Which rights users may grant, which owners they may set, and what kubectl reports about their permissions. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const MAPS = '/api/v1/namespaces/default/configmaps';

let server: ServerFixture;

/** Sends a request as the administrator, or as a user that the administrator impersonates. */
function send(method: string, path: string, body: unknown, user?: string): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return fetchFrom(`${server.url}${path}`, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': type, ...(user !== undefined && { 'impersonate-user': user }) },
  });
}

const messageOf = ({ text }: Answer): string => (JSON.parse(text) as { message: string }).message;
const role = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
const user = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
const rule = (resources: string[], verbs: string[], resourceNames?: string[]) => {
  const group = resources.every((one) => /role/.test(one)) ? 'rbac.authorization.k8s.io' : '';
  return { apiGroups: [group], resources, verbs, ...(resourceNames && { resourceNames }) };
};

async function created(path: string, body: unknown): Promise<void> {
  const answer = await send('POST', path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
}

/** Creates a role and its binding for the user, both with the same name. */
async function granted(name: string, rules: object[]): Promise<void> {
  await created(ROLES, { metadata: { name }, rules });
  await created(BINDINGS, { metadata: { name }, roleRef: role('Role', name), subjects: [user(name)] });
}

beforeAll(async () => {
  server = await startServer();
  const roles = rule(['roles', 'rolebindings'], ['create', 'update', 'patch', 'get']);
  await granted('giver', [roles, rule(['configmaps'], ['get'])]);
  await granted('lifter', [roles, rule(['roles'], ['escalate', 'bind'], ['free'])]);
  await granted('owner', [
    rule(['configmaps'], ['get', 'create', 'patch']),
    rule(['configmaps'], ['delete'], ['mine']),
  ]);
});
afterAll(() => server.remove());

describe('users cannot grant permissions that they do not hold', () => {
  test('refuses a role with more', async () => {
    const rules = [rule(['configmaps'], ['get', 'list']), rule(['secrets'], ['get'])];
    const answer = await send('POST', ROLES, { metadata: { name: 'more' }, rules }, 'giver');
    expect(answer.status).toBe(403);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(messageOf(answer)).toBe(
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "giver" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["list"]}\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
  });

  test('allows what they hold, and what is there already', async () => {
    const rules = [rule(['configmaps'], ['get'])];
    expect((await send('POST', ROLES, { metadata: { name: 'held' }, rules }, 'giver')).status).toBe(201);
    await created(ROLES, { metadata: { name: 'high' }, rules: [rule(['secrets'], ['*'])] });
    const label = { metadata: { labels: { a: 'b' } } };
    expect((await send('PATCH', `${ROLES}/high`, label, 'giver')).status).toBe(200);
    const less = { rules: [rule(['secrets'], ['get'])] };
    expect((await send('PATCH', `${ROLES}/high`, less, 'giver')).status).toBe(200);
  });

  test('refuses a binding to a role with more, and to an absent one', async () => {
    const binding = (name: string, kind: string, to: string) => {
      return { metadata: { name }, roleRef: role(kind, to), subjects: [user('giver')] };
    };
    const answer = await send('POST', BINDINGS, binding('b', 'ClusterRole', 'cluster-admin'), 'giver');
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain('{APIGroups:["*"], Resources:["*"], Verbs:["*"]}');
    const absent = await send('POST', BINDINGS, binding('b', 'Role', 'absent'), 'giver');
    expect([absent.status, messageOf(absent)]).toEqual([
      404,
      'rolebindings.rbac.authorization.k8s.io "absent" not found',
    ]);
    await created(BINDINGS, binding('admins', 'ClusterRole', 'cluster-admin'));
    const more = { subjects: [user('giver'), user('other')] };
    expect((await send('PATCH', `${BINDINGS}/admins`, more, 'other')).status).toBe(403);
  });

  test('allows it to users who may escalate, or bind', async () => {
    const rules = [rule(['secrets'], ['*'])];
    expect((await send('POST', ROLES, { metadata: { name: 'free' }, rules }, 'lifter')).status).toBe(201);
    expect((await send('POST', ROLES, { metadata: { name: 'bound' }, rules }, 'lifter')).status).toBe(403);
    const binding = { metadata: { name: 'free' }, roleRef: role('Role', 'free'), subjects: [user('x')] };
    expect((await send('POST', BINDINGS, binding, 'lifter')).status).toBe(201);
    const other = { metadata: { name: 'high' }, roleRef: role('Role', 'high'), subjects: [user('x')] };
    expect((await send('POST', BINDINGS, other, 'lifter')).status).toBe(403);
  });

  test('a role that gathers others takes everything, and giving one to be gathered what it holds', async () => {
    await created(`${RBAC}/clusterroles`, {
      metadata: { name: 'roles-writer' },
      rules: [rule(['clusterroles'], ['create', 'patch'])],
    });
    await created(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'gatherer' },
      roleRef: role('ClusterRole', 'roles-writer'),
      subjects: [user('gatherer')],
    });
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const gathering = { metadata: { name: 'all' }, aggregationRule, rules: null };
    const answer = await send('POST', `${RBAC}/clusterroles`, gathering, 'gatherer');
    expect([answer.status, messageOf(answer)]).toEqual([
      403,
      'clusterroles.rbac.authorization.k8s.io "all" is forbidden: must have cluster-admin privileges to use an aggregationRule',
    ]);
    await created(`${RBAC}/clusterroles`, {
      metadata: { name: 'strong' },
      rules: [rule(['secrets'], ['*'])],
    });
    const patched = async (metadata: object): Promise<number> =>
      (await send('PATCH', `${RBAC}/clusterroles/strong`, { metadata }, 'gatherer')).status;
    const label = 'rbac.authorization.k8s.io/aggregate-to-view';
    expect(await patched({ labels: { [label]: 'true' } })).toBe(403);
    expect(await patched({ annotations: { a: 'b' } })).toBe(200);
  });
});

describe('owners', () => {
  const owned = (name: string, owner: string, block: boolean) => ({
    metadata: {
      name,
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name: owner,
          uid: 'u',
          ...(block && { blockOwnerDeletion: true }),
        },
      ],
    },
  });

  test('blocking the deletion of one takes permission to delete it', async () => {
    const answer = await send('POST', MAPS, owned('d', 'theirs', true), 'owner');
    expect(answer.status).toBe(422);
    expect(messageOf(answer)).toBe(
      'ConfigMap "d" is invalid: metadata.ownerReferences[0].blockOwnerDeletion: Forbidden: it takes permission to delete the owner, ConfigMap theirs',
    );
    expect((await send('POST', MAPS, owned('d', 'mine', true), 'owner')).status).toBe(201);
    expect((await send('POST', MAPS, owned('e', 'theirs', false), 'owner')).status).toBe(201);
  });

  test('changing them takes permission to delete the object', async () => {
    await created(MAPS, { metadata: { name: 'loose' } });
    const answer = await send('PATCH', `${MAPS}/loose`, owned('loose', 'mine', false), 'owner');
    expect([answer.status, messageOf(answer)]).toEqual([
      403,
      `configmaps "loose" is forbidden: cannot set an ownerRef on a resource you can't delete`,
    ]);
    const label = { metadata: { labels: { a: 'b' } } };
    expect((await send('PATCH', `${MAPS}/loose`, label, 'owner')).status).toBe(200);
    await created(MAPS, { metadata: { name: 'mine' } });
    expect((await send('PATCH', `${MAPS}/mine`, owned('mine', 'theirs', false), 'owner')).status).toBe(200);
  });
});

const kubectl = findProgram('kubectl');
(kubectl === undefined ? describe.skip : describe)('kubectl', () => {
  function run(...args: string[]): string {
    const env = { ...process.env, HOME: server.directory };
    const { stdout, stderr } = spawnSync(
      kubectl as string,
      ['--kubeconfig', server.kubeconfig, '--cache-dir', join(server.directory, 'cache'), ...args],
      { env, encoding: 'utf8' },
    );
    return stdout + stderr;
  }

  test('auth can-i', () => {
    expect(run('auth', 'can-i', 'get', 'configmaps', '--as', 'owner')).toBe('yes\n');
    expect(run('auth', 'can-i', 'get', 'secrets', '--as', 'owner')).toMatch(/^no/);
    expect(run('auth', 'can-i', 'get', 'configmaps', '--as', 'owner', '-n', 'kube-system')).toMatch(/^no/);
    expect(run('auth', 'can-i', 'delete', 'configmaps/mine', '--as', 'owner')).toBe('yes\n');
  });

  test('auth can-i --list', () => {
    const list = run('auth', 'can-i', '--list', '--as', 'owner');
    expect(list).toMatch(/^configmaps +\[\] +\[mine\] +\[delete\]$/m);
    expect(list).toMatch(/^configmaps +\[\] +\[\] +\[get create patch\]$/m);
    expect(list).toMatch(/^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m);
  });
});
