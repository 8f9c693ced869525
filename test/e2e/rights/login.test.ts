/** Users log in with a real identity provider: in a browser, with a program that waits, and with a device code. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { openProvider } from '../../../pkg/management/login/provider.js';
import { createBrowser, type Browser, type Page } from '../../fixtures/console/browser.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import {
  CLIENT,
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { LOGIN_SETTINGS } from '../../fixtures/stubs/loginsettings.js';

const API = '/apis/management.svc.example/v1';
const COOKIE = '__Host-login';
const LOOPBACK = 'http://127.0.0.1:1/done';

let idp: IdentityProvider;
let server: ServerFixture;
let admin: Client;
const directory = mkdtempSync(join(tmpdir(), 'login-'));

beforeAll(async () => {
  // The provider logs warnings about its configuration, which is not meant for production.
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  idp = await startIdentityProvider();
  server = await startServer({
    flags: [
      '--anonymous-auth=false',
      loginFlag(directory, idp, { scopes: ['openid', 'profile', 'email', 'groups'], keyTTL: '1h' }),
    ],
  });
  await idp.serve(server.url);
  admin = client(server);
});
afterAll(async () => {
  await server?.remove();
  idp?.stop();
  rmSync(directory, { recursive: true });
});

const parsed = <T>(answer: Answer): T => JSON.parse(answer.text) as T;
const account = (name: string, claims: object = {}): void =>
  void idp.accounts.set(`sub-of-${name}`, {
    preferred_username: name,
    name: `The ${name}`,
    email: `${name}@example.com`,
    email_verified: true,
    groups: ['devs', 'system:masters', 'management:admins'],
    ...claims,
  });

/** Completes the provider's form, and returns the page after it. */
async function logIn(browser: Browser, name: string, query = ''): Promise<Page> {
  const form = await browser.open(`${server.url}/auth/login${query}`);
  return browser.submit(form, { login: `sub-of-${name}`, password: 'any' });
}
const keyOn = ({ text }: Page): string => /<code id="key">(mk_[0-9A-Za-z]{46})<\/code>/.exec(text)?.[1] ?? '';
/** A browser with cookies of the server only, which does not follow redirects. */
const atCallback = (): Browser =>
  createBrowser((url) => url.origin === server.url && url.pathname === '/auth/callback');

