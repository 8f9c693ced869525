/** Claims of the identity provider become memberships and roles by rules, and end with the claim, the login and the rule. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { GroupRuleReview } from '../../../api/management.svc.example/v1/grouprules/grouprulereview.js';
import type { User } from '../../../api/management.svc.example/v1/user.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { openWatch, type OpenWatch } from '../../fixtures/clients/openwatch.js';
import { logInAs } from '../../fixtures/console/providerlogin.js';
import {
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/namespaces/loft-p-web/rolebindings';
const PATCH = { 'content-type': 'application/merge-patch+json' };

let idp: IdentityProvider;
let server: ServerFixture;
let admin: Client;
const directory = mkdtempSync(join(tmpdir(), 'grouprules-'));

const parsed = <T>({ text }: Answer): T => JSON.parse(text) as T;
async function made<T>(path: string, kind: string, name: string, spec: object, by = admin): Promise<T> {
  const apiVersion = 'management.svc.example/v1';
  const answer = await by.send('POST', `${API}/${path}`, { kind, apiVersion, metadata: { name }, spec });
  if (answer.status !== 201) throw new Error(answer.text);
  return parsed<T>(answer);
}
const rule = (name: string, spec: object, by = admin): Promise<unknown> =>
  made('grouprules', 'GroupRule', name, spec, by);

const logIn = (name: string, groups: unknown): Promise<string> => logInAs(server, idp, name, { groups });

interface Self {
  readonly user: { readonly teams: string[] };
  readonly accessKey: string;
  readonly groups: string[];
}
async function selfOf(key: string): Promise<Self> {
  const answer = await client(server, key).send('POST', `${API}/selves`, { spec: {} });
  if (answer.status !== 201) throw new Error(answer.text);
  return parsed<{ status: Self }>(answer).status;
}
const teamsOf = async (key: string): Promise<string[]> => (await selfOf(key)).user.teams;
const loginOf = async (name: string): Promise<NonNullable<User['status']>['login']> =>
  parsed<User>(await admin.send('GET', `${API}/users/${name}`)).status?.login;
/** Who sees no object of a kind gets 403. */
const namesIn = async (key: string, resource: string): Promise<string[]> => {
  const { items = [] } = parsed<{ items?: { metadata: { name: string } }[] }>(
    await client(server, key).send('GET', `${API}/${resource}`),
  );
  return items.map(({ metadata }) => metadata.name);
};
/** A key of the user that no login ends. */
async function lastingKey(user: string): Promise<string> {
  const { spec } = await made<{ spec: { key: string } }>(
    'ownedaccesskeys',
    'OwnedAccessKey',
    `lasting-${user}`,
    {
      user,
    },
  );
  return spec.key;
}
const watch = (key: string, resource: string): Promise<OpenWatch> =>
  openWatch(server.url, `${API}/${resource}?watch=1`, { headers: { authorization: `Bearer ${key}` } });

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  idp = await startIdentityProvider();
  const config = { scopes: ['openid', 'profile', 'email', 'groups'], keyTTL: '1h' };
  server = await startServer({ controllers: '*', flags: [loginFlag(directory, idp, config)] });
  await idp.serve(server.url);
  admin = client(server);
  await made('teams', 'Team', 'ops', {});
  await made('projects', 'Project', 'web', {});
});
afterAll(async () => {
  await server?.remove();
  idp?.stop();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  await admin.send('DELETE', `${API}/grouprules`);
});

