/**
 * Managed roles of a release that named them without the uid, and roles that users created under such names: the server
 * reads no rights from them, and deletes them.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ClusterRole } from '../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import { ClusterRoleBinding } from '../../../api/rbac.authorization.k8s.io/v1/clusterrolebinding.js';
import { Role } from '../../../api/rbac.authorization.k8s.io/v1/role.js';
import { RoleBinding } from '../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';
import type { OwnerReference, ResourceDefinition } from '../../../api/resource.js';
import { apiVersionOf } from '../../../api/resource.js';
import { compileSchema } from '../../../pkg/apimachinery/schema/compile.js';
import { objectPath, resourcePrefix } from '../../../pkg/registry/keys.js';
import { recordCodec } from '../../../pkg/registry/object/record.js';
import type { Write } from '../../../pkg/storage/interface.js';
import type { EngineServer } from '../../fixtures/servers/engines.js';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import type { SendAs } from '../../fixtures/clients/impersonation.js';
import { ADMIN, sendAs } from '../../fixtures/clients/impersonation.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const SECRETS = `${API}/namespaces/default/sharedsecrets`;
const LOCAL = `${RBAC}/namespaces/default`;
const OURS = { 'app.kubernetes.io/managed-by': 'management-apiserver' };

interface Obj {
  metadata: { name: string; uid: string };
}

/** A record as a server wrote it. `owner`: the owner of the role; absent: a user created the role. */
function record(
  definition: ResourceDefinition,
  namespace: string,
  name: string,
  members: object,
  owner?: OwnerReference,
): Write {
  const metadata = {
    ...{ name, uid: randomUUID(), creationTimestamp: '2026-01-01T00:00:00Z' },
    ...(namespace !== '' && { namespace }),
    ...(owner !== undefined && { labels: OURS, ownerReferences: [owner] }),
  };
  const object = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata, ...members };
  const codec = recordCodec(definition, compileSchema(definition));
  const key = resourcePrefix(definition) + objectPath(definition, namespace, name);
  return { key, value: codec.seal(codec.encode(object)), expect: 'absent' };
}

const user = (name: string): object => ({ kind: 'User', apiGroup: GROUP, name });

let running: EngineServer;
let send: SendAs;
let uid = '';
const statusOf = async (...args: Parameters<SendAs>): Promise<number> => (await send(...args)).status;
const namesAt = async (path: string): Promise<string[]> =>
  (JSON.parse((await send(ADMIN, 'GET', path)).text) as { items: Obj[] }).items.map(
    ({ metadata }) => metadata.name,
  );
const create = async (path: string, body: object, by = ADMIN): Promise<Obj> => {
  const answer = await send(by, 'POST', path, body);
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return JSON.parse(answer.text) as Obj;
};

/**
 * anna's secret is shared with ute. mallory was its owner before, and has created a role with the name of a future
 * one.
 */
beforeAll(async () => {
  running = await startEmbedded({ controllers: 'access-rules-controller' });
  send = sendAs(running.server);
  const access = [{ verbs: ['get'], users: ['ute'] }];
  const spec = { owner: { user: 'anna' }, access };
  uid = (await create(SECRETS, { metadata: { name: 'old' }, spec })).metadata.uid;
  const project = await create(`${API}/projects`, {
    metadata: { name: 'team' },
    spec: { owner: { user: 'anna' }, members: [{ kind: 'User', name: 'ute', clusterRole: 'view' }] },
  });
  const rules = [{ apiGroups: ['management.svc.example'], resources: ['sharedsecrets'], verbs: ['create'] }];
  await create(`${LOCAL}/roles`, { metadata: { name: 'maker' }, rules });
  const roleRef = { apiGroup: GROUP, kind: 'Role', name: 'maker' };
  await create(`${LOCAL}/rolebindings`, { metadata: { name: 'maker' }, roleRef, subjects: [user('anna')] });
  await running.server.stop();
  const store = await running.openStore();
  await store.commit(older(uid, project.metadata.uid));
  await store.close();
  await running.server.restart();
});
afterAll(() => running.remove());

