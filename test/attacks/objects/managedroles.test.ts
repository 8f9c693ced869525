/**
 * The names of roles that the server manages for objects: roles that users create, change or bind under these names
 * give no rights.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import { ADMIN, headersOf } from '../../fixtures/clients/impersonation.js';
import { PROTOBUF, ask, encoded } from '../../fixtures/clients/protobufclient.js';
import {
  API,
  GROUP,
  RBAC,
  SECRETS,
  subjects,
  rolePlanters,
  type RolePlanters,
} from '../../fixtures/objects/roleplanters.js';
import { eventually } from '../../fixtures/wait.js';

const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const UID = '01234567-89ab-4cde-8f01-23456789abcd';

interface Binary {
  kind: string;
  [member: string]: unknown;
}
/** Kinds with access rules, and the paths of their roles. */
const KINDS: [plural: string, path: string, spec: object][] = [
  ['sharedsecrets', SECRETS, {}],
  ['projectsecrets', `${API}/namespaces/loft-p-web/projectsecrets`, {}],
  ['spaceinstances', `${API}/namespaces/loft-p-web/spaceinstances`, {}],
  ['virtualclusterinstances', `${API}/namespaces/loft-p-web/virtualclusterinstances`, {}],
  ['projects', `${API}/projects`, {}],
  ['clusters', `${API}/clusters`, {}],
  ['teams', `${API}/teams`, {}],
  ['users', `${API}/users`, {}],
];
const placeOf = (path: string): { at: string; role: string } => {
  const namespace = /namespaces\/([^/]+)\//.exec(path)?.[1];
  return namespace === undefined
    ? { at: RBAC, role: 'ClusterRole' }
    : { at: `${RBAC}/namespaces/${namespace}`, role: 'Role' };
};
const pluralOf = (role: string): string => `${role.toLowerCase()}s`;
let on: RolePlanters;
beforeAll(async () => {
  on = await rolePlanters(startEmbedded);
});
afterAll(() => on.remove());

describe.each(KINDS)('%s', (plural, path, spec) => {
  const { at, role } = placeOf(path);
  const names = (object: string): string[] =>
    ['owner', 'members', `${UID}:0`].map((part) => `management:${plural}:${object}:${part}`);

  test('names cannot be taken beforehand, by anyone, in any way', async () => {
    for (const by of ['mallory', ADMIN]) {
      for (const name of names('later')) {
        const roleRef = { apiGroup: GROUP, kind: role, name };
        const binding = { roleRef, subjects: subjects('mallory') };
        const roles = `${at}/${pluralOf(role)}`;
        const bindings = `${at}/${role.toLowerCase()}bindings`;
        const applied = (kind: string, members: object): object => ({
          apiVersion: `${GROUP}/v1`,
          kind,
          metadata: { name },
          ...members,
        });
        const tries = [
          on.send(by, 'POST', roles, { metadata: { name } }),
          on.send(by, 'POST', `${roles}?dryRun=All`, { metadata: { name } }),
          on.send(by, 'PUT', `${roles}/${name}`, { metadata: { name } }),
          on.send(by, 'PATCH', `${roles}/${name}?fieldManager=m`, applied(role, {}), APPLY),
          on.send(by, 'POST', roles, { metadata: { generateName: `${name}-` } }),
          on.send(by, 'POST', bindings, { metadata: { name }, ...binding }),
          on.send(by, 'POST', bindings, { metadata: { name: 'mine' }, ...binding }),
          on.send(by, 'POST', bindings, { metadata: { generateName: 'mine-' }, ...binding }),
          on.send(
            by,
            'PATCH',
            `${bindings}/mine?fieldManager=m`,
            applied(`${role}Binding`, { ...binding, metadata: { name: 'mine' } }),
            APPLY,
          ),
        ];
        const refused = new Set((await Promise.all(tries)).map(({ status }) => status));
        expect([...refused].filter((status) => status !== 403 && status !== 404)).toEqual([]);
      }
    }
    const made = await on.make(path, { metadata: { name: 'later' }, spec }, 'anna');
    expect(await on.statusOf('mallory', 'GET', `${path}/later`)).toBe(403);
    expect(made.metadata.uid).not.toBe(UID);
  });

  test('the roles of an object cannot be changed or bound while it is there', async () => {
    const access = [{ verbs: ['get'], users: ['ute'] }];
    const { metadata } = await on.make(path, { metadata: { name: 'there' }, spec: { ...spec, access } });
    const name = `management:${plural}:there:${metadata.uid}:0`;
    const roles = `${at}/${pluralOf(role)}/${name}`;
    const bindings = `${at}/${role.toLowerCase()}bindings`;
    const roleRef = { apiGroup: GROUP, kind: role, name };
    for (const by of ['mallory', ADMIN]) {
      const tries = await Promise.all([
        on.send(by, 'PATCH', roles, { rules: [] }),
        on.send(by, 'PATCH', roles, {
          metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
        }),
        on.send(by, 'PATCH', roles, { metadata: { ownerReferences: null } }),
        on.send(by, 'PATCH', roles, { metadata: { finalizers: ['example.com/mine'] } }),
        on.send(by, 'PATCH', `${bindings}/${name}`, { subjects: subjects('mallory') }),
        on.send(
          by,
          'PATCH',
          `${bindings}/${name}`,
          [{ op: 'add', path: '/subjects/-', value: subjects('mallory')[0] }],
          JSON_PATCH,
        ),
        on.send(by, 'POST', bindings, {
          metadata: { name: 'mine' },
          roleRef,
          subjects: subjects('mallory'),
        }),
      ]);
      expect(tries.map(({ status }) => status)).toEqual(tries.map(() => 403));
    }
    expect(await on.statusOf('mallory', 'GET', `${path}/there`)).toBe(403);
    expect(await on.statusOf('ute', 'GET', `${path}/there`)).toBe(200);
  });
});

