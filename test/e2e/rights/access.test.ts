/**
 * The access rules of an object: its roles are there with it, rights apply from the next request on, and nobody can grant
 * more than they have.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { ADMIN, sendAs, type SendAs } from '../../fixtures/clients/impersonation.js';
import type { Answer } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SECRETS = `${API}/namespaces/default/sharedsecrets`;
const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const RBAC_GROUP = 'rbac.authorization.k8s.io';

interface Obj {
  metadata: { name: string; uid: string; resourceVersion: string; ownerReferences?: object[] };
  spec: Record<string, unknown>;
  status?: { conditions?: { type: string; status: string }[] };
  rules?: object[] | null;
  subjects?: { name: string }[];
  roleRef?: { name: string };
}

const parsed = ({ text }: Answer): Obj => JSON.parse(text) as Obj;
const secret = (name: string, spec: object = {}) => ({ metadata: { name }, spec });

describe.each(ENGINES)('on the %s engine', (_engine, start) => {
  let running: EngineServer;
  let send: SendAs;

  const named = async (path: string): Promise<Obj | undefined> => {
    const answer = await send(ADMIN, 'GET', path);
    return answer.status === 200 ? parsed(answer) : undefined;
  };
  /** The role for a part of the rights on an object: `0`, `1`, … */
  const role = ({ metadata: { name, uid } }: Obj, part: string): Promise<Obj | undefined> =>
    named(`${ROLES}/management:sharedsecrets:${name}:${uid}:${part}`);
  const binding = ({ metadata: { name, uid } }: Obj, part: string): Promise<Obj | undefined> =>
    named(`${BINDINGS}/management:sharedsecrets:${name}:${uid}:${part}`);
  /** The names of the roles for objects with this name. */
  const rolesOf = async (name: string): Promise<string[]> => {
    const { items } = JSON.parse((await send(ADMIN, 'GET', ROLES)).text) as { items: Obj[] };
    return items.flatMap(({ metadata }) =>
      metadata.name.startsWith(`management:sharedsecrets:${name}:`) ? [metadata.name] : [],
    );
  };
  const statusOf = async (...args: Parameters<SendAs>): Promise<number> => (await send(...args)).status;
  const create = async (user: string, name: string, spec: object = {}): Promise<Obj> => {
    const answer = await send(user, 'POST', SECRETS, secret(name, spec));
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
    return parsed(answer);
  };
  const patch = (user: string, name: string, spec: object): Promise<number> =>
    statusOf(user, 'PATCH', `${SECRETS}/${name}`, { spec });

  beforeAll(async () => {
    running = await start();
    send = sendAs(running.server, { tina: 'blue' });
    const rules = [
      { apiGroups: ['management.svc.example'], resources: ['sharedsecrets'], verbs: ['create'] },
    ];
    expect(await statusOf(ADMIN, 'POST', ROLES, { metadata: { name: 'maker' }, rules })).toBe(201);
    const subjects = ['olga', 'otto'].map((name) => ({ kind: 'User', apiGroup: RBAC_GROUP, name }));
    const roleRef = { apiGroup: RBAC_GROUP, kind: 'Role', name: 'maker' };
    expect(await statusOf(ADMIN, 'POST', BINDINGS, { metadata: { name: 'maker' }, roleRef, subjects })).toBe(
      201,
    );
  });
  afterAll(() => running.remove());

  test('names of nobody are answered with warnings, to whoever may list users and teams', async () => {
    const management = '/apis/management.svc.example/v1';
    const warned = ({ headers }: Answer): string[] =>
      String(headers.warning ?? '').match(/there is[^"\\]*\S+|\d+ more/g) ?? [];
    await send(ADMIN, 'POST', `${management}/users`, { metadata: { name: 'known' }, spec: {} });
    const users = ['known', 'nosuch', '*', 'system:serviceaccount:default:ci'];
    const access = [{ verbs: ['get'], users, teams: ['noteam'] }];
    const made = await send(ADMIN, 'POST', SECRETS, secret('misspelt', { access }));
    expect([made.status, warned(made)]).toEqual([
      201,
      [expect.stringContaining('no User'), expect.stringContaining('no Team')],
    ]);
    expect(made.headers.warning).toContain('spec.access[0].users[1]');
    const again = await send(ADMIN, 'PATCH', `${SECRETS}/misspelt`, { spec: { displayName: 'x' } });
    expect([again.status, warned(again)]).toEqual([200, []]);
    const member = { kind: 'User', name: 'nosuch', clusterRole: 'management-project-user' };
    const project = secret('misspelt', { members: [member] });
    expect(warned(await send(ADMIN, 'POST', `${management}/projects?dryRun=All`, project))).toHaveLength(1);
    const crowd = Array.from({ length: 2_000 }, (_each, at) => `absent-${at}`);
    const many = secret('crowded', { access: [{ verbs: ['get'], users: crowd }] });
    const bounded = warned(await send(ADMIN, 'POST', SECRETS, many));
    expect([bounded.length, bounded.at(-1)]).toEqual([11, '1990 more']);
    const blind = await send('olga', 'POST', SECRETS, secret('blind', { access }));
    expect([blind.status, blind.headers.warning]).toEqual([201, undefined]);
  });

  test('the rules become roles and bindings that the object owns, and AccessReady says so', async () => {
    const made = await create('olga', 'written', {
      access: [
        { verbs: ['get'], users: ['ute'], teams: ['blue'] },
        { verbs: ['*'], subresources: ['status'], users: ['*'] },
        { verbs: ['get'], users: ['kim', 'ute'] },
        { name: 'nothing yet' },
      ],
    });
    expect(made.spec.owner).toEqual({ user: 'olga' });
    expect(made.status?.conditions).toMatchObject([{ type: 'AccessReady', status: 'True' }]);
    const rule = { apiGroups: ['management.svc.example'], resourceNames: ['written'] };
    const owner = {
      apiVersion: 'management.svc.example/v1',
      kind: 'SharedSecret',
      name: 'written',
      uid: made.metadata.uid,
    };
    expect(await role(made, '0')).toMatchObject({
      metadata: { ownerReferences: [owner] },
      rules: [{ ...rule, resources: ['sharedsecrets'], verbs: ['get'] }],
    });
    expect((await role(made, '1'))?.rules).toEqual([
      { ...rule, resources: ['sharedsecrets', 'sharedsecrets/status'], verbs: ['*'] },
    ]);
    const roleRef = {
      apiGroup: RBAC_GROUP,
      kind: 'Role',
      name: `management:sharedsecrets:written:${made.metadata.uid}:0`,
    };
    expect(await binding(made, '0')).toMatchObject({
      metadata: { ownerReferences: [owner] },
      roleRef,
      subjects: [
        { kind: 'User', apiGroup: RBAC_GROUP, name: 'ute' },
        { kind: 'User', apiGroup: RBAC_GROUP, name: 'kim' },
        { kind: 'Group', apiGroup: RBAC_GROUP, name: 'management:team:blue' },
      ],
    });
    expect((await binding(made, '1'))?.subjects).toEqual([
      { kind: 'Group', apiGroup: RBAC_GROUP, name: 'system:authenticated' },
    ]);
    expect(await rolesOf('written')).toHaveLength(2);
  });

  test('reviews include the rights of objects', async () => {
    await create('olga', 'reviewed', { access: [{ verbs: ['get'], users: ['ute'] }] });
    const review = async (user: string, kind: string, spec: object): Promise<unknown> => {
      const answer = await send(user, 'POST', `/apis/authorization.k8s.io/v1/${kind}`, { spec });
      return (JSON.parse(answer.text) as { status: unknown }).status;
    };
    const asked = { group: 'management.svc.example', resource: 'sharedsecrets', namespace: 'default' };
    const may = (user: string, verb: string): Promise<unknown> =>
      review(user, 'selfsubjectaccessreviews', { resourceAttributes: { ...asked, name: 'reviewed', verb } });
    expect(await may('olga', 'delete')).toMatchObject({
      allowed: true,
      reason: expect.stringMatching('owner'),
    });
    expect(await may('ute', 'get')).toMatchObject({ allowed: true, reason: expect.stringMatching('access') });
    expect(await may('ute', 'delete')).toMatchObject({ allowed: false });
    const rules = await review('ute', 'selfsubjectrulesreviews', { namespace: 'default' });
    expect(rules).toMatchObject({
      resourceRules: expect.arrayContaining([
        {
          verbs: ['get'],
          apiGroups: ['management.svc.example'],
          resources: ['sharedsecrets'],
          resourceNames: expect.arrayContaining(['reviewed']),
        },
      ]),
    });
  });

  test('rights begin and end with the answer to the write', async () => {
    await create('olga', 'shared');
    const path = `${SECRETS}/shared`;
    const seen = async (): Promise<number[]> =>
      Promise.all(['ute', 'tina', 'olga'].map((user) => statusOf(user, 'GET', path)));
    for (let round = 0; round < 5; round += 1) {
      expect(await patch('olga', 'shared', { access: [{ verbs: ['get'], users: ['ute'] }] })).toBe(200);
      expect(await seen()).toEqual([200, 403, 200]);
      expect(await patch('olga', 'shared', { access: [{ verbs: ['get'], teams: ['blue'] }] })).toBe(200);
      expect(await seen()).toEqual([403, 200, 200]);
      expect(await patch('olga', 'shared', { access: null })).toBe(200);
      expect(await seen()).toEqual([403, 403, 200]);
    }
    expect(await patch('olga', 'shared', { owner: { user: 'ute' } })).toBe(200);
    expect(await seen()).toEqual([200, 403, 403]);
    expect(await statusOf('ute', 'DELETE', path)).toBe(200);
    expect(await rolesOf('shared')).toEqual([]);
    await create('olga', 'shared');
    expect(await seen()).toEqual([403, 403, 200]);
  });

  test('rights stay until the last finalizer is removed', async () => {
    const access = [{ verbs: ['get'], users: ['ute'] }];
    const body = { metadata: { name: 'held', finalizers: ['example.com/f'] }, spec: { access } };
    expect(await statusOf('olga', 'POST', SECRETS, body)).toBe(201);
    expect(await statusOf('olga', 'DELETE', `${SECRETS}/held`)).toBe(200);
    expect(await rolesOf('held')).toHaveLength(1);
    expect(await statusOf('ute', 'GET', `${SECRETS}/held`)).toBe(200);
    expect(await statusOf('olga', 'PATCH', `${SECRETS}/held`, { metadata: { finalizers: null } })).toBe(200);
    expect(await rolesOf('held')).toEqual([]);
  });

  test('deletecollection takes the roles along; a dry run writes none', async () => {
    const label = { kind: 'collected' };
    const spec = { access: [{ verbs: ['get'], users: ['ute'] }] };
    for (const name of ['c1', 'c2', 'c3'])
      await send('olga', 'POST', SECRETS, { metadata: { name, labels: label }, spec });
    expect(await rolesOf('c2')).toHaveLength(1);
    expect(await statusOf('olga', 'POST', `${SECRETS}?dryRun=All`, secret('dry', spec))).toBe(201);
    expect(await rolesOf('dry')).toEqual([]);
    expect(await statusOf(ADMIN, 'DELETE', `${SECRETS}?labelSelector=kind%3Dcollected`)).toBe(200);
    for (const name of ['c1', 'c2', 'c3']) expect(await rolesOf(name)).toEqual([]);
  });

  test('writers at the same time leave the roles of the object that won', async () => {
    const busy = await create('olga', 'busy');
    const users = Array.from({ length: 20 }, (_, at) => `user-${at}`);
    const codes = await Promise.all(
      users.map((user, at) =>
        patch('olga', 'busy', {
          access: Array.from({ length: 1 + (at % 12) }, (_, verb) => ({
            verbs: [`v${verb}`],
            users: [user],
          })),
        }),
      ),
    );
    expect(new Set(codes)).toEqual(new Set([200]));
    const { access } = (await named(`${SECRETS}/busy`))?.spec as { access: { users: string[] }[] };
    for (let at = 0; at < 12; at += 1) {
      const wanted = access[at]?.users.map((name) => ({ kind: 'User', apiGroup: RBAC_GROUP, name }));
      expect((await binding(busy, String(at)))?.subjects).toEqual(wanted);
    }
  });

  test.each([
    ['an owner who is everyone', { owner: { user: '*' } }, 'spec.owner.user'],
    ['an empty verb', { access: [{ verbs: ['get', ''] }] }, 'spec.access[0].verbs[1]'],
    ['an empty user', { access: [{ users: [''] }] }, 'spec.access[0].users[0]'],
    ['an empty team', { access: [{}, { teams: [''] }] }, 'spec.access[1].teams[0]'],
    ['an empty subresource', { access: [{ subresources: [''] }] }, 'spec.access[0].subresources[0]'],
    ['thirteen rules', { access: Array.from({ length: 13 }, () => ({})) }, 'spec.access'],
  ])('%s is 422', async (_what, spec, field) => {
    const { status, text } = await send('olga', 'POST', SECRETS, secret('bad', spec));
    expect(status).toBe(422);
    const { details } = JSON.parse(text) as { details: { causes: { field: string }[] } };
    expect(details.causes.map((cause) => cause.field)).toEqual([field]);
  });

  describe('users grant no rights that they do not have', () => {
    const changes: [string, object, number][] = [
      ['what they have', { access: [{ verbs: ['get', 'update', 'patch'], users: ['ute', 'kim'] }] }, 200],
      [
        'the same to another',
        {
          access: [
            { verbs: ['get'], users: ['ute'] },
            { verbs: ['get'], teams: ['blue'] },
          ],
        },
        200,
      ],
      ['delete', { access: [{ verbs: ['get', 'delete'], users: ['kim'] }] }, 403],
      ['all verbs', { access: [{ verbs: ['*'], users: ['kim'] }] }, 403],
      ['a subresource', { access: [{ verbs: ['get'], subresources: ['status'], users: ['kim'] }] }, 403],
      ['all subresources', { access: [{ verbs: ['get'], subresources: ['*'], users: ['kim'] }] }, 403],
      ['everyone delete', { access: [{ verbs: ['delete'], users: ['*'] }] }, 403],
      ['the object to themselves', { owner: { user: 'ute' } }, 403],
      ['the object to a team', { owner: { user: null, team: 'blue' } }, 403],
      ['nothing, taking theirs', { access: [] }, 200],
      ['something else', { displayName: 'by ute' }, 200],
    ];
    const types = [
      ['merge patch', 'application/merge-patch+json'],
      ['PUT', 'PUT'],
      ['JSON patch', 'application/json-patch+json'],
      ['apply', 'application/apply-patch+yaml'],
    ] as const;
    const rows = changes.flatMap(([what, spec, code]) =>
      types.map(([how, type]) => [what, how, type, spec, code] as const),
    );
    let count = 0;

    test.each(rows)('a write that gives %s, by %s', async (_what, _how, type, spec, code) => {
      const name = `given-${(count += 1)}`;
      const access = [{ verbs: ['get', 'update', 'patch'], users: ['ute'] }];
      const before = await create('olga', name, { access });
      const path = `${SECRETS}/${name}`;
      const owner = { ...(before.spec.owner as object), ...(spec as { owner?: object }).owner };
      const merged = {
        ...before.spec,
        ...spec,
        owner: Object.fromEntries(Object.entries(owner).filter(([, v]) => v !== null)),
      };
      const apply = {
        apiVersion: 'management.svc.example/v1',
        kind: 'SharedSecret',
        ...secret(name, merged),
      };
      const status = await {
        PUT: () => statusOf('ute', 'PUT', path, { ...before, spec: merged }),
        'application/merge-patch+json': () => statusOf('ute', 'PATCH', path, { spec }),
        'application/json-patch+json': () =>
          statusOf('ute', 'PATCH', path, [{ op: 'replace', path: '/spec', value: merged }], type),
        'application/apply-patch+yaml': () =>
          statusOf('ute', 'PATCH', `${path}?fieldManager=ute&force=true`, apply, type),
      }[type]();
      expect(status).toBe(code);
    });

    test("a creator who names another owner grants only the creator's own rights", async () => {
      const give = (verbs: string[]) =>
        secret('foreign', { owner: { user: 'ute' }, access: [{ verbs, users: ['kim'] }] });
      expect(await statusOf('otto', 'POST', SECRETS, give(['get']))).toBe(403);
      expect(await statusOf('otto', 'POST', SECRETS, give(['create']))).toBe(201);
      expect(await statusOf('otto', 'GET', `${SECRETS}/foreign`)).toBe(403);
    });

    test('the verb escalate changes the owner', async () => {
      await create('olga', 'lifted', { access: [{ verbs: ['escalate', 'patch'], users: ['kim'] }] });
      expect(await patch('kim', 'lifted', { owner: { user: 'kim' } })).toBe(200);
      expect(await statusOf('olga', 'GET', `${SECRETS}/lifted`)).toBe(403);
      expect(await statusOf('kim', 'DELETE', `${SECRETS}/lifted`)).toBe(200);
    });
  });

  test('rules of a cluster-scoped kind become cluster roles', async () => {
    const team = {
      metadata: { name: 'green' },
      spec: { access: [{ verbs: ['get', 'patch'], users: ['ute'] }] },
    };
    const { metadata } = parsed(await send(ADMIN, 'POST', `${API}/teams`, team));
    const role = `management:teams:green:${metadata.uid}:0`;
    expect(await named(`${RBAC}/clusterroles/${role}`)).toMatchObject({
      rules: [{ resources: ['teams'], resourceNames: ['green'], verbs: ['get', 'patch'] }],
    });
    expect(await statusOf('ute', 'GET', `${API}/teams/green`)).toBe(200);
    const more = { spec: { access: [{ verbs: ['get', 'patch', 'delete'], users: ['ute'] }] } };
    expect(await statusOf('ute', 'PATCH', `${API}/teams/green`, more)).toBe(403);
    expect(await statusOf(ADMIN, 'DELETE', `${API}/teams/green`)).toBe(200);
    expect(await named(`${RBAC}/clusterrolebindings/${role}`)).toBeUndefined();
  });
});
