/** Group rules give nobody what the writer of the rule could not give, and nothing that the provider does not say. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import type { User } from '../../../api/management.svc.example/v1/user.js';
import type { OwnerReference } from '../../../api/resource.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { createBrowser } from '../../fixtures/console/browser.js';
import { logInAs, teamsOf } from '../../fixtures/console/providerlogin.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import {
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const PATCH = { 'content-type': 'application/merge-patch+json' };

let idp: IdentityProvider;
let server: ServerFixture;
let admin: Client;
const directory = mkdtempSync(join(tmpdir(), 'ruleattacks-'));

const objectOf = (kind: string, name: string, spec: object): object => ({
  kind,
  apiVersion: 'management.svc.example/v1',
  metadata: { name },
  spec,
});
const rule = (by: Client, name: string, spec: object): Promise<Answer> =>
  by.send('POST', `${API}/grouprules`, objectOf('GroupRule', name, spec));
const logIn = (name: string, claims: object): Promise<string> => logInAs(server, idp, name, claims);
/** A user who may do this, with a key. */
async function userWith(name: string, rules: object[]): Promise<Client> {
  await admin.send('POST', `${API}/users`, objectOf('User', name, {}));
  const kind = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name } };
  await admin.send('POST', `${RBAC}/clusterroles`, { ...kind, kind: 'ClusterRole', rules });
  await admin.send('POST', `${RBAC}/clusterrolebindings`, {
    ...kind,
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name }],
  });
  const { text } = await admin.send(
    'POST',
    `${API}/ownedaccesskeys`,
    objectOf('OwnedAccessKey', `of-${name}`, { user: name }),
  );
  return client(server, (JSON.parse(text) as { spec: { key: string } }).spec.key);
}
const mayAll = (resources: string[], resourceNames?: string[]): object => ({
  apiGroups: ['management.svc.example'],
  resources,
  verbs: ['*'],
  ...(resourceNames && { resourceNames }),
});

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  idp = await startIdentityProvider();
  const scopes = ['openid', 'profile', 'email', 'groups'];
  server = await startServer({
    flags: [loginFlag(directory, idp, { scopes, keyTTL: '1h' })],
    controllers: '*',
  });
  await idp.serve(server.url);
  admin = client(server);
  for (const name of ['ops', 'own']) await admin.send('POST', `${API}/teams`, objectOf('Team', name, {}));
  await admin.send('POST', `${API}/projects`, objectOf('Project', 'web', {}));
});
afterAll(async () => {
  await server?.remove();
  idp?.stop();
  rmSync(directory, { recursive: true });
});

describe('the writer of a rule', () => {
  let eve: Client;
  const toOps = { values: ['*'], team: 'ops' };
  const toWeb = { values: ['*'], project: 'web', clusterRole: 'management-project-admin' };
  beforeAll(async () => {
    eve = await userWith('eve', [mayAll(['grouprules']), mayAll(['teams'], ['own'])]);
  });

  test('must be allowed to change the team', async () => {
    const refused = await rule(eve, 'ops', toOps);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('cannot update')]);
    expect((await rule(eve, 'own', { values: ['x'], team: 'own' })).status).toBe(201);
    const moved = await eve.send('PATCH', `${API}/grouprules/own`, { spec: { team: 'ops' } }, PATCH);
    expect(moved.status).toBe(422);
  });

  test('must be allowed to change the project, and to bind the role', async () => {
    expect((await rule(eve, 'web', toWeb)).status).toBe(403);
    const finn = await userWith('finn', [mayAll(['grouprules', 'projects'])]);
    const refused = await rule(finn, 'web', toWeb);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('cannot bind')]);
  });

  test('cannot widen a rule of somebody else', async () => {
    expect((await rule(admin, 'narrow', { values: ['nobody'], team: 'ops' })).status).toBe(201);
    const widen = (spec: object): Promise<Answer> =>
      eve.send('PATCH', `${API}/grouprules/narrow`, { spec }, PATCH);
    for (const spec of [{ values: ['*'] }, { claim: 'sub' }, { issuer: 'https://other.example' }])
      expect((await widen(spec)).status).toBe(403);
    expect((await widen({ description: 'of eve' })).status).toBe(200);
  });

  test('cannot tie it to another team, or untie it', async () => {
    const metadata = { ownerReferences: [] };
    expect((await eve.send('PATCH', `${API}/grouprules/own`, { metadata }, PATCH)).status).toBe(200);
    const { text } = await admin.send('GET', `${API}/grouprules/own`);
    expect(text).toContain('"kind":"Team","name":"own"');
  });

  test.each<[string, object]>([
    ['a team that is not there', { values: ['x'], team: 'none' }],
    ['a project that is not there', { values: ['x'], project: 'none', clusterRole: 'view' }],
    ['no values', { values: [], team: 'ops' }],
    ['an empty value', { values: [''], team: 'ops' }],
    ['too many values', { values: Array.from({ length: 101 }, (_, at) => `v${at}`), team: 'ops' }],
    ['a long value', { values: ['x'.repeat(257)], team: 'ops' }],
    ['a * within a value', { values: ['a*b'], team: 'ops' }],
    ['no claim', { claim: '', values: ['x'], team: 'ops' }],
    ['no spec', {}],
  ])('gets 422 for %s', async (_what, spec) => {
    expect((await rule(admin, 'wrong', spec)).status).toBe(422);
  });

  test('does not take the name of a binding of a rule', async () => {
    const binding = {
      kind: 'RoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'management:grouprules:later:member' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'eve' }],
    };
    expect((await admin.send('POST', `${RBAC}/namespaces/loft-p-web/rolebindings`, binding)).status).toBe(
      403,
    );
  });
});