test('neither rights over roles nor impersonation bind a role of the server', async () => {
  const access = [{ verbs: ['get'], users: ['ute'] }];
  const all = { apiGroups: [GROUP], resources: ['*'], verbs: ['*', 'bind', 'escalate'] };
  await on.make(`${RBAC}/clusterroles`, { metadata: { name: 'escalator' }, rules: [all] });
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: 'escalator' };
  const bound = { metadata: { name: 'erik' }, roleRef, subjects: subjects('erik') };
  await on.make(`${RBAC}/clusterrolebindings`, bound);
  const project = await on.make(`${API}/projects`, { metadata: { name: 'bound' }, spec: { access } });
  const secret = await on.make(SECRETS, { metadata: { name: 'bound' }, spec: { access } });
  const roles: [kind: string, name: string][] = [
    ['ClusterRole', `management:projects:bound:${project.metadata.uid}:0`],
    ['Role', `management:sharedsecrets:bound:${secret.metadata.uid}:0`],
    ['Role', `management:sharedsecrets:gone:${UID}:0`],
    ['ClusterRole', 'management:projects:bound:owner'],
  ];
  const places = [`${RBAC}/namespaces/default/rolebindings`, `${RBAC}/clusterrolebindings`];
  const people = [
    'erik',
    ADMIN,
    'system:apiserver',
    'system:serviceaccount:kube-system:access-rules',
    'system:serviceaccount:kube-system:clusterrole-aggregation-controller',
  ];
  for (const at of places) {
    const kind = at.endsWith('clusterrolebindings') ? 'ClusterRoleBinding' : 'RoleBinding';
    const own = { metadata: { name: `own-${kind.toLowerCase()}` }, roleRef, subjects: subjects('erik') };
    await on.make(at, own);
    for (const [of, name] of roles) {
      const binding = { roleRef: { apiGroup: GROUP, kind: of, name }, subjects: subjects('erik') };
      const whole = (metadata: object): object => ({
        apiVersion: `${GROUP}/v1`,
        kind,
        metadata,
        ...binding,
      });
      const path = `${at}/${own.metadata.name}`;
      const tries = await Promise.all(
        people.flatMap((by) => [
          on.send(by, 'POST', at, whole({ name: 'theirs' })),
          on.send(by, 'POST', at, whole({ name: 'theirs' }), 'application/yaml'),
          on.send(by, 'PUT', `${at}/theirs`, whole({ name: 'theirs' })),
          on.send(by, 'PATCH', `${at}/theirs?fieldManager=m&force=true`, whole({ name: 'theirs' }), APPLY),
          on.send(by, 'PUT', path, whole(own.metadata)),
          on.send(by, 'PATCH', path, binding),
          on.send(by, 'PATCH', path, binding, 'application/strategic-merge-patch+json'),
          on.send(
            by,
            'PATCH',
            path,
            [{ op: 'replace', path: '/roleRef', value: binding.roleRef }],
            JSON_PATCH,
          ),
          on.send(by, 'PATCH', `${path}?fieldManager=m&force=true`, whole(own.metadata), APPLY),
        ]),
      );
      expect(
        [...new Set(tries.map(({ status }) => status))].filter(
          (code) => ![403, 404, 409, 422].includes(code),
        ),
      ).toEqual([]);
    }
    expect(await on.namesOf(at)).not.toContain('theirs');
  }
  expect(await on.statusOf('erik', 'GET', `${API}/projects/bound`)).toBe(403);
  expect(await on.statusOf('erik', 'GET', `${SECRETS}/bound`)).toBe(403);
  // A role of a user that aggregates or copies the rules gives only what the user may grant.
  const rules = [
    {
      apiGroups: ['management.svc.example'],
      resources: ['projects'],
      resourceNames: ['bound'],
      verbs: ['get'],
    },
  ];
  expect(
    await on.statusOf('mallory', 'POST', `${RBAC}/clusterroles`, { metadata: { name: 'same' }, rules }),
  ).toBe(403);
  await on.make(`${RBAC}/clusterroles`, { metadata: { name: 'same' }, rules }, 'erik');
});