describe('a claim', () => {
  test('gives a team and a role in a project, which the person sees in lists', async () => {
    await rule('ops', { values: ['eng-*'], team: 'ops' });
    await rule('web', { values: ['web'], project: 'web', clusterRole: 'management-project-user' });
    await rule('other', { values: ['eng-*'], team: 'ops', issuer: 'https://other.example' });
    const key = await logIn('anna', ['eng-platform', 'web', 'system:masters']);
    const self = await selfOf(key);
    expect(self.user.teams).toEqual(['ops']);
    expect(self.groups).toEqual(
      expect.arrayContaining(['management:team:ops', expect.stringMatching(/^management:grouprule:web:/)]),
    );
    expect(await namesIn(key, 'projects')).toEqual(['web']);
    const anna = client(server, key);
    expect((await anna.send('GET', `${API}/projects/web/members`)).status).toBe(200);
    expect((await anna.send('GET', `${API}/namespaces/loft-p-web/projectsecrets`)).status).toBe(200);
    expect((await anna.send('PATCH', `${API}/projects/web`, { spec: {} }, PATCH)).status).toBe(403);
    expect(await eventually('the rules in the status', async () => (await loginOf('anna'))?.rules)).toEqual([
      'ops',
      'web',
    ]);
    expect(await loginOf('anna')).toMatchObject({
      issuer: idp.issuer,
      claims: [{ name: 'groups', values: ['eng-platform', 'web', 'system:masters'] }],
      teams: ['ops'],
    });
    expect(await namesIn(await logIn('ben', ['none']), 'projects')).toEqual([]);
  });

  test('counts until a login without it, for every key of the person', async () => {
    await rule('ops', { values: ['devs'], team: 'ops' });
    const first = await logIn('carla', ['devs']);
    const other = await lastingKey('carla');
    expect([await teamsOf(first), await teamsOf(other)]).toEqual([['ops'], ['ops']]);
    const second = await logIn('carla', ['sales']);
    expect([await teamsOf(first), await teamsOf(other), await teamsOf(second)]).toEqual([[], [], []]);
  });

  test('ends with the last login of the person, and what is open then', async () => {
    await rule('web', { values: ['devs'], project: 'web', clusterRole: 'management-project-user' });
    const [one, two] = [await logIn('dora', ['devs']), await logIn('dora', ['devs'])];
    const other = await lastingKey('dora');
    const open = await watch(other, 'projects');
    const logOut = async (key: string): Promise<unknown> =>
      client(server, key).send('DELETE', `${API}/ownedaccesskeys/${(await selfOf(key)).accessKey}`);
    await logOut(one);
    expect(await namesIn(other, 'projects')).toEqual(['web']);
    await logOut(two);
    await eventually('the end of the login', async () => (await loginOf('dora'))?.ended);
    await eventually('the end of the watch', async () => open.endedAt() !== undefined);
    expect(await namesIn(other, 'projects')).toEqual([]);
  });

  test('of too many values gives nothing, and the login still works', async () => {
    await rule('ops', { values: ['g1'], team: 'ops' });
    const key = await logIn(
      'emil',
      Array.from({ length: 1001 }, (_, at) => `g${at}`),
    );
    expect(await teamsOf(key)).toEqual([]);
    expect((await loginOf('emil'))?.notes).toEqual([expect.stringContaining('it has 1001 values')]);
    const guids = Array.from(
      { length: 400 },
      (_, at) => `00000000-0000-0000-0000-${String(at).padStart(12, '0')}`,
    );
    expect(await teamsOf(await logIn('emil', [...guids, 'g1']))).toEqual(['ops']);
  });
});

describe('a rule', () => {
  test('counts at once where it is made, changed and deleted, also for what is open', async () => {
    const key = await logIn('finn', ['devs']);
    await rule('web', { values: ['devs'], project: 'web', clusterRole: 'management-project-viewer' });
    expect(await namesIn(key, 'projects')).toEqual(['web']);
    const open = await watch(key, 'projects');
    await admin.send('PATCH', `${API}/grouprules/web`, { spec: { values: ['sales'] } }, PATCH);
    await eventually('the end of the watch', async () => open.endedAt() !== undefined);
    expect(await namesIn(key, 'projects')).toEqual([]);
    await admin.send('PATCH', `${API}/grouprules/web`, { spec: { values: ['devs'] } }, PATCH);
    expect(await namesIn(key, 'projects')).toEqual(['web']);
    await admin.send('DELETE', `${API}/grouprules/web`);
    expect(await namesIn(key, 'projects')).toEqual([]);
    expect((await admin.send('GET', `${BINDINGS}/management:grouprules:web:member`)).status).toBe(404);
  });

  test('has a binding that is restored', async () => {
    await rule('web', { values: ['devs'], project: 'web', clusterRole: 'management-project-viewer' });
    const path = `${BINDINGS}/management:grouprules:web:member`;
    expect((await admin.send('PATCH', path, { subjects: [] }, PATCH)).status).toBe(403);
    await admin.send('DELETE', path);
    await eventually('the binding', async () => (await admin.send('GET', path)).status === 200);
  });

  test('ends with its team, and not a later team of that name', async () => {
    await made('teams', 'Team', 'short', {});
    await rule('short', { values: ['devs'], team: 'short' });
    const key = await logIn('gina', ['devs']);
    expect(await teamsOf(key)).toEqual(['short']);
    await admin.send('DELETE', `${API}/teams/short`);
    await made('teams', 'Team', 'short', {});
    expect(await teamsOf(key)).toEqual([]);
    await eventually(
      'the end',
      async () => (await admin.send('GET', `${API}/grouprules/short`)).status === 404,
    );
  });

  test('is told by who can', async () => {
    await rule('web', { values: ['devs'], project: 'web', clusterRole: 'management-project-user' });
    await rule('ops', { values: ['devs'], team: 'ops' });
    const ways = async (spec: object): Promise<string> =>
      (await admin.send('POST', `${API}/resourceaccessreviews`, { spec })).text;
    const group = 'management.svc.example';
    expect(await ways({ verb: 'get', group, resource: 'projects', name: 'web' })).toContain(
      '{"kind":"GroupRule","name":"web"}',
    );
    const secrets = { verb: 'list', group, resource: 'projectsecrets', namespace: 'loft-p-web' };
    expect(await ways(secrets)).toContain('{"kind":"GroupRule","name":"web"}');
    expect(await ways({ verb: 'get', group, resource: 'teams', name: 'ops' })).toContain(
      '{"kind":"GroupRule","name":"ops"},{"kind":"Team","name":"ops"}',
    );
  });
});

