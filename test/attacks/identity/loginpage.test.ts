/**
 * The page that asks for confirmation before a program on the user's machine gets a key: only the user can confirm it.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createBrowser, type Browser, type Page } from '../../fixtures/console/browser.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import {
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { fetchFrom, type Answer } from '../../fixtures/servers/server.js';

const COOKIE = '__Host-login';
const REDIRECT = 'http://127.0.0.1:43210/';
const challenge = createHash('sha256').update('verifier').digest('base64url');

let engine: EngineServer;
let provider: IdentityProvider;
const directory = mkdtempSync(join(tmpdir(), 'login-page-'));

beforeAll(async () => {
  provider = await startIdentityProvider();
  engine = await startEmbedded({ flags: [loginFlag(directory, provider)] });
  await provider.serve(engine.server.url);
  provider.accounts.set('sub-of-anna', { preferred_username: 'anna', name: 'anna', email: 'a@x.example' });
});
afterAll(async () => {
  await engine?.remove();
  provider?.stop();
  rmSync(directory, { recursive: true });
});

async function asked(more = ''): Promise<{ page: Page; browser: Browser }> {
  const browser = createBrowser((url) => url.protocol === 'http:');
  const query = `?redirect_uri=${encodeURIComponent(REDIRECT)}&code_challenge=${challenge}&state=s${more}`;
  const form = await browser.open(`${engine.server.url}/auth/login${query}`);
  return { browser, page: await browser.submit(form, { login: 'sub-of-anna', password: 'any' }) };
}
const ticketOf = ({ text }: Page): string => /name="ticket" value="([^"]*)"/.exec(text)?.[1] ?? '';
function confirm(body: object, headers: Record<string, string> = {}): Promise<Answer> {
  return fetchFrom(`${engine.server.url}/auth/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(body as Record<string, string>).toString(),
  });
}

test('names the program that asks, and can be neither framed nor steered', async () => {
  const { page } = await asked(`&client_name=${encodeURIComponent('<script>alert(1)</script>\u202eevil')}`);
  expect(page.status).toBe(200);
  expect(page.url.startsWith(engine.server.url)).toBe(true);
  expect(page.text).toContain('127.0.0.1:43210');
  expect(page.text).toContain('<b>anna</b>');
  expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;evil');
  expect(page.text).not.toContain('code=');
  const policy = page.headers['content-security-policy'] as string;
  expect(policy).toContain(`form-action 'self' http://127.0.0.1:43210`);
  expect(policy).toContain(`frame-ancestors 'none'`);
  expect(policy).toMatch(/^default-src 'none'/);
  expect(page.headers['x-frame-options']).toBe('DENY');
  expect(page.headers['set-cookie']?.[0]).toMatch(/SameSite=Strict/);
});

test('hands over a code for a click, and a refusal for the other', async () => {
  const first = await asked();
  const allowed = await first.browser.submit(first.page);
  expect(allowed.status).toBe(303);
  expect(allowed.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:43210\/\?code=[^&]+&state=s$/);
  const second = await asked();
  const refused = await second.browser.submit(second.page, { decision: 'deny' });
  expect(refused.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:43210\/\?error=access_denied&/);
});

test('takes no form of another site, browser or login', async () => {
  const [mine, other] = [await asked(), await asked()];
  const cookie = `${COOKIE}=${mine.browser.cookie(engine.server.url, COOKIE) ?? ''}`;
  const ticket = ticketOf(mine.page);
  const answers = await Promise.all([
    confirm({ ticket }),
    confirm({ ticket: ticketOf(other.page) }, { cookie }),
    confirm({ ticket: `x${ticket}` }, { cookie }),
    confirm({}, { cookie }),
    confirm({ ticket }, { cookie, 'sec-fetch-site': 'cross-site' }),
    confirm({ ticket }, { cookie, 'sec-fetch-site': 'same-site' }),
    confirm({ ticket }, { cookie: `${COOKIE}=${ticket}` }),
    confirm({ ticket }, { cookie, 'content-type': 'text/plain' }),
    fetchFrom(`${engine.server.url}/auth/confirm?ticket=${ticket}`, { headers: { cookie } }),
  ]);
  for (const { status, headers } of answers) {
    expect([400, 405]).toContain(status);
    expect(headers.location).toBeUndefined();
  }
  expect((await confirm({ ticket }, { cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(303);
});

test.each([
  'http://localhost:1/',
  'http://127.0.0.2:1/',
  'http://[::2]:1/',
  'http://127.0.0.1.x.example/',
  'http://10.0.0.1:1/',
])('hands nothing to %s', async (redirect) => {
  const query = `?redirect_uri=${encodeURIComponent(redirect)}&code_challenge=${challenge}&state=s`;
  expect((await createBrowser().open(`${engine.server.url}/auth/login${query}`)).status).toBe(400);
});

describe('a device', () => {
  interface Device {
    readonly device_code: string;
    readonly user_code: string;
    readonly verification_uri: string;
    readonly verification_uri_complete: string;
  }
  const post = (path: string, body: object): Promise<Answer> =>
    fetchFrom(`${engine.server.url}${path}`, { method: 'POST', token: '', body: JSON.stringify(body) });
  const begun = async (body: object = {}): Promise<Device> =>
    JSON.parse((await post('/auth/device', body)).text) as Device;
  const polled = async ({ device_code }: Device): Promise<[number, string | undefined]> => {
    const { status, text } = await post('/auth/device/token', { device_code });
    const { error, user } = JSON.parse(text) as { error?: string; user?: string };
    return [status, error ?? user];
  };
  async function opened(url: string): Promise<{ page: Page; browser: Browser }> {
    const browser = createBrowser();
    const form = await browser.open(url);
    return { browser, page: await browser.submit(form, { login: 'sub-of-anna', password: 'any' }) };
  }
  const PENDING = [400, 'authorization_pending'];

  test('gets its key after a page that says what asks, from where, and its code', async () => {
    const device = await begun({ client_name: '<b>tv</b>\u202e' });
    for (const url of [device.verification_uri, device.verification_uri_complete]) {
      const { page } = await opened(url);
      expect([page.status, page.url.startsWith(engine.server.url)]).toEqual([200, true]);
      for (const said of [
        'another device',
        device.user_code,
        '127.0.0.1',
        '&lt;b&gt;tv&lt;/b&gt;',
        '<b>anna</b>',
      ])
        expect(page.text).toContain(said);
      expect(page.text).not.toContain(device.device_code);
      expect(page.headers['content-security-policy']).toContain(`form-action 'self';`);
      expect(page.headers['x-frame-options']).toBe('DENY');
      // A login alone is no confirmation.
      expect(await polled(device)).toEqual(PENDING);
    }
    const { page, browser } = await opened(device.verification_uri_complete);
    expect((await browser.submit(page)).text).toContain('The device is logged in');
    expect(await polled(device)).toEqual([200, 'anna']);
    expect(await polled(device)).toEqual([400, 'invalid_grant']);
  });

  test('gets nothing if the person refuses, nor by a form of another site', async () => {
    const device = await begun();
    const first = await opened(device.verification_uri);
    expect((await first.browser.submit(first.page, { decision: 'deny' })).text).toContain('not logged in');
    const [mine, other] = [await opened(device.verification_uri), await asked()];
    const cookie = `${COOKIE}=${mine.browser.cookie(engine.server.url, COOKIE) ?? ''}`;
    const ticket = ticketOf(mine.page);
    const answers = await Promise.all([
      confirm({ ticket }),
      confirm({ ticket: ticketOf(other.page) }, { cookie }),
      confirm({ ticket: device.device_code }, { cookie }),
      confirm({ ticket: device.verification_uri.split('/').at(-1) }, { cookie }),
      confirm({ ticket }, { cookie, 'sec-fetch-site': 'cross-site' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
    expect(await polled(device)).toEqual(PENDING);
  });

  test('is no other: links, codes and keys do not stand for each other', async () => {
    const [device, other] = [await begun(), await begun()];
    const link = device.verification_uri.split('/').at(-1) ?? '';
    expect(await polled({ ...device, device_code: link })).toEqual([400, 'expired_token']);
    for (const url of [
      `${device.verification_uri}?user_code=${other.user_code}`,
      `${engine.server.url}/auth/device/${device.device_code}`,
      `${device.verification_uri}x`,
      `${engine.server.url}/auth/device/x`,
    ])
      expect((await createBrowser().open(url)).status).toBe(400);
    const { page, browser } = await opened(device.verification_uri);
    await browser.submit(page);
    expect(await polled(other)).toEqual(PENDING);
    // A key that was deleted before the program fetched it cannot be fetched any more.
    const keys = '/apis/management.svc.example/v1/ownedaccesskeys';
    const { text } = await fetchFrom(`${engine.server.url}${keys}`);
    const { items } = JSON.parse(text) as {
      items: { metadata: { name: string }; spec: { displayName: string } }[];
    };
    const waiting = items.filter(({ spec }) => spec.displayName.includes('not fetched'));
    expect(waiting).toHaveLength(1);
    await fetchFrom(`${engine.server.url}${keys}/${waiting[0]?.metadata.name}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { disabled: true } }),
    });
    expect(await polled(device)).toEqual([400, 'invalid_grant']);
  });
});