describe('a rule ends with its target', () => {
  const deleted = async (path: string, policy = 'Background'): Promise<void> => {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: policy };
    expect((await admin.send('DELETE', path, body)).status).toBe(200);
    await eventually('the deletion', async () => (await admin.send('GET', path)).status === 404);
  };
  const ownersOf = async (name: string): Promise<OwnerReference[]> =>
    (JSON.parse((await admin.send('GET', `${API}/grouprules/${name}`)).text) as GroupRule).metadata
      .ownerReferences ?? [];
  const gone = { values: ['devs'], project: 'gone', clusterRole: 'management-project-admin' };
  const bindings = `${RBAC}/namespaces/loft-p-gone/rolebindings`;

  test('one that another owner keeps gives nothing in the next project of that name', async () => {
    await admin.send('POST', `${API}/projects`, objectOf('Project', 'gone', {}));
    await admin.send('POST', `${API}/users`, objectOf('User', 'keeper', {}));
    expect((await rule(admin, 'kept', gone)).status).toBe(201);
    const { uid } = (JSON.parse((await admin.send('GET', `${API}/users/keeper`)).text) as User).metadata;
    const keeper = { apiVersion: 'management.svc.example/v1', kind: 'User', name: 'keeper', uid };
    const metadata = { ownerReferences: [keeper] };
    expect((await admin.send('PATCH', `${API}/grouprules/kept`, { metadata }, PATCH)).status).toBe(200);
    expect((await ownersOf('kept')).map(({ kind }) => kind)).toEqual(['Project', 'User']);
    const binding = `${bindings}/management:grouprules:kept:member`;
    await eventually('the binding', async () => (await admin.send('GET', binding)).status === 200);
    await deleted(`${API}/projects/gone`);
    await eventually('the reference goes', async () => (await ownersOf('kept')).length === 1);
    await admin.send('POST', `${API}/projects`, objectOf('Project', 'gone', {}));
    await eventually('the namespace', async () => (await admin.send('GET', bindings)).text.includes('owner'));
    const change = { spec: { description: 'x' } };
    expect((await admin.send('PATCH', `${API}/grouprules/kept`, change, PATCH)).status).toBe(200);
    expect((await admin.send('GET', bindings)).text).not.toContain('grouprules:kept');
    const next = (await ownersOf('kept')).map(({ kind }) => kind);
    expect(next).toEqual(['User']);
  });

  test('an orphaned one gives nothing, and the deletion of its target ends', async () => {
    await admin.send('POST', `${API}/teams`, objectOf('Team', 'gone', {}));
    expect((await rule(admin, 'of-project', gone)).status).toBe(201);
    expect((await rule(admin, 'of-team', { values: ['devs'], team: 'gone' })).status).toBe(201);
    for (const path of ['projects/gone', 'teams/gone']) await deleted(`${API}/${path}`, 'Orphan');
    for (const name of ['of-project', 'of-team']) expect(await ownersOf(name)).toEqual([]);
    await admin.send('POST', `${API}/teams`, objectOf('Team', 'gone', {}));
    expect(await teamsOf(server, await logIn('jan', { groups: ['devs'] }))).not.toContain('gone');
  });

  test('so does the deletion of a user who has a key', async () => {
    await userWith('kim', []);
    await deleted(`${API}/users/kim`, 'Orphan');
    const { text } = await admin.send('GET', `${API}/ownedaccesskeys/of-kim`);
    expect((JSON.parse(text) as GroupRule).metadata.ownerReferences).toBeUndefined();
  });
});

