/** Logouts that the identity provider announces: which logins they end, and which tokens end none. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import * as jose from 'jose';
import { client } from '../../fixtures/clients/client.js';
import { openWatch } from '../../fixtures/clients/openwatch.js';
import { logInAs } from '../../fixtures/console/providerlogin.js';
import { createBrowser } from '../../fixtures/console/browser.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import {
  CLIENT,
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

let idp: IdentityProvider;
let server: ServerFixture;
const directory = mkdtempSync(join(tmpdir(), 'logout-'));

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  idp = await startIdentityProvider();
  server = await startServer({ flags: [loginFlag(directory, idp, { keyTTL: '1h' })] });
  await idp.serve(server.url, authorityOf(server));
});
afterAll(async () => {
  await server?.remove();
  idp?.stop();
  rmSync(directory, { recursive: true });
});

const statusOf = async (key: string): Promise<number> => {
  const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
  return (await client(server, key).send('POST', SELF, review)).status;
};
const announce = (token: string): Promise<Answer> =>
  fetchFrom(`${server.url}/auth/backchannel-logout`, {
    method: 'POST',
    token: '',
    body: new URLSearchParams({ logout_token: token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
let count = 0;
const claimsOf = (name: string, more: object = {}): object => ({
  iss: idp.issuer,
  aud: CLIENT.id,
  sub: `sub-of-${name}`,
  iat: Math.floor(Date.now() / 1000),
  exp: Math.floor(Date.now() / 1000) + 120,
  jti: `logout-${(count += 1)}`,
  events: { [EVENT]: {} },
  ...more,
});

interface WaitingDevice {
  /** Returns the status of the answer to the person. */
  allow(): Promise<number>;
  key(): Promise<string>;
}

/** A login of a device that its person has not allowed yet. */
async function waiting(name: string, browser = createBrowser()): Promise<WaitingDevice> {
  idp.accounts.set(`sub-of-${name}`, { preferred_username: name });
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const sent = { method: 'POST', token: '', body: JSON.stringify(body) };
    return JSON.parse((await fetchFrom(`${server.url}${path}`, sent)).text) as Record<string, string>;
  };
  const { verification_uri: link, device_code } = await post('/auth/device', {});
  const form = await browser.open(String(link));
  const page = await browser.submit(form, { login: `sub-of-${name}`, password: 'any' });
  return {
    allow: async () => (await browser.submit(page)).status,
    key: async () => String((await post('/auth/device/token', { device_code })).access_token),
  };
}

test('a session alone ends with the logins of devices of its person, and no other', async () => {
  const key = await logInAs(server, idp, 'jon', {});
  const sid = idp.sessions.at(-1);
  const other = await logInAs(server, idp, 'jon', {});
  const [own, foreign] = [await waiting('jon'), await waiting('kai')];
  for (const { allow } of [own, foreign]) expect(await allow()).toBe(200);
  const keys = [key, await own.key(), other, await foreign.key()];
  expect(await Promise.all(keys.map(statusOf))).toEqual([201, 201, 201, 201]);
  const answer = await announce(await idp.sign(claimsOf('jon', { sub: undefined, sid })));
  expect([answer.status, await Promise.all(keys.map(statusOf))]).toEqual([200, [401, 401, 201, 201]]);
});

test('a logout at the provider ends the session of that browser, and what is open in it', async () => {
  const browser = createBrowser();
  const key = await logInAs(server, idp, 'anna', {}, browser);
  const other = await logInAs(server, idp, 'anna', {});
  const headers = { authorization: `Bearer ${key}` };
  const open = await openWatch(server.url, `${API}/users?watch=1`, { headers });
  const page = await browser.open(`${idp.issuer}/session/end`);
  await browser.submit(page, { logout: 'yes' });
  expect(await statusOf(key)).toBe(401);
  await eventually('the end of the watch', async () => open.endedAt() !== undefined);
  expect(await statusOf(other)).toBe(201);
});

test('a token without a session ends all logins of the person, and of nobody else', async () => {
  const keys = [await logInAs(server, idp, 'ben', {}), await logInAs(server, idp, 'ben', {})];
  const other = await logInAs(server, idp, 'carla', {});
  const answer = await announce(await idp.sign(claimsOf('ben'), { typ: 'logout+jwt' }));
  expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([200, '{}', 'no-store']);
  expect(await Promise.all(keys.map(statusOf))).toEqual([401, 401]);
  expect(await statusOf(other)).toBe(201);
});

