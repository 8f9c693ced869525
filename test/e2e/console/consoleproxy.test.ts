/** The console behind a proxy at which TLS ends, as at an Ingress: it works as without one, live; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import { launchChromium, logInPerson, neededChromium } from '../../fixtures/console/chromium.js';
import { client } from '../../fixtures/clients/client.js';
import { object } from '../../fixtures/console/consolestage.js';
import { startServer } from '../../fixtures/servers/server.js';
import type { ServerFixture } from '../../fixtures/servers/server.js';
import { startTlsProxy } from '../../fixtures/servers/tlsproxy.js';

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
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.remove();
  });

  async function plant(name: string): Promise<void> {
    const spec = { owner: { user: 'ada' } };
    const made = await client(server).send('POST', SECRETS, object('SharedSecret', { name }, spec));
    expect([made.status, made.text]).toEqual([201, expect.anything()]);
  }

  test.each([
    ['passes the host on', 'kept'],
    ['names the server by another host', 'replaced'],
  ] as const)(
    'that %s',
    async (_what, host) => {
      const proxy = await startTlsProxy({ target: server.url, host });
      try {
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
        await plant(`fresh-${host}`);
        await page.getByRole('link', { name: `fresh-${host}` }).click();
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
      } finally {
        await proxy.stop();
      }
    },
    60_000,
  );
});
