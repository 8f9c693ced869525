/** The end of a console session, and what remains on the page then; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import {
  axeViolations,
  launchChromium,
  neededChromium,
  openPerson,
  overflow,
  picture,
} from '../../fixtures/console/chromium.js';
import { API, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';
import { startServer } from '../../fixtures/servers/server.js';

const TYPED = 'typed-and-not-sent';

(neededChromium() ? describe : describe.skip)('the end of a session in the console', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
  });

  afterAll(() => on.remove());

  /** Ends the session at the server, as if it had expired. */
  async function endSession(page: Page): Promise<void> {
    const { accessKey } = await page.evaluate<{ accessKey: string }>(
      `fetch('/console/session').then((answer) => answer.json())`,
    );
    const { status } = await on.admin.send('DELETE', `${API}/ownedaccesskeys/${accessKey}`);
    expect(status).toBe(200);
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
  }

  async function logInAgain(page: Page, user: string): Promise<void> {
    await page.getByLabel('Access key').fill(on.keyOf[user] ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor({ state: 'detached' });
  }

  /** Opens a dialog, types without submitting, and ends the session. */
  async function endWhileTyping(width = 1280): Promise<Page> {
    const { page } = await on.logIn('ada', { width });
    await page.goto('/console/secrets/default/database');
    await page.getByRole('button', { name: 'Add an entry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Entry' }).fill('interrupted');
    await dialog.getByRole('textbox', { name: 'Value' }).fill(TYPED);
    await endSession(page);
    return page;
  }

  test('unsaved input is kept over a new login', async () => {
    const page = await endWhileTyping();
    await picture(page, 'loginagain-light');
    expect(await axeViolations(page)).toEqual([]);
    const covered = await page.evaluate<boolean>(
      `document.elementsFromPoint(20, 400)[0]?.closest('.hides') !== null`,
    );
    expect(covered).toBe(true);
    await logInAgain(page, 'ada');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('textbox', { name: 'Value' }).inputValue()).toBe(TYPED);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Reveal interrupted' }).waitFor();
    // The content of the page is live again, too.
    const merge = { 'content-type': 'application/merge-patch+json' };
    const spec = { data: { interrupted: null, later: 'bGF0ZXI=' } };
    await on.admin.send('PATCH', `${API}/namespaces/default/sharedsecrets/database`, { spec }, merge);
    await page.getByRole('button', { name: 'Reveal later' }).waitFor();
  });

  test('another user who logs in finds nothing of it', async () => {
    const page = await endWhileTyping(320);
    expect(await overflow(page)).toBe(0);
    await page.getByLabel('Access key').fill(on.keyOf.bob ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Account: bob' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.content()).not.toContain(TYPED);
  });

  test('it can be discarded', async () => {
    const page = await endWhileTyping();
    await page.getByRole('button', { name: 'Discard it, and log in anew' }).click();
    await page.getByRole('heading', { name: 'Log in', exact: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('a login in one tab resumes all tabs that wait', async () => {
    const page = await endWhileTyping();
    const other = await page.context().newPage();
    await other.goto('/console/');
    await other.getByLabel('Access key').fill(on.keyOf.ada ?? '');
    await other.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe(TYPED);
  });

  test('the way back after a logout shows the login alone', async () => {
    const { page, context } = await on.logIn('ada');
    await page.goto('/console/secrets/default/database');
    await page.getByRole('button', { name: 'Share' }).waitFor();
    await page.goto('about:blank');
    const other = await context.newPage();
    await other.goto('/console/');
    await other.getByRole('button', { name: 'Account: ada' }).click();
    await other.getByRole('button', { name: 'Log out' }).click();
    await other.getByRole('heading', { name: 'Log in', exact: true }).waitFor();
    await other.goBack().catch(() => undefined);
    await page.goBack();
    await page.getByRole('heading', { name: 'Log in', exact: true }).waitFor();
    expect(await page.content()).not.toContain('database');
  });

  test.each([
    '//evil.example/',
    '/session/login?next=//evil.example',
    '/%5cevil.example?next=https:evil.example',
  ])('a login at /console%s leads nowhere else', async (path) => {
    const { page } = await on.logIn('bob');
    await page.context().clearCookies();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    await page.goto(`/console${path}`);
    await page.getByLabel('Access key').fill(on.keyOf.bob ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Account: bob' }).waitFor();
    expect([...new Set([...asked, new URL(page.url()).origin])]).toEqual([on.server.url]);
  });
});

(neededChromium() ? describe : describe.skip)('the name of a server', () => {
  test('is on every page from the login on, with the version, and gives the colour', async () => {
    const server = await startServer({ flags: ['--server-name=Staging of the shop'] });
    const browser = await launchChromium();
    try {
      const { page } = await openPerson(browser, server);
      await page.goto('/console/');
      const head = page.locator('.server-head');
      await head.getByText('Staging of the shop').waitFor();
      expect(await head.textContent()).toMatch(/version \d/);
      await page.getByText('the console of Staging of the shop').waitFor();
      const colour = await head.locator('rect').getAttribute('fill');
      expect(await axeViolations(page)).toEqual([]);
      await picture(page, 'loginname-light');
      await page.setViewportSize({ width: 320, height: 700 });
      expect(await overflow(page)).toBe(0);
      await page.setViewportSize({ width: 1280, height: 800 });
      const accessKey = (await accessKeys(server).createKey('admins', {})).spec.key as string;
      await page.getByLabel('Access key').fill(accessKey);
      await page.keyboard.press('Enter');
      await page.locator('.top .server').getByText('Staging of the shop').waitFor();
      expect(await page.locator('.top .brand rect').getAttribute('fill')).toBe(colour);
      await page.context().close();
    } finally {
      await browser.close();
      await server.remove();
    }
  });
});