test('protobuf binds none either, in any verb', async () => {
  const access = [{ verbs: ['get'], users: ['ute'] }];
  const project = await on.make(`${API}/projects`, { metadata: { name: 'binary' }, spec: { access } });
  const secret = await on.make(SECRETS, { metadata: { name: 'binary' }, spec: { access } });
  const roles: [kind: string, name: string][] = [
    ['ClusterRole', `management:projects:binary:${project.metadata.uid}:0`],
    ['Role', `management:sharedsecrets:binary:${secret.metadata.uid}:0`],
    ['Role', `management:sharedsecrets:gone:${UID}:0`],
    ['ClusterRole', 'management:projects:later:owner'],
  ];
  const binary = async (
    by: string,
    method: string,
    path: string,
    body: Binary,
    type = PROTOBUF,
  ): Promise<number> =>
    (
      await ask(`${on.server.url}${path}`, method, {
        body: encoded({ apiVersion: `${GROUP}/v1`, ...body }),
        headers: { 'content-type': type, ...headersOf(by) },
      })
    ).status;
  const legal = { apiGroup: GROUP, kind: 'ClusterRole', name: 'maker' };
  for (const kind of ['RoleBinding', 'ClusterRoleBinding']) {
    const at =
      kind === 'RoleBinding' ? `${RBAC}/namespaces/default/rolebindings` : `${RBAC}/clusterrolebindings`;
    const whole = (name: string, roleRef: object): Binary => ({
      kind,
      metadata: { name },
      roleRef,
      subjects: subjects('mallory'),
    });
    expect(await binary(ADMIN, 'POST', at, whole('binary', legal))).toBe(201);
    expect(await binary(ADMIN, 'PUT', `${at}/binary`, whole('binary', legal))).toBe(200);
    for (const [of, name] of roles)
      for (const by of ['mallory', ADMIN]) {
        const roleRef = { apiGroup: GROUP, kind: of, name };
        const refused = await Promise.all([
          binary(by, 'POST', at, whole('theirs', roleRef)),
          binary(by, 'POST', `${at}?dryRun=All`, whole('theirs', roleRef)),
          binary(by, 'POST', at, { ...whole('', roleRef), metadata: { generateName: 'theirs-' } }),
          binary(by, 'POST', at, whole(name, legal)),
          binary(by, 'PUT', `${at}/theirs`, whole('theirs', roleRef)),
          binary(by, 'PUT', `${at}/binary`, whole('binary', roleRef)),
          binary(by, 'PUT', `${at}/binary?dryRun=All`, whole('binary', roleRef)),
          binary(by, 'POST', `${at.replace('bindings', 's')}`, {
            kind: kind.replace('Binding', ''),
            metadata: { name },
            rules: [],
          }),
        ]);
        expect(refused.filter((status) => ![403, 404, 409, 422].includes(status))).toEqual([]);
        // There are no protobuf patches, as in Kubernetes.
        expect(await binary(by, 'PATCH', `${at}/binary`, whole('binary', roleRef))).toBe(415);
      }
    expect((await on.namesOf(at)).filter((name) => /^theirs/.test(name))).toEqual([]);
    const { text } = await on.send(ADMIN, 'GET', `${at}/binary`);
    expect((JSON.parse(text) as { roleRef: object }).roleRef).toEqual(legal);
  }
  expect(await on.statusOf('mallory', 'GET', `${API}/projects/binary`)).toBe(403);
  expect(await on.statusOf('mallory', 'GET', `${SECRETS}/binary`)).toBe(403);
});