test('a review tells what claims would get, and nothing that was sent', async () => {
  await rule('ops', { values: ['devs'], team: 'ops' });
  await rule('roles', { claim: 'realm_access.roles', values: ['lead*'], team: 'ops' });
  await rule('other', { values: ['devs'], team: 'ops', issuer: 'https://other.example' });
  const claims = {
    iss: 'https://idp.example',
    groups: ['devs'],
    realm_access: { roles: ['lead-web'] },
    sub: 'me',
  };
  const answer = await admin.send('POST', `${API}/grouprulereviews`, { spec: { claims } });
  const { spec, status } = parsed<GroupRuleReview>(answer);
  expect(spec).toEqual({ issuer: 'https://idp.example', claims: {} });
  expect(status).toEqual({
    given: [
      { rule: 'ops', claim: 'groups', value: 'devs', team: 'ops' },
      { rule: 'roles', claim: 'realm_access.roles', value: 'lead-web', team: 'ops' },
    ],
    otherIssuer: ['other'],
  });
  const anna = client(server, await logIn('hugo', []));
  expect((await anna.send('POST', `${API}/grouprulereviews`, { spec: { claims } })).status).toBe(403);
});

test('a review tells the roles of the teams that rules give, in projects that the caller may get', async () => {
  await rule('ops', { values: ['devs', 'dev'], team: 'ops' });
  await rule('ops2', { values: ['devs'], team: 'ops' });
  await rule('web', { values: ['devs'], project: 'web', clusterRole: 'management-project-user' });
  const clusterRole = 'management-project-viewer';
  const members = [{ kind: 'Team', name: 'ops', clusterRole }];
  await made('projects', 'Project', 'docs', { members });
  await made('projects', 'Project', 'other', { members: [{ ...members[0], kind: 'User' }] });
  const givenTo = async (by: Client): Promise<unknown> =>
    parsed<GroupRuleReview>(
      await by.send('POST', `${API}/grouprulereviews`, { spec: { claims: { groups: ['devs'] } } }),
    ).status;
  const by = { claim: 'groups', value: 'devs' };
  const direct = [
    { rule: 'ops', ...by, team: 'ops' },
    { rule: 'ops2', ...by, team: 'ops' },
    { rule: 'web', ...by, project: 'web', clusterRole: 'management-project-user' },
  ];
  expect(await givenTo(admin)).toEqual({
    given: direct,
    teamRoles: [{ team: 'ops', project: 'docs', clusterRole }],
  });
  const ida = client(server, await logIn('ida', []));
  const rules = [
    { apiGroups: ['management.svc.example'], resources: ['grouprulereviews'], verbs: ['create'] },
  ];
  const of = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'reviewers' } };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reviewers' };
  const subjects = [{ kind: 'User', name: 'ida' }];
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await admin.send('POST', `${rbac}/clusterroles`, { ...of, kind: 'ClusterRole', rules });
  await admin.send('POST', `${rbac}/clusterrolebindings`, {
    ...of,
    kind: 'ClusterRoleBinding',
    roleRef,
    subjects,
  });
  expect(await givenTo(ida)).toEqual({ given: direct });
});

test('a review leaves out a rule whose team has gone, even if there is another team of that name', async () => {
  await made('teams', 'Team', 'passing', {});
  await rule('passing', { values: ['devs'], team: 'passing' });
  const given = async (): Promise<unknown> =>
    parsed<GroupRuleReview>(
      await admin.send('POST', `${API}/grouprulereviews`, { spec: { claims: { groups: ['devs'] } } }),
    ).status?.given;
  expect(await given()).toHaveLength(1);
  await admin.send('DELETE', `${API}/teams/passing`, { propagationPolicy: 'Orphan' });
  await eventually('the team has gone', async () => {
    return (await admin.send('GET', `${API}/teams/passing`)).status === 404;
  });
  await made('teams', 'Team', 'passing', {});
  expect((await admin.send('GET', `${API}/grouprules/passing`)).status).toBe(200);
  expect(await given()).toEqual([]);
});
