/** The page that asks a person before a program on their machine gets a key: nothing answers in their place. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from '../fixtures/browser.js';
import { createBrowser } from '../fixtures/browser.js';
import type { EngineServer } from '../fixtures/engines.js';
import { ENGINES } from '../fixtures/engines.js';
import type { IdentityProvider } from '../fixtures/identityprovider.js';
import { CLIENT, startIdentityProvider } from '../fixtures/identityprovider.js';
import type { Answer } from '../fixtures/server.js';
import { fetchFrom } from '../fixtures/server.js';

const COOKIE = '__Host-login';
const REDIRECT = 'http://127.0.0.1:43210/';
const challenge = createHash('sha256').update('verifier').digest('base64url');

// A login is the same on every engine.
describe.each(ENGINES.slice(0, 1))('%s', (_engine, start) => {
  let engine: EngineServer;
  let provider: IdentityProvider;

  beforeAll(async () => {
    provider = await startIdentityProvider();
    const ca = join(tmpdir(), `provider-${process.pid}.pem`);
    writeFileSync(ca, provider.authority);
    const secret = join(tmpdir(), `provider-${process.pid}.secret`);
    writeFileSync(secret, CLIENT.secret);
    engine = await start({
      flags: [
        `--oidc-issuer-url=${provider.issuer}`,
        `--oidc-client-id=${CLIENT.id}`,
        `--oidc-client-secret-file=${secret}`,
        `--oidc-ca-file=${ca}`,
      ],
    });
    await provider.serve(engine.server.url);
    provider.accounts.set('sub-of-anna', { preferred_username: 'anna', name: 'anna', email: 'a@x.example' });
  }, 60_000);
  afterAll(async () => {
    await engine?.remove();
    provider?.stop();
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

  test('says who asks, and can be neither framed nor steered', async () => {
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
      confirm({ ticket: `${ticket}x` }, { cookie }),
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
});
