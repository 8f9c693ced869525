/** Logins that the provider confirms again and again: what they lose, and when they end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { client } from '../../fixtures/clients/client.js';
import { openWatch } from '../../fixtures/clients/openwatch.js';
import { logInAs, teamsOf } from '../../fixtures/console/providerlogin.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import {
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };

let idp: IdentityProvider;
let server: ServerFixture;
const directory = mkdtempSync(join(tmpdir(), 'refresh-'));

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  idp = await startIdentityProvider();
  const more = { keyTTL: '1h', refreshInterval: '1s', requiredClaims: { groups: 'staff' }, scopes: SCOPES };
  server = await startServer({ flags: [loginFlag(directory, idp, more)] });
  await idp.serve(server.url);
});
afterAll(async () => {
  await server?.remove();
  idp?.stop();
  rmSync(directory, { recursive: true });
});

const SCOPES = ['openid', 'profile', 'email', 'groups', 'offline_access'];

interface Review {
  readonly status?: { readonly userInfo?: { readonly groups: readonly string[] } };
}

async function whoIs(key: string): Promise<{ status: number; groups: readonly string[] }> {
  const { status, text } = await client(server, key).send('POST', SELF, REVIEW);
  return { status, groups: (JSON.parse(text) as Review).status?.userInfo?.groups ?? [] };
}

const logIn = (name: string, groups: readonly string[]): Promise<string> =>
  logInAs(server, idp, name, { groups: ['staff', ...groups] });

function change(name: string, claims: object): void {
  const account = `sub-of-${name}`;
  idp.accounts.set(account, { ...idp.accounts.get(account), ...claims });
}

const ended = (key: string): Promise<true | undefined> =>
  eventually('the end of the login', async () => (await whoIs(key)).status === 401 || undefined);

test('groups follow those of the provider, for the key and for group rules', async () => {
  const object = (kind: string, spec: object): object => ({
    kind,
    apiVersion: 'management.svc.example/v1',
    metadata: { name: 'ops' },
    spec,
  });
  const admin = client(server);
  expect((await admin.send('POST', `${API}/teams`, object('Team', {}))).status).toBe(201);
  const rule = object('GroupRule', { values: ['ops'], team: 'ops' });
  expect((await admin.send('POST', `${API}/grouprules`, rule)).status).toBe(201);
  const key = await logIn('anna', ['ops']);
  expect((await whoIs(key)).groups).toEqual(expect.arrayContaining(['staff', 'ops']));
  expect(await teamsOf(server, key)).toEqual(['ops']);
  change('anna', { groups: ['staff', 'dev'] });
  const { groups } = await eventually('the new groups', async () => {
    const now = await whoIs(key);
    return now.groups.includes('dev') && now;
  });
  expect(groups).not.toContain('ops');
  // What rules judge is written after the key.
  await eventually('no team', async () => (await teamsOf(server, key)).length === 0);
});

test('a login ends with the account, and what is open in it', async () => {
  const [key, other] = [await logIn('ben', []), await logIn('cleo', [])];
  const headers = { authorization: `Bearer ${key}` };
  const open = await openWatch(server.url, `${API}/users?watch=1`, { headers });
  idp.closed.add('sub-of-ben');
  await ended(key);
  await eventually('the end of the watch', async () => open.endedAt() !== undefined);
  expect((await whoIs(other)).status).toBe(201);
});

test('a login ends when a claim is gone that everybody must have', async () => {
  const key = await logIn('dan', []);
  change('dan', { groups: ['former staff'] });
  await ended(key);
});

test('a login stays while the provider cannot be reached', async () => {
  const key = await logIn('eve', ['one']);
  const warnings = (): number => server.log().split('"a login did not work"').length;
  const before = warnings();
  idp.pause();
  await eventually('a warning', () => Promise.resolve(warnings() > before));
  expect((await whoIs(key)).status).toBe(201);
  idp.continue();
  change('eve', { groups: ['staff', 'two'] });
  await eventually('the new groups', async () => (await whoIs(key)).groups.includes('two'));
});

test('neither the log nor the API shows a refresh token', async () => {
  const key = await logIn('fay', []);
  const before = idp.refreshTokens.length;
  await eventually('another token', async () => idp.refreshTokens.length > before);
  expect(idp.refreshTokens.filter((one) => server.log().includes(one))).toEqual([]);
  const { text } = await client(server).send('GET', `${API}/ownedaccesskeys`);
  expect(idp.refreshTokens.filter((one) => text.includes(one))).toEqual([]);
  expect((await whoIs(key)).status).toBe(201);
});