test('a role for the name of an object that comes later takes the rights that it gives', async () => {
  const rules = [
    {
      apiGroups: ['management.svc.example'],
      resources: ['sharedsecrets'],
      resourceNames: ['coming'],
      verbs: ['get'],
    },
  ];
  const roles = `${RBAC}/namespaces/default/roles`;
  expect(await on.statusOf('mallory', 'POST', roles, { metadata: { name: 'coming' }, rules })).toBe(403);
  // The former owner of an object with that name gets no rights either.
  await on.make(SECRETS, { metadata: { name: 'coming' } }, 'mallory');
  expect(await on.statusOf('mallory', 'GET', `${SECRETS}/coming`)).toBe(200);
  expect(await on.statusOf('mallory', 'POST', roles, { metadata: { name: 'coming' }, rules })).toBe(403);
  expect(await on.statusOf('mallory', 'DELETE', `${SECRETS}/coming`)).toBe(200);
  await on.make(SECRETS, { metadata: { name: 'coming' } }, 'anna');
  expect(await on.statusOf('mallory', 'GET', `${SECRETS}/coming`)).toBe(403);
});

test('ClusterRoles that collect the rules of others collect none of objects', async () => {
  const labels = { 'app.kubernetes.io/managed-by': 'management-apiserver' };
  const aggregationRule = {
    clusterRoleSelectors: [{ matchLabels: labels }, { matchLabels: { 'not-there': 'x' } }],
  };
  const own = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
  await on.make(`${RBAC}/clusterroles`, { metadata: { name: 'part', labels }, rules: [own] });
  await on.make(`${RBAC}/clusterroles`, { metadata: { name: 'all' }, aggregationRule, rules: [] });
  const access = [{ verbs: ['get'], users: ['ute'] }];
  await on.make(`${API}/projects`, { metadata: { name: 'collected' }, spec: { access } });
  await eventually('what is collected', async () => {
    const { rules } = JSON.parse((await on.send(ADMIN, 'GET', `${RBAC}/clusterroles/all`)).text) as {
      rules: object[];
    };
    return JSON.stringify(rules) === JSON.stringify([own]);
  });
});

test('legal names, roles and bindings are still accepted', async () => {
  const roles = `${RBAC}/namespaces/default/roles`;
  const bindings = `${RBAC}/namespaces/default/rolebindings`;
  for (const name of [
    'management-own',
    'management',
    'management:team:blue',
    'Management:x:y:0',
    'team:management:x',
  ])
    await on.make(roles, { metadata: { name } }, 'mallory');
  const roleRef = { apiGroup: GROUP, kind: 'Role', name: 'management-own' };
  await on.make(bindings, { metadata: { name: 'own' }, roleRef, subjects: subjects('ute') }, 'mallory');
  const { metadata } = await on.make(
    SECRETS,
    { metadata: { name: 'legal' }, spec: { access: [{ verbs: ['get'], users: ['ute'] }] } },
    'anna',
  );
  const name = `management:sharedsecrets:legal:${metadata.uid}:0`;
  expect(await on.namesOf(roles)).toContain(name);
  for (const by of ['anna', 'mallory', ADMIN])
    for (const query of ['', '?dryRun=All', '?propagationPolicy=Orphan'])
      expect(await on.statusOf(by, 'DELETE', `${roles}/${name}${query}`)).toBe(403);
  expect(await on.statusOf(ADMIN, 'DELETE', `${bindings}/${name}`)).toBe(403);
  expect(await on.namesOf(roles)).toContain(name);
  expect(await on.statusOf('anna', 'DELETE', `${SECRETS}/legal`)).toBe(200);
  expect([...(await on.namesOf(roles)), ...(await on.namesOf(bindings))]).not.toContain(name);
  expect(await on.statusOf(ADMIN, 'GET', `${RBAC}/clusterroles/management:basic-user`)).toBe(200);
});