test('at once the rights are those of the objects, no more and no less', async () => {
  const seen = (path: string): Promise<number[]> =>
    Promise.all(['anna', 'ute', 'mallory'].map((name) => statusOf(name, 'GET', path)));
  expect(await seen(`${SECRETS}/old`)).toEqual([200, 200, 403]);
  expect(await seen(`${API}/projects/team`)).toEqual([200, 200, 403]);
  await create(SECRETS, { metadata: { name: 'later' } }, 'anna');
  expect(await seen(`${SECRETS}/later`)).toEqual([200, 403, 403]);
  const { text } = await send('mallory', 'GET', SECRETS);
  expect(text).not.toMatch(/"old"|"later"/);
});

test('roles of the older form and their bindings are removed; others stay', async () => {
  const wanted = `management:sharedsecrets:old:${uid}:0`;
  await eventually('roles of today alone', async () => {
    const roles = [...(await namesAt(`${LOCAL}/roles`)), ...(await namesAt(`${RBAC}/clusterroles`))];
    return (
      roles
        .filter((name) => /^management:[^:]*:/.test(name))
        .sort()
        .join() === `${SQUATTED},${wanted}`
    );
  });
  await eventually('no bindings of others', async () => {
    const names = [
      ...(await namesAt(`${LOCAL}/rolebindings`)),
      ...(await namesAt(`${RBAC}/clusterrolebindings`)),
    ];
    const left = names.filter((name) => /^management:[^:]*:|^mine$|^waiting$/.test(name));
    return left.join() === wanted;
  });
  expect(await namesAt(`${LOCAL}/rolebindings`)).toContain('maker');
  expect(await statusOf(ADMIN, 'DELETE', `${LOCAL}/roles/${SQUATTED}`)).toBe(200);
  const ute = await Promise.all(
    [`${SECRETS}/old`, `${API}/projects/team`].map((path) => statusOf('ute', 'GET', path)),
  );
  expect(ute).toEqual([200, 200]);
});

const SQUATTED = 'management:sharedsecrets:later:owner';

function older(secret: string, project: string): Write[] {
  const apiVersion = 'management.svc.example/v1';
  const role = (name: string, verbs: string[]): object => ({
    rules: [
      { apiGroups: ['management.svc.example'], resources: ['sharedsecrets'], resourceNames: [name], verbs },
    ],
  });
  const bound = (kind: string, name: string, ...users: string[]): object => ({
    roleRef: { apiGroup: GROUP, kind, name },
    subjects: users.map(user),
  });
  const owner = { apiVersion, kind: 'SharedSecret', name: 'old', uid: secret };
  const ofProject = { apiVersion, kind: 'Project', name: 'team', uid: project };
  const all = 'management:sharedsecrets:old:owner';
  const get = 'management:sharedsecrets:old:0';
  const members = 'management:projects:team:members';
  const reads = {
    apiGroups: ['management.svc.example'],
    resources: ['projects'],
    resourceNames: ['team'],
    verbs: ['get'],
  };
  return [
    record(Role, 'default', all, role('old', ['*']), owner),
    record(RoleBinding, 'default', all, bound('Role', all, 'anna'), owner),
    record(Role, 'default', get, role('old', ['get']), owner),
    record(RoleBinding, 'default', get, bound('Role', get, 'ute'), owner),
    record(RoleBinding, 'default', 'mine', bound('Role', all, 'mallory')),
    record(Role, 'default', SQUATTED, role('later', ['get'])),
    record(RoleBinding, 'default', SQUATTED, bound('Role', SQUATTED, 'mallory')),
    record(RoleBinding, 'default', 'waiting', bound('Role', SQUATTED, 'mallory')),
    record(ClusterRole, '', members, { rules: [reads] }, ofProject),
    record(ClusterRoleBinding, '', members, bound('ClusterRole', members, 'ute', 'mallory'), ofProject),
  ];
}
