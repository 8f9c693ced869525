/** Rights on an object follow from the object: names of roles that are taken beforehand, or bound, give nothing. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EngineServer } from '../fixtures/engines.js';
import { ENGINES } from '../fixtures/engines.js';
import type { SendAs } from '../fixtures/persons.js';
import { ADMIN, headersOf, sendAs } from '../fixtures/persons.js';
import { PROTOBUF, ask, encoded } from '../fixtures/protobufclient.js';
import type { Answer } from '../fixtures/server.js';
import { eventually } from '../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const SECRETS = `${API}/namespaces/default/sharedsecrets`;
const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const UID = '01234567-89ab-4cde-8f01-23456789abcd';

interface Binary {
  kind: string;
  [member: string]: unknown;
}
interface Obj {
  metadata: { name: string; uid: string; resourceVersion: string };
}
const parsed = ({ text }: Answer): Obj => JSON.parse(text) as Obj;

/** Kinds with rights of their own, and where their roles are. */
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
const subjects = (name: string): object[] => [{ kind: 'User', apiGroup: GROUP, name }];

describe.each(ENGINES)('on the %s engine', (_engine, start) => {
  let running: EngineServer;
  let send: SendAs;
  const statusOf = async (...args: Parameters<SendAs>): Promise<number> => (await send(...args)).status;
  const make = async (path: string, body: object, by = ADMIN): Promise<Obj> => {
    const answer = await send(by, 'POST', path, body);
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
    return parsed(answer);
  };
  const namesOf = async (path: string): Promise<string[]> =>
    (JSON.parse((await send(ADMIN, 'GET', path)).text) as { items: Obj[] }).items.map(
      ({ metadata }) => metadata.name,
    );

  /** mallory writes roles and bindings, and makes objects, but reads none of others. anna makes objects. */
  beforeAll(async () => {
    running = await start({ controllers: '*', keepConnections: true });
    send = sendAs(running.server, { tom: 'red' });
    await make(`${API}/projects`, { metadata: { name: 'web' }, spec: { owner: { user: 'paul' } } });
    const make_ = { apiGroups: ['management.svc.example'], resources: ['*'], verbs: ['create'] };
    const rbac = {
      apiGroups: [GROUP],
      resources: ['*'],
      verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
    };
    await make(`${RBAC}/clusterroles`, { metadata: { name: 'maker' }, rules: [make_] });
    await make(`${RBAC}/clusterroles`, { metadata: { name: 'planter' }, rules: [make_, rbac] });
    for (const [user, name] of [
      ['mallory', 'planter'],
      ['anna', 'maker'],
    ] as const) {
      const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name };
      await make(`${RBAC}/clusterrolebindings`, {
        metadata: { name: user },
        roleRef,
        subjects: subjects(user),
      });
    }
  }, 60_000);
  afterAll(() => running.remove());

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
            ...{ apiVersion: `${GROUP}/v1`, kind, metadata: { name } },
            ...members,
          });
          const tries = [
            send(by, 'POST', roles, { metadata: { name } }),
            send(by, 'POST', `${roles}?dryRun=All`, { metadata: { name } }),
            send(by, 'PUT', `${roles}/${name}`, { metadata: { name } }),
            send(by, 'PATCH', `${roles}/${name}?fieldManager=m`, applied(role, {}), APPLY),
            send(by, 'POST', roles, { metadata: { generateName: `${name}-` } }),
            send(by, 'POST', bindings, { metadata: { name }, ...binding }),
            send(by, 'POST', bindings, { metadata: { name: 'mine' }, ...binding }),
            send(by, 'POST', bindings, { metadata: { generateName: 'mine-' }, ...binding }),
            send(
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
      const made = await make(path, { metadata: { name: 'later' }, spec }, 'anna');
      expect(await statusOf('mallory', 'GET', `${path}/later`)).toBe(403);
      expect(made.metadata.uid).not.toBe(UID);
    });

    test('the roles of an object cannot be changed or bound while it is there', async () => {
      const access = [{ verbs: ['get'], users: ['ute'] }];
      const { metadata } = await make(path, { metadata: { name: 'there' }, spec: { ...spec, access } });
      const name = `management:${plural}:there:${metadata.uid}:0`;
      const roles = `${at}/${pluralOf(role)}/${name}`;
      const bindings = `${at}/${role.toLowerCase()}bindings`;
      const roleRef = { apiGroup: GROUP, kind: role, name };
      for (const by of ['mallory', ADMIN]) {
        const tries = await Promise.all([
          send(by, 'PATCH', roles, { rules: [] }),
          send(by, 'PATCH', roles, {
            metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
          }),
          send(by, 'PATCH', roles, { metadata: { ownerReferences: null } }),
          send(by, 'PATCH', roles, { metadata: { finalizers: ['example.com/mine'] } }),
          send(by, 'PATCH', `${bindings}/${name}`, { subjects: subjects('mallory') }),
          send(
            by,
            'PATCH',
            `${bindings}/${name}`,
            [{ op: 'add', path: '/subjects/-', value: subjects('mallory')[0] }],
            JSON_PATCH,
          ),
          send(by, 'POST', bindings, { metadata: { name: 'mine' }, roleRef, subjects: subjects('mallory') }),
        ]);
        expect(tries.map(({ status }) => status)).toEqual(tries.map(() => 403));
      }
      expect(await statusOf('mallory', 'GET', `${path}/there`)).toBe(403);
      expect(await statusOf('ute', 'GET', `${path}/there`)).toBe(200);
    });
  });

  test('no right over roles, and nobody who is impersonated, binds a role of the server', async () => {
    const access = [{ verbs: ['get'], users: ['ute'] }];
    const all = { apiGroups: [GROUP], resources: ['*'], verbs: ['*', 'bind', 'escalate'] };
    await make(`${RBAC}/clusterroles`, { metadata: { name: 'escalator' }, rules: [all] });
    const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: 'escalator' };
    const bound = { metadata: { name: 'erik' }, roleRef, subjects: subjects('erik') };
    await make(`${RBAC}/clusterrolebindings`, bound);
    const project = await make(`${API}/projects`, { metadata: { name: 'bound' }, spec: { access } });
    const secret = await make(SECRETS, { metadata: { name: 'bound' }, spec: { access } });
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
      await make(at, own);
      for (const [of, name] of roles) {
        const binding = { roleRef: { apiGroup: GROUP, kind: of, name }, subjects: subjects('erik') };
        const whole = (metadata: object): object => ({
          ...{ apiVersion: `${GROUP}/v1`, kind, metadata },
          ...binding,
        });
        const path = `${at}/${own.metadata.name}`;
        const tries = await Promise.all(
          people.flatMap((by) => [
            send(by, 'POST', at, whole({ name: 'theirs' })),
            send(by, 'POST', at, whole({ name: 'theirs' }), 'application/yaml'),
            send(by, 'PUT', `${at}/theirs`, whole({ name: 'theirs' })),
            send(by, 'PATCH', `${at}/theirs?fieldManager=m&force=true`, whole({ name: 'theirs' }), APPLY),
            send(by, 'PUT', path, whole(own.metadata)),
            send(by, 'PATCH', path, binding),
            send(by, 'PATCH', path, binding, 'application/strategic-merge-patch+json'),
            send(
              by,
              'PATCH',
              path,
              [{ op: 'replace', path: '/roleRef', value: binding.roleRef }],
              JSON_PATCH,
            ),
            send(by, 'PATCH', `${path}?fieldManager=m&force=true`, whole(own.metadata), APPLY),
          ]),
        );
        expect(
          [...new Set(tries.map(({ status }) => status))].filter(
            (code) => ![403, 404, 409, 422].includes(code),
          ),
        ).toEqual([]);
      }
      expect(await namesOf(at)).not.toContain('theirs');
    }
    expect(await statusOf('erik', 'GET', `${API}/projects/bound`)).toBe(403);
    expect(await statusOf('erik', 'GET', `${SECRETS}/bound`)).toBe(403);
    // A role that collects or repeats the rules is another's own, and gives what its writer may give.
    const rules = [
      {
        apiGroups: ['management.svc.example'],
        resources: ['projects'],
        resourceNames: ['bound'],
        verbs: ['get'],
      },
    ];
    expect(
      await statusOf('mallory', 'POST', `${RBAC}/clusterroles`, { metadata: { name: 'same' }, rules }),
    ).toBe(403);
    await make(`${RBAC}/clusterroles`, { metadata: { name: 'same' }, rules }, 'erik');
  });

  test('nor does protobuf, in any verb', async () => {
    const access = [{ verbs: ['get'], users: ['ute'] }];
    const project = await make(`${API}/projects`, { metadata: { name: 'binary' }, spec: { access } });
    const secret = await make(SECRETS, { metadata: { name: 'binary' }, spec: { access } });
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
        await ask(`${running.server.url}${path}`, method, {
          body: encoded({ apiVersion: `${GROUP}/v1`, ...body }),
          headers: { 'content-type': type, ...headersOf(by) },
        })
      ).status;
    const legal = { apiGroup: GROUP, kind: 'ClusterRole', name: 'maker' };
    for (const kind of ['RoleBinding', 'ClusterRoleBinding']) {
      const at =
        kind === 'RoleBinding' ? `${RBAC}/namespaces/default/rolebindings` : `${RBAC}/clusterrolebindings`;
      const whole = (name: string, roleRef: object): Binary => ({
        ...{ kind, metadata: { name }, roleRef, subjects: subjects('mallory') },
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
          // No patch is protobuf, in Kubernetes either.
          expect(await binary(by, 'PATCH', `${at}/binary`, whole('binary', roleRef))).toBe(415);
        }
      expect((await namesOf(at)).filter((name) => /^theirs/.test(name))).toEqual([]);
      const { text } = await send(ADMIN, 'GET', `${at}/binary`);
      expect((JSON.parse(text) as { roleRef: object }).roleRef).toEqual(legal);
    }
    expect(await statusOf('mallory', 'GET', `${API}/projects/binary`)).toBe(403);
    expect(await statusOf('mallory', 'GET', `${SECRETS}/binary`)).toBe(403);
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
    expect(await statusOf('mallory', 'POST', roles, { metadata: { name: 'coming' }, rules })).toBe(403);
    // Nor does it help to have owned one of that name.
    await make(SECRETS, { metadata: { name: 'coming' } }, 'mallory');
    expect(await statusOf('mallory', 'GET', `${SECRETS}/coming`)).toBe(200);
    expect(await statusOf('mallory', 'POST', roles, { metadata: { name: 'coming' }, rules })).toBe(403);
    expect(await statusOf('mallory', 'DELETE', `${SECRETS}/coming`)).toBe(200);
    await make(SECRETS, { metadata: { name: 'coming' } }, 'anna');
    expect(await statusOf('mallory', 'GET', `${SECRETS}/coming`)).toBe(403);
  });

  test('ClusterRoles that collect the rules of others collect none of objects', async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'management-apiserver' };
    const aggregationRule = {
      clusterRoleSelectors: [{ matchLabels: labels }, { matchLabels: { 'not-there': 'x' } }],
    };
    const own = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
    await make(`${RBAC}/clusterroles`, { metadata: { name: 'part', labels }, rules: [own] });
    await make(`${RBAC}/clusterroles`, { metadata: { name: 'all' }, aggregationRule, rules: [] });
    const access = [{ verbs: ['get'], users: ['ute'] }];
    await make(`${API}/projects`, { metadata: { name: 'collected' }, spec: { access } });
    await eventually('what is collected', async () => {
      const { rules } = JSON.parse((await send(ADMIN, 'GET', `${RBAC}/clusterroles/all`)).text) as {
        rules: object[];
      };
      return JSON.stringify(rules) === JSON.stringify([own]);
    });
  });

  test('rights end with the write that takes them, and do not come back with the name', async () => {
    const path = `${SECRETS}/ours`;
    const access = [{ verbs: ['get', 'update'], users: ['ute'], teams: ['red'] }];
    await make(SECRETS, { metadata: { name: 'ours' }, spec: { access } }, 'anna');
    const seen = (): Promise<number[]> =>
      Promise.all(['anna', 'ute', 'tom', 'mallory'].map((user) => statusOf(user, 'GET', path)));
    const listed = async (user: string): Promise<boolean> => {
      const { status, text } = await send(user, 'GET', SECRETS);
      return status === 200 && text.includes('"ours"');
    };
    expect([await seen(), await listed('ute'), await listed('tom')]).toEqual([
      [200, 200, 200, 403],
      true,
      true,
    ]);
    expect(await statusOf('anna', 'PATCH', path, { spec: { access: null } })).toBe(200);
    expect([await seen(), await listed('ute'), await listed('tom')]).toEqual([
      [200, 403, 403, 403],
      false,
      false,
    ]);
    expect(await statusOf('anna', 'PATCH', path, { spec: { owner: { user: 'ute' } } })).toBe(200);
    expect([await seen(), await listed('anna')]).toEqual([[403, 200, 403, 403], false]);
    expect(await statusOf('ute', 'DELETE', path)).toBe(200);
    await make(SECRETS, { metadata: { name: 'ours' } }, 'mallory');
    expect([await seen(), await listed('ute')]).toEqual([[403, 403, 403, 200], false]);
  });

  test('who takes the name of an object that went sees nothing of it, nor of what was before a right', async () => {
    const [gone, shared, key] = ['Z29uZQ==', 'YmVmb3Jl', 'the key of anna'];
    const keys = `${API}/ownedaccesskeys`;
    const start = await make(SECRETS, { metadata: { name: 'mine' } }, 'mallory');
    const before = [start.metadata.resourceVersion];
    const page = JSON.parse((await send('mallory', 'GET', `${SECRETS}?limit=1`)).text) as {
      metadata: { continue?: string };
    };
    const then = await make(SECRETS, { metadata: { name: 'name' }, spec: { data: { a: gone } } }, 'anna');
    before.push(then.metadata.resourceVersion);
    await make(SECRETS, { metadata: { name: 'given' }, spec: { data: { a: shared } } }, 'anna');
    const made = await make(keys, { metadata: { name: 'name' }, spec: { user: 'anna', displayName: key } });
    before.push(made.metadata.resourceVersion);
    expect(await statusOf('anna', 'DELETE', `${SECRETS}/name`)).toBe(200);
    expect(await statusOf(ADMIN, 'DELETE', `${keys}/name`)).toBe(200);
    await make(SECRETS, { metadata: { name: 'name' } }, 'mallory');
    await make(keys, { metadata: { name: 'name' }, spec: { user: 'mallory' } });
    const spec = { data: { a: 'bmV3' }, access: [{ verbs: ['get'], users: ['mallory'] }] };
    expect(await statusOf('anna', 'PATCH', `${SECRETS}/given`, { spec })).toBe(200);
    const asked = before.flatMap((revision) => [
      `?resourceVersionMatch=Exact&resourceVersion=${revision}`,
      `?watch=1&timeoutSeconds=1&resourceVersion=${revision}`,
    ]);
    const next = page.metadata.continue;
    if (next !== undefined) asked.push(`?limit=50&continue=${encodeURIComponent(next)}`);
    const answers = await Promise.all(
      [SECRETS, keys].flatMap((path) => asked.map(async (query) => send('mallory', 'GET', path + query))),
    );
    for (const { text } of answers) for (const one of [gone, shared, key]) expect(text).not.toContain(one);
    expect(await statusOf('mallory', 'GET', `${SECRETS}/name`)).toBe(200);
  });

  test("a limit of the owner's is not theirs to lift, nor to give away", async () => {
    const path = `${API}/projects/web`;
    const review = async (user: string): Promise<boolean> => {
      const resourceAttributes = {
        group: 'management.svc.example',
        resource: 'projects',
        subresource: 'quotas',
        name: 'web',
        verb: 'update',
      };
      const answer = await send(user, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes },
      });
      return (JSON.parse(answer.text) as { status: { allowed: boolean } }).status.allowed;
    };
    const shared = (...subresources: string[]): Promise<number> =>
      statusOf('paul', 'PATCH', path, {
        spec: { access: [{ verbs: ['*'], subresources, users: ['paul', 'ute'] }] },
      });
    expect([await shared('*', 'quotas'), await shared('quotas'), await shared('*')]).toEqual([403, 403, 200]);
    expect([await review('paul'), await review('ute'), await review(ADMIN)]).toEqual([false, false, true]);
  });

  test.each([
    { access: null },
    { owner: null, access: [null] },
    { access: [{ verbs: null, users: null, teams: null, subresources: null }] },
    { access: [{ verbs: ['get'], users: [null, 7], teams: {} }] },
    { owner: 'anna', access: 'get' },
    { owner: { user: null, team: null }, members: [null] },
  ])('what makes no sense harms nobody: %j', async (spec) => {
    for (const path of [SECRETS, `${API}/projects`]) {
      const { status } = await send('mallory', 'POST', path, { metadata: { generateName: 'odd-' }, spec });
      expect([201, 400, 422]).toContain(status);
    }
    expect(await statusOf('anna', 'GET', `${SECRETS}/nothing`)).toBe(403);
    expect(await statusOf('paul', 'GET', `${API}/projects/web`)).toBe(200);
  });

  test('what is legal stays so', async () => {
    const roles = `${RBAC}/namespaces/default/roles`;
    const bindings = `${RBAC}/namespaces/default/rolebindings`;
    for (const name of [
      'management-own',
      'management',
      'management:team:blue',
      'Management:x:y:0',
      'team:management:x',
    ])
      await make(roles, { metadata: { name } }, 'mallory');
    const roleRef = { apiGroup: GROUP, kind: 'Role', name: 'management-own' };
    await make(bindings, { metadata: { name: 'own' }, roleRef, subjects: subjects('ute') }, 'mallory');
    const { metadata } = await make(
      SECRETS,
      { metadata: { name: 'legal' }, spec: { access: [{ verbs: ['get'], users: ['ute'] }] } },
      'anna',
    );
    const name = `management:sharedsecrets:legal:${metadata.uid}:0`;
    expect(await namesOf(roles)).toContain(name);
    expect(await statusOf(ADMIN, 'DELETE', `${roles}/${name}`)).toBe(200);
    await eventually('the role', async () => (await namesOf(roles)).includes(name));
    expect(await statusOf('anna', 'DELETE', `${SECRETS}/legal`)).toBe(200);
    expect([...(await namesOf(roles)), ...(await namesOf(bindings))]).not.toContain(name);
    expect(await statusOf(ADMIN, 'GET', `${RBAC}/clusterroles/management:basic-user`)).toBe(200);
  });
});