describe('a login that waits for its person ends', () => {
  test.each<[string, object, number]>([
    ['with all logins of the person', {}, 400],
    ['with any session, as devices have none', { sid: 'any' }, 400],
    ['with no session of somebody else', { sub: 'sub-of-x', sid: 'any' }, 200],
  ])('%s', async (_what, more, status) => {
    const name = `gil-${(count += 1)}`;
    const { allow } = await waiting(name);
    expect((await announce(await idp.sign(claimsOf(name, more)))).status).toBe(200);
    expect(await allow()).toBe(status);
    expect(await (await waiting(name)).allow()).toBe(200);
  });

  test('with its own session', async () => {
    const browser = createBrowser();
    const { allow } = await waiting('hal', browser);
    const page = await browser.open(`${idp.issuer}/session/end`);
    await browser.submit(page, { logout: 'yes' });
    expect(await allow()).toBe(400);
  });
});

describe('a token is refused', () => {
  let key: string;
  beforeAll(async () => {
    key = await logInAs(server, idp, 'dora', {});
  });
  const now = (): number => Math.floor(Date.now() / 1000);

  test.each<[string, () => object, object]>([
    ['of another issuer', () => ({ iss: 'https://other.example' }), {}],
    ['for another client', () => ({ aud: 'other' }), {}],
    ['without an audience', () => ({ aud: undefined }), {}],
    ['without a time', () => ({ iat: undefined }), {}],
    ['that is too old', () => ({ iat: now() - 3600 }), {}],
    ['that has expired', () => ({ exp: now() - 60 }), {}],
    ['without an id', () => ({ jti: undefined }), {}],
    ['with an empty id', () => ({ jti: '' }), {}],
    ['without an event', () => ({ events: undefined }), {}],
    ['of another event', () => ({ events: { 'https://other.example': {} } }), {}],
    ['whose event is no object', () => ({ events: { [EVENT]: true } }), {}],
    ['whose events are a list', () => ({ events: [EVENT] }), {}],
    ['with a nonce', () => ({ nonce: 'n' }), {}],
    ['with an empty nonce', () => ({ nonce: '' }), {}],
    ['without a subject and a session', () => ({ sub: undefined }), {}],
    ['whose subject is no text', () => ({ sub: ['sub-of-dora'] }), {}],
    ['of another type', () => ({}), { typ: 'at+jwt' }],
  ])('%s', async (_what, more, header) => {
    const answer = await announce(await idp.sign(claimsOf('dora', more()), header));
    expect([answer.status, await statusOf(key)]).toEqual([400, 201]);
    expect(answer.text).toMatch(/"error":"invalid_(grant|request)"/);
  });

  test('by another key, without a signature, and by the secret of the client', async () => {
    const { privateKey } = await jose.generateKeyPair('RS256');
    const claims = claimsOf('dora') as jose.JWTPayload;
    const header = { alg: 'RS256', kid: 'key-1' };
    const foreign = await new jose.SignJWT(claims).setProtectedHeader(header).sign(privateKey);
    const bySecret = await new jose.SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(CLIENT.secret));
    const unsigned = new jose.UnsecuredJWT(claims).encode();
    for (const token of [foreign, bySecret, unsigned, '', 'x', 'a.b.c', `${foreign}x`])
      expect((await announce(token)).status).toBe(400);
    expect(await statusOf(key)).toBe(201);
  });

  test('a second time', async () => {
    const token = await idp.sign(claimsOf('emil'));
    expect((await announce(token)).status).toBe(200);
    const later = await logInAs(server, idp, 'emil', {});
    expect([(await announce(token)).status, await statusOf(later)]).toEqual([400, 201]);
    expect(server.log()).not.toContain(token);
  });

  test('that is no form, or too long', async () => {
    const answers = [
      await announce('x'.repeat(70_000)),
      await fetchFrom(`${server.url}/auth/backchannel-logout`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 405]);
  });
});

test('whoever changes what their key says of them is logged out all the same', async () => {
  const key = await logInAs(server, idp, 'finn', {});
  const finn = client(server, key);
  const self = JSON.parse((await finn.send('POST', `${API}/selves`, { spec: {} })).text) as {
    status: { accessKey: string };
  };
  const patch = { spec: { identity: { userId: 'other' } } };
  const path = `${API}/ownedaccesskeys/${self.status.accessKey}`;
  const type = { 'content-type': 'application/merge-patch+json' };
  expect((await finn.send('PATCH', path, patch, type)).status).toBe(200);
  expect((await announce(await idp.sign(claimsOf('finn')))).status).toBe(200);
  expect(await statusOf(key)).toBe(401);
});