describe('a user', () => {
  test('cannot write what the provider said, whatever rights they have on their User', async () => {
    await rule(admin, 'ops', { values: ['devs'], team: 'ops' });
    const gina = await userWith('gina', [mayAll(['users', 'users/status'])]);
    const login = {
      issuer: idp.issuer,
      claims: [{ name: 'groups', values: ['devs'] }],
      time: '2026-01-01T00:00:00Z',
      expires: '2099-01-01T00:00:00Z',
    };
    expect((await gina.send('PATCH', `${API}/users/gina/status`, { status: { login } }, PATCH)).status).toBe(
      200,
    );
    await gina.send('POST', `${API}/users`, { ...objectOf('User', 'made', {}), status: { login } });
    for (const name of ['gina', 'made']) {
      const { status } = JSON.parse((await admin.send('GET', `${API}/users/${name}`)).text) as User;
      expect(status?.login).toBeUndefined();
    }
  });

  test('gets nothing by claims of other shapes, or by another issuer', async () => {
    await rule(admin, 'elsewhere', { values: ['secret'], team: 'own', issuer: 'https://other.example' });
    await rule(admin, 'nested', { claim: 'groups.devs', values: ['true'], team: 'own' });
    await rule(admin, 'proto', { claim: '__proto__.constructor.name', values: ['*'], team: 'own' });
    for (const groups of [['secret'], { secret: true }, [['secret']], [{ name: 'secret' }], 'sec*', null])
      expect(await teamsOf(server, await logIn('hugo', { groups }))).toEqual([]);
  });

  test('does not become a member with a group that is named like one of the server', async () => {
    const key = await logIn('ida', { groups: ['management:team:ops', 'management:grouprule:ops:00000000'] });
    expect(await teamsOf(server, key)).toEqual([]);
  });
});

describe('a login that waits for its person', () => {
  const VERIFIER = 'verifier';
  interface Waiting {
    /** Allows the program; returns its code. */
    allow(): Promise<string>;
    exchange(code: string): Promise<{ access_token?: string; error?: string }>;
  }
  async function waiting(name: string, claims: object): Promise<Waiting> {
    idp.accounts.set(`sub-of-${name}`, { preferred_username: name, ...claims });
    const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
    const to = encodeURIComponent('http://127.0.0.1:1/');
    const browser = createBrowser((url) => url.protocol === 'http:');
    const form = await browser.open(
      `${server.url}/auth/login?redirect_uri=${to}&code_challenge=${challenge}&state=s`,
    );
    const page = await browser.submit(form, { login: `sub-of-${name}`, password: 'any' });
    return {
      async allow() {
        const { headers } = await browser.submit(page);
        return new URL(String(headers.location)).searchParams.get('code') ?? '';
      },
      async exchange(code) {
        const body = JSON.stringify({ code, code_verifier: VERIFIER });
        const sent = { method: 'POST', token: '', body };
        return JSON.parse((await fetchFrom(`${server.url}/auth/token`, sent)).text) as object;
      },
    };
  }
  const userOf = async (name: string): Promise<User> =>
    JSON.parse((await admin.send('GET', `${API}/users/${name}`)).text) as User;
  const setSubject = async (name: string, subject: string | null): Promise<void> => {
    const { status } = await admin.send('PATCH', `${API}/users/${name}`, { spec: { subject } }, PATCH);
    expect(status).toBe(200);
  };

  test('does not replace the claims of a later one', async () => {
    const early = await waiting('lea', { groups: ['devs'] });
    await sleep(1000);
    await logIn('lea', { groups: ['others'] });
    const answer = await early.exchange(await early.allow());
    expect(answer).toMatchObject({ access_token: expect.any(String) });
    expect(await teamsOf(server, answer.access_token ?? '')).toEqual([]);
    expect((await userOf('lea')).status?.login?.claims).toEqual([{ name: 'groups', values: ['others'] }]);
  });

  test('has short pages and codes, however many groups the person is in', async () => {
    const groups = Array.from({ length: 500 }, (_, at) => `${at}-`.padEnd(100, 'ü'));
    const login = await waiting('mia', { groups: [...groups, 'devs'] });
    const code = await login.allow();
    expect(code.length).toBeLessThan(1000);
    const { access_token: key = '' } = await login.exchange(code);
    expect(await teamsOf(server, key)).toEqual(['ops']);
    const { notes } = (await userOf('mia')).status?.login ?? {};
    expect(notes).toEqual([expect.stringContaining('longer than 9000 bytes')]);
  });

  test('gives no key of a user that it is not any more', async () => {
    const login = await waiting('nia', {});
    const code = await login.allow();
    await setSubject('nia', null);
    await admin.send('POST', `${API}/users`, objectOf('User', 'other', { subject: 'sub-of-nia' }));
    expect(await login.exchange(code)).toMatchObject({ error: 'invalid_grant' });
  });

  test.each([null, 'another'])('and its key end when the subject of the user becomes %p', async (subject) => {
    const name = `oda-${subject}`;
    const key = await logIn(name, { groups: ['devs'] });
    expect(await teamsOf(server, key)).toEqual(['ops']);
    const login = await waiting(name, { groups: ['devs'] });
    const code = await login.allow();
    await setSubject(name, subject);
    expect((await userOf(name)).status?.login).toBeUndefined();
    await eventually('the key ends', async () => {
      const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      return (await client(server, key).send('POST', path, review)).status === 401;
    });
    expect((await login.exchange(code)).access_token).toBeUndefined();
  });
});
