/**
 * The console behind a proxy that terminates TLS, like an Ingress: everything works as without a proxy, including
 * watches; in Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import { launchChromium, logInPerson, neededChromium } from '../../fixtures/console/chromium.js';
import { client } from '../../fixtures/clients/client.js';
import { object } from '../../fixtures/console/consolestage.js';
import { describeWith } from '../../fixtures/program.js';
import { startNginx } from '../../fixtures/servers/nginx.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { startTlsProxy, type TlsProxy } from '../../fixtures/servers/tlsproxy.js';

const API = '/apis/management.svc.example/v1';
const SECRETS = `${API}/namespaces/default/sharedsecrets`;

(neededChromium() ? describe : describe.skip)('the console behind a proxy', () => {
  let server: ServerFixture;
  let browser: Browser;
  let accessKey = '';

  beforeAll(async () => {
    server = await startServer();
    browser = await launchChromium();
    const keys = accessKeys(server);
    await keys.createUser('ada');
    accessKey = (await keys.createKey('ada-key', { user: 'ada' })).spec.key as string;
    await plant('database');
  });
  afterAll(async () => {
    await browser?.close();
    await server?.remove();
  });

  async function plant(name: string): Promise<void> {
    const spec = { owner: { user: 'ada' } };
    const made = await client(server).send('POST', SECRETS, object('SharedSecret', { name }, spec));
    expect([made.status, made.text]).toEqual([201, expect.anything()]);
  }

  /** Logs in, watches, writes and logs out. `name`: of a secret that is created during the watch. */
  async function works(proxy: TlsProxy, name: string): Promise<void> {
    const { page, context, violations } = await logInPerson(browser, proxy, { user: 'ada', accessKey });
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({
      name: '__Host-console',
      domain: 'localhost',
      secure: true,
      httpOnly: true,
    });
    await page.goto('/console/secrets');
    await page.getByRole('link', { name: 'database' }).waitFor();
    await plant(name);
    await page.getByRole('link', { name }).click();
    await page.getByRole('button', { name: 'Add an entry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Entry' }).fill('token');
    await dialog.getByRole('button', { name: 'Generate' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Reveal token' }).waitFor();
    await page.getByRole('button', { name: 'Account: ada' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(violations).toEqual([]);
    await context.close();
  }

  test.each([
    ['passes the host on', 'kept'],
    ['names the server by another host', 'replaced'],
  ] as const)('works through a proxy that %s', async (_what, host) => {
    const proxy = await startTlsProxy({ target: server.url, host });
    try {
      await works(proxy, `fresh-${host}`);
    } finally {
      await proxy.stop();
    }
  });

  describeWith('nginx')('that is nginx', () => {
    test('events of watches come at once, though it collects answers', async () => {
      const proxy = await startNginx({ target: server.url, readTimeout: 60 });
      try {
        await works(proxy, 'through-nginx');
      } finally {
        await proxy.stop();
      }
    });

    test('watches that it ends go on', async () => {
      const proxy = await startNginx({ target: server.url, readTimeout: 1 });
      try {
        const { page, context } = await logInPerson(browser, proxy, { user: 'ada', accessKey });
        const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('watch='));
        await page.goto('/console/secrets');
        await ended;
        await plant('after-timeout');
        await page.getByRole('link', { name: 'after-timeout' }).waitFor();
        await context.close();
      } finally {
        await proxy.stop();
      }
    });
  });
});