interface SelfStatus {
  user?: { name: string };
  accessKey: string;
  accessKeyType: string;
  groups: string[];
}
async function selfOf(key: string): Promise<SelfStatus> {
  const answer = await client(server, key).send('POST', `${API}/selves`, { spec: {} });
  if (answer.status !== 201) throw new Error(answer.text);
  return parsed<{ status: SelfStatus }>(answer).status;
}
const post = (path: string, body: object): Promise<Answer> =>
  fetchFrom(`${server.url}${path}`, {
    method: 'POST',
    token: '',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

test('a person gets a User and a key, with the groups that providers may give', async () => {
  account('anna');
  const page = await logIn(createBrowser(), 'anna');
  expect([page.status, page.headers['cache-control'], page.headers['referrer-policy']]).toEqual([
    200,
    'no-store',
    'no-referrer',
  ]);
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; /);
  const key = keyOn(page);
  const self = await selfOf(key);
  expect(self).toMatchObject({ user: { name: 'anna' }, accessKeyType: 'Login' });
  expect(self.groups).toEqual([
    'management:user:anna',
    'management:authenticated',
    'system:authenticated',
    'devs',
  ]);
  const user = parsed<{ spec: object }>(await admin.send('GET', `${API}/users/anna`));
  expect(user.spec).toEqual({
    subject: 'sub-of-anna',
    username: 'anna',
    displayName: 'The anna',
    email: 'anna@example.com',
  });
  const { spec, metadata } = parsed<{ spec: object; metadata: { ownerReferences: object[] } }>(
    await admin.send('GET', `${API}/ownedaccesskeys/${self.accessKey}`),
  );
  expect(spec).toEqual({
    user: 'anna',
    type: 'Login',
    ttl: 3600,
    displayName: 'Login',
    groups: ['devs'],
    identity: {
      userId: 'sub-of-anna',
      username: 'anna',
      preferredUsername: 'The anna',
      Email: 'anna@example.com',
      EmailVerified: true,
      Groups: ['devs', 'system:masters', 'management:admins'],
    },
  });
  expect(metadata.ownerReferences).toMatchObject([{ kind: 'User', name: 'anna' }]);
  for (const secret of [key, CLIENT.secret]) expect(server.log()).not.toContain(secret);
});

describe('the console', () => {
  const SESSION = '__Host-console';
  const told = async (cookie: string, path = '/console/session', csrf = '', method = 'GET') =>
    fetchFrom(server.url + path, {
      method,
      token: '',
      headers: { cookie: `${SESSION}=${cookie}`, 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrf },
    });

  test('a person gets a session and no key, and a Login key stands for it', async () => {
    account('carla');
    const browser = createBrowser();
    const form = await browser.open(`${server.url}/console/session/login`);
    const page = await browser.submit(form, { login: 'sub-of-carla', password: 'any' });
    expect([page.url, page.status]).toEqual([`${server.url}/console/`, 200]);
    expect(page.text).not.toMatch(/mk_/);
    expect(browser.cookie(server.url, COOKIE)).toBeUndefined();
    const cookie = browser.cookie(server.url, SESSION) ?? '';
    const session = parsed<{ user: string; accessKey: string; csrfToken: string; providerLogin: boolean }>(
      await told(cookie),
    );
    expect(session).toMatchObject({ user: 'carla', providerLogin: true });
    const path = `${API}/ownedaccesskeys/${session.accessKey}`;
    expect(parsed<{ spec: object }>(await admin.send('GET', path)).spec).toMatchObject({
      user: 'carla',
      type: 'Login',
      ttl: 3600,
    });
    const self = await told(cookie, `/console/api${API}/selves`, session.csrfToken, 'POST');
    expect(self.status).toBe(400); // without a body: it came through
    expect((await told(cookie, '/console/session', session.csrfToken, 'DELETE')).status).toBe(200);
    expect(parsed(await told(cookie))).toMatchObject({ user: null });
    expect((await admin.send('GET', path)).status).toBe(404);
  });

  test('a login that was begun elsewhere opens no session', async () => {
    account('dora');
    const attacker = atCallback();
    const form = await attacker.open(`${server.url}/console/session/login`);
    const back = await attacker.submit(form, { login: 'sub-of-dora', password: 'any' });
    const victim = createBrowser();
    expect((await victim.open(back.headers.location as string)).status).toBe(400);
    expect(victim.cookie(server.url, SESSION)).toBeUndefined();
  });

  test('a key of a login, with groups of the provider, opens a session with these groups', async () => {
    account('emil');
    const key = keyOn(await logIn(createBrowser(), 'emil'));
    const { groups } = await selfOf(key);
    const answer = await post('/console/session', { accessKey: key });
    expect(answer.status).toBe(201);
    const [cookie = ''] = [answer.headers['set-cookie'] ?? []].flat();
    const { csrfToken } = parsed<{ csrfToken: string }>(answer);
    const self = await fetchFrom(`${server.url}/console/api${API}/selves`, {
      method: 'POST',
      token: '',
      body: JSON.stringify({ spec: {} }),
      headers: {
        'content-type': 'application/json',
        cookie: cookie.split(';')[0] ?? '',
        'x-csrf-token': csrfToken,
      },
    });
    expect(parsed<{ status: SelfStatus }>(self).status.groups).toEqual(groups);
  });
});

test('the next login finds the same User by the subject, and brings what is new', async () => {
  account('carla');
  await logIn(createBrowser(), 'carla');
  account('carla', {
    preferred_username: 'carla.new',
    email: 'new@example.com',
    groups: 'ops',
    name: undefined,
  });
  const { user, groups } = await selfOf(keyOn(await logIn(createBrowser(), 'carla')));
  expect(user).toMatchObject({ name: 'carla', username: 'carla.new', email: 'new@example.com' });
  expect(groups).toContain('ops');
  expect((await admin.send('GET', `${API}/users/carla.new`)).status).toBe(404);
});

describe('a login is refused', () => {
  const refusedWith = async (page: Page | Promise<Page>, code: number, message: string): Promise<void> => {
    const { status, text } = await page;
    expect([status, text.includes(message) ? message : text, text.includes('mk_')]).toEqual([
      code,
      message,
      false,
    ]);
  };

  test('as a User who is somebody else', async () => {
    account('admin');
    await refusedWith(
      logIn(createBrowser(), 'admin'),
      403,
      'There is a user &quot;admin&quot; already, who has no login yet. An administrator can make it yours: &quot;platform invite admin&quot;',
    );
    const { spec } = parsed<{ spec: object }>(await admin.send('GET', `${API}/users/admin`));
    expect(spec).toEqual({ displayName: 'Administrator', groups: ['management:admins'] });
  });

  test('as a disabled user, and the keys of earlier logins end', async () => {
    account('dora');
    const key = keyOn(await logIn(createBrowser(), 'dora'));
    const patch = { 'content-type': 'application/merge-patch+json' };
    await admin.send('PATCH', `${API}/users/dora`, { spec: { disabled: true } }, patch);
    await expect(selfOf(key)).rejects.toThrow('Unauthorized');
    await refusedWith(logIn(createBrowser(), 'dora'), 403, 'Your account is disabled.');
  });

  test('without a name', async () => {
    account('nameless', { preferred_username: '---' });
    await refusedWith(
      logIn(createBrowser(), 'nameless'),
      403,
      'tells no usable &quot;preferred_username&quot;',
    );
  });

  test('with an answer that was not asked for in this browser', async () => {
    account('eve');
    const eve = atCallback();
    const { headers } = await logIn(eve, 'eve');
    const answer = headers.location as string;
    await refusedWith(createBrowser().open(answer), 400, 'was not begun in this browser');
    // A victim has started a login, and gets the link with the response to the attacker's login.
    const victim = atCallback();
    await victim.open(`${server.url}/auth/login`);
    await refusedWith(victim.open(answer), 400, 'belongs to another login');
    // With the state of the victim's login, the code of the provider still belongs to the attacker's login: PKCE and
    // nonce do not match.
    const own = (await logIn(victim, 'eve')).headers.location as string;
    const mixed = new URL(answer);
    mixed.searchParams.set('state', new URL(own).searchParams.get('state') ?? '');
    await refusedWith(victim.open(mixed.href), 400, 'The login did not work');
  });

  test('with a cookie that was changed, or of another purpose', async () => {
    account('finn');
    const finn = atCallback();
    const answer = (await logIn(finn, 'finn')).headers.location as string;
    const cookie = finn.cookie(server.url, COOKIE) ?? '';
    finn.setCookie(server.url, COOKIE, `${cookie.slice(0, -2)}${cookie.endsWith('AA') ? 'BB' : 'AA'}`);
    await refusedWith(finn.open(answer), 400, 'was not begun in this browser');
    const device = parsed<{ device_code: string }>(await post('/auth/device', {}));
    finn.setCookie(server.url, COOKIE, device.device_code);
    await refusedWith(finn.open(answer), 400, 'was not begun in this browser');
    finn.setCookie(server.url, COOKIE, cookie);
    expect(keyOn(await finn.open(answer))).toMatch(/^mk_/);
  });

  test('twice by one answer', async () => {
    account('gina');
    const gina = atCallback();
    const answer = (await logIn(gina, 'gina')).headers.location as string;
    const cookie = gina.cookie(server.url, COOKIE) ?? '';
    expect(keyOn(await gina.open(answer))).toMatch(/^mk_/);
    expect(gina.cookie(server.url, COOKIE)).toBeUndefined();
    await refusedWith(gina.open(answer), 400, 'was not begun in this browser');
    gina.setCookie(server.url, COOKIE, cookie);
    await refusedWith(gina.open(answer), 400, 'invalid_grant');
  });

  test('if the person declines at the provider, whatever error that sends', async () => {
    const browser = atCallback();
    await browser.open(`${server.url}/auth/login`);
    const cookie = browser.cookie(server.url, COOKIE) ?? '';
    expect(cookie).not.toBe('');
    await refusedWith(
      browser.open(`${server.url}/auth/callback?error=access_denied&error_description=%3Cscript%3E&state=x`),
      400,
      'belongs to another login',
    );
    expect((await browser.open(`${server.url}/auth/callback?error=%3Cscript%3E`)).text).not.toContain(
      '<script>%',
    );
  });
});

describe('a program that waits', () => {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = (redirect: string, more = ''): string =>
    `?redirect_uri=${encodeURIComponent(redirect)}&code_challenge=${challenge}&state=mine${more}`;

  test('gets a key for its code, once, and with its verifier', async () => {
    account('hugo');
    const browser = createBrowser((url) => url.protocol === 'http:');
    const asking = await logIn(browser, 'hugo', query(LOOPBACK));
    const { headers, text } = await browser.submit(asking);
    const back = new URL(headers.location as string);
    expect([back.origin + back.pathname, back.searchParams.get('state'), text]).toEqual([
      LOOPBACK,
      'mine',
      '',
    ]);
    const code = back.searchParams.get('code') ?? '';
    expect((await post('/auth/token', { code, code_verifier: 'wrong' })).status).toBe(400);
    expect((await post('/auth/token', { code: `${code}x`, code_verifier: verifier })).status).toBe(400);
    const answer = await post('/auth/token', { code, code_verifier: verifier });
    const { access_token: key, ...rest } = parsed<{ access_token: string }>(answer);
    expect([answer.status, rest]).toEqual([
      200,
      { token_type: 'Bearer', expires_in: 3600, access_key: expect.any(String), user: 'hugo' },
    ]);
    expect((await selfOf(key)).user).toMatchObject({ name: 'hugo' });
    const again = await post('/auth/token', { code, code_verifier: verifier });
    expect([again.status, parsed<{ error: string }>(again).error]).toEqual([400, 'invalid_grant']);
  });

  test.each([
    ['https://127.0.0.1:1/'],
    ['http://example.com/'],
    ['http://localhost:1/'],
    ['http://127.0.0.2:1/'],
    ['http://127.0.0.1.example.com/'],
    ['http://user@127.0.0.1:1/'],
    ['javascript:alert(1)'],
    ['not a url'],
  ])('is not at %s', async (redirect) => {
    const page = await createBrowser().open(`${server.url}/auth/login${query(redirect)}`);
    expect([page.status, page.text.includes('must be a loopback address')]).toEqual([400, true]);
  });

  test('has a challenge', async () => {
    for (const more of [
      '',
      '&code_challenge=short',
      `&code_challenge=${challenge}&code_challenge_method=plain`,
    ]) {
      const url = `${server.url}/auth/login?redirect_uri=${encodeURIComponent(LOOPBACK)}${more}`;
      expect((await createBrowser().open(url)).status).toBe(400);
    }
  });
});

interface DeviceAnswer {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

test('a device gets a key when the person has allowed it elsewhere, once', async () => {
  account('ida');
  const device = parsed<DeviceAnswer>(await post('/auth/device', {}));
  expect(device.verification_uri.startsWith(`${server.url}/auth/device/`)).toBe(true);
  expect(device).toMatchObject({ user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/), interval: 5 });
  const poll = (): Promise<Answer> => post('/auth/device/token', { device_code: device.device_code });
  const early = await poll();
  expect([early.status, parsed<{ error: string }>(early).error]).toEqual([400, 'authorization_pending']);
  const browser = createBrowser();
  let page = await browser.open(device.verification_uri_complete);
  page = await browser.submit(page, { login: 'sub-of-ida', password: 'any' });
  expect((await poll()).status).toBe(400);
  expect((await browser.submit(page)).text).toContain('The device is logged in');
  const done = await poll();
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('"user":"ida"')]);
  expect((await selfOf(parsed<{ access_token: string }>(done).access_token)).user).toMatchObject({
    name: 'ida',
  });
  expect((await poll()).status).toBe(400);
});

test('programs may send forms, as OAuth has it', async () => {
  const send = (path: string, body: string): Promise<Answer> =>
    fetchFrom(server.url + path, {
      method: 'POST',
      token: '',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  const device = parsed<DeviceAnswer>(await send('/auth/device', 'client_name=robot'));
  const code = `device_code=${encodeURIComponent(device.device_code)}`;
  const early = await send('/auth/device/token', code);
  expect([early.status, parsed<{ error: string }>(early).error]).toEqual([400, 'authorization_pending']);
  const twice = await send('/auth/device/token', `${code}&${code}`);
  expect([twice.status, parsed<{ error: string }>(twice).error]).toEqual([400, 'expired_token']);
});

test('refuses other requests', async () => {
  for (const path of ['/auth/token', '/auth/device/token'])
    for (const body of [
      {},
      { code: 5, device_code: {} },
      { code: 'x', code_verifier: 'y', device_code: 'z' },
    ])
      expect((await post(path, body)).status).toBe(400);
  const broken = await fetchFrom(`${server.url}/auth/token`, { method: 'POST', token: '', body: '{' });
  expect([broken.status, parsed<{ error: string }>(broken).error]).toEqual([400, 'invalid_request']);
  for (const body of ['null', '[]', '"code"', '5'])
    expect((await fetchFrom(`${server.url}/auth/token`, { method: 'POST', token: '', body })).status).toBe(
      400,
    );
  expect((await fetchFrom(`${server.url}/auth/token`, { token: '' })).status).toBe(405);
  expect((await fetchFrom(`${server.url}/auth/other`, { token: '' })).status).toBe(404);
  expect((await fetchFrom(`${server.url}/version`, { token: '' })).status).toBe(401);
});

describe('an answer of the provider', () => {
  const binding = {
    state: 'state-of-the-question',
    nonce: 'nonce-of-the-question',
    verifier: 'v'.repeat(43),
  };

  test.each<[string, Partial<typeof binding>, boolean]>([
    ['that belongs to the question', {}, true],
    ['to another state', { state: 'other' }, false],
    ['to another nonce', { nonce: 'other' }, false],
    ['to another verifier', { verifier: 'w'.repeat(43) }, false],
  ])('%s', async (_what, other, good) => {
    account('jill');
    const provider = openProvider({
      ...LOGIN_SETTINGS,
      issuer: idp.issuer,
      authorities: idp.authority,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      scopes: ['openid', 'profile'],
    });
    const browser = atCallback();
    const form = await browser.open(await provider.authorizationUrl(`${server.url}/auth/callback`, binding));
    const { headers } = await browser.submit(form, { login: 'sub-of-jill', password: 'any' });
    const redeemed = provider.redeem(new URL(headers.location as string), { ...binding, ...other });
    if (good)
      expect((await redeemed).claims).toMatchObject({ sub: 'sub-of-jill', preferred_username: 'jill' });
    else await expect(redeemed).rejects.toMatchObject({ name: 'LoginFailure', code: 400 });
  });
});

test('a provider that is away is reported', async () => {
  idp.stop();
  await server.restart();
  const page = await createBrowser().open(`${server.url}/auth/login`);
  expect([page.status, page.text.includes('The identity provider cannot be reached.')]).toEqual([502, true]);
});
