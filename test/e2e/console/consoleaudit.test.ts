/**
 * The audit page of the console, in Chromium: its results for users with different rights, and its message if there is
 * no audit log.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import {
  axeViolations,
  neededChromium,
  overflow,
  picture,
  settled,
  tabTo,
  visit,
  launchChromium,
  logInPerson,
} from '../../fixtures/console/chromium.js';
import { client } from '../../fixtures/clients/client.js';
import { API, HOSTILE, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';
import { startServer } from '../../fixtures/servers/server.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

(neededChromium() ? describe : describe.skip)('the audit page', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
    for (let at = 0; at < 130; at += 1)
      await on.admin.send('POST', MAPS, { metadata: { name: `map-${at}` } });
    await client(on.server, on.keyOf.bob).send('GET', `${MAPS}/map-7`, undefined, { 'user-agent': HOSTILE });
  });
  afterAll(() => on?.remove());

  test('finds events by the filters of the form, which are in the URL', async () => {
    const { page, violations } = await on.logIn('ruth');
    await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.getByRole('combobox', { name: 'User' }).fill('bob');
    await page.getByLabel('Status code').fill('403');
    await page.getByLabel('From', { exact: true }).fill('2026-01-01T00:00');
    await page.keyboard.press('Enter');
    await page.getByText('1 event of the log of').waitFor();
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('user')).toBe('bob');
    expect(searchParams.get('after')).toMatch(/^(2025-12-31|2026-01-01)T\d\d:\d\d:00Z$/);
    await page.reload();
    await page.getByText('1 event of the log of').waitFor();
    expect(await page.getByLabel('Status code').inputValue()).toBe('403');
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-01-01T00:00');
    await page.getByText('The same on the command line').click();
    await page.getByText(/^platform audit --user=bob --code=403 --after=\S+Z$/).waitFor();
    await tabTo(page, 'get configmaps/map-7');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('User "bob" cannot get resource').first().waitFor();
    await dialog.getByText('"apiVersion": "audit.k8s.io/v1"').waitFor();
    expect(await dialog.textContent()).toContain(HOSTILE);
    expect(await page.locator('img, main script').count()).toBe(0);
    await picture(page, 'auditevent-light');
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByText(/^\d+ events of the log of/).waitFor();
    expect(violations).toEqual([]);
  });

  test('begins with changes, and leads to reads of secrets, to what was refused, and to everything', async () => {
    // Pages of somebody with few rights ask for lists in the background.
    const bob = await on.logIn('bob');
    for (const path of ['', 'clusters', 'users', 'grouprules', 'secrets']) {
      await visit(bob.page, `/console/${path}`);
      await settled(bob.page);
    }
    // Whoever asks without the console is not left out.
    expect((await client(on.server, on.keyOf.bob).send('GET', `${API}/grouprules`)).status).toBe(403);
    const { page } = await on.logIn('ruth');
    await on.admin.send('GET', `${API}/namespaces/default/sharedsecrets/database`);
    await visit(page, '/console/audit');
    const found = async (question: string): Promise<string[]> => {
      await page.getByRole('link', { name: question, exact: true }).click();
      await page.locator('[aria-current]', { hasText: question }).waitFor();
      await page.getByText(/^\d+ events? of the log of/).waitFor();
      await settled(page);
      return page.locator('.audited button.link').allTextContents();
    };
    expect(await page.locator('.button[aria-current]').textContent()).toBe('Changes');
    const changes = await found('Changes');
    expect(changes).toContain('create configmaps/map-129');
    expect(changes.filter((text) => /^(get|list|watch) |reviews/.test(text))).toEqual([]);
    const reads = await found('Reads of secrets');
    expect(reads).toContain('get sharedsecrets/database');
    expect(reads.filter((text) => !/^get (shared|project)?secrets\//.test(text))).toEqual([]);
    const refused = await found('Refused');
    expect(refused).toContain('get configmaps/map-7');
    expect(refused.filter((text) => /^(list|watch) /.test(text))).toEqual(['list grouprules']);
    expect(await found('All requests')).toContain('create selfsubjectaccessreviews');
    await visit(page, '/console/audit?verb=list&resource=sharedsecrets&user=bob');
    await page.getByRole('button', { name: 'list sharedsecrets' }).first().waitFor();
    await visit(page, '/console/audit?verb=list&resource=clusters&user=bob&code=403');
    await page.getByRole('button', { name: 'list clusters' }).first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  test('offers people, kinds and names, and is linked from the pages of objects and people', async () => {
    const { page, violations } = await on.logIn('ruth');
    await visit(page, '/console/audit');
    const field = (name: string) => page.getByRole('combobox', { name });
    await field('User').pressSequentially('bo');
    await page.getByRole('option', { name: 'bob' }).click();
    await field('Resource').pressSequentially('secr');
    await page.getByRole('option', { name: 'sharedsecrets' }).click();
    await field('Name').pressSequentially('data');
    await page.getByRole('option', { name: 'database' }).waitFor();
    await picture(page, 'auditoffers-light');
    await page.getByRole('option', { name: 'database' }).click();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL(/user=bob&resource=sharedsecrets&name=database$/);
    await visit(page, '/console/secrets/default/database');
    await page.getByRole('link', { name: 'Audit of this object' }).click();
    await page
      .getByRole('button', { name: / sharedsecrets\/database/ })
      .first()
      .waitFor();
    expect(new URL(page.url()).search).toBe(
      '?about=All&resource=sharedsecrets&namespace=default&name=database',
    );
    await visit(page, '/console/users/bob');
    await page.getByRole('link', { name: 'Audit of this person' }).click();
    await page.getByText(/^\d+ events? of the log of/).waitFor();
    expect(new URL(page.url()).search).toBe('?about=All&user=bob');
    expect(violations).toEqual([]);
    const bob = await on.logIn('bob');
    await visit(bob.page, '/console/users/bob');
    await bob.page.getByRole('link', { name: 'Who can?' }).waitFor();
    await settled(bob.page);
    expect(await bob.page.getByRole('link', { name: 'Audit of this person' }).count()).toBe(0);
  });

  test('keeps a time as it is typed, in years before time zones and where the clock changes', async () => {
    const { page } = await on.logIn('ruth', { timezone: 'Europe/Berlin' });
    await visit(page, '/console/audit');
    const from = page.getByLabel('From', { exact: true });
    for (const typed of ['0002-01-01T00:00', '1890-06-15T12:34', '2026-03-29T02:30', '2026-10-25T02:30']) {
      await from.fill(typed);
      expect(await from.inputValue()).toBe(typed);
    }
    await from.fill('1890-02-01T10:15');
    await picture(page, 'audittime-light');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL(/after=1890-02-01T09/);
    expect(await from.inputValue()).toBe('1890-02-01T10:15');
    await visit(page, '/console/audit?after=1890-02-01T09%3A15%3A30Z');
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    expect(await from.inputValue()).toBe('1890-02-01T10:08:58');
  });

  test('shows older events when the end of the list comes into sight', async () => {
    const { page } = await on.logIn('ruth');
    await visit(page, '/console/audit?resource=configmaps&verb=create');
    await page.getByText('100 events of the log of').waitFor();
    const row = page.getByRole('button', { name: /^create configmaps/ }).first();
    await row.waitFor();
    await page.getByRole('region', { name: 'Audit' }).press('End');
    await page.getByText('130 events of the log of').waitFor();
    await page.getByRole('button', { name: 'Search for older events' }).waitFor({ state: 'detached' });
  });

  test('says what is wrong with a filter, at its field', async () => {
    const { page } = await on.logIn('ruth');
    await visit(page, '/console/audit?code=4.*');
    const field = page.getByLabel('Status code');
    await page.locator('.fault', { hasText: 'spec.code' }).first().waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await visit(page, '/console/audit?user=nobody-at-all');
    await page.getByText('No recorded event matches.').waitFor();
  });

  test('is in the menu of nobody else, and says so to whoever goes there', async () => {
    const { page } = await on.logIn('bob');
    await page.getByRole('navigation').getByRole('link', { name: 'Teams' }).waitFor();
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).count()).toBe(0);
    await visit(page, '/console/audit');
    await page.getByText('You may not read the audit log.').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await picture(page, 'auditrefused-light');
  });

  test('fits a narrow window, in German', async () => {
    const { page } = await on.logIn('ruth', { width: 320, dark: true });
    await page.addInitScript(`localStorage.setItem('console.language', 'de')`);
    await page.goto('/console/audit?user=bob&name=map-7');
    await page.getByText('1 Ereignis aus dem Protokoll').waitFor();
    await page.getByText('Filter', { exact: true }).click();
    expect(await overflow(page)).toBe(0);
    await picture(page, 'audit-german');
    expect(await axeViolations(page)).toEqual([]);
  });

  test('says where the log is that the server does not keep', async () => {
    const server = await startServer({ flags: ['--audit-log-path=-'] });
    const browser = await launchChromium();
    try {
      const keys = accessKeys(server);
      const accessKey = (await keys.createKey('admins', {})).spec.key as string;
      const person = await logInPerson(browser, server, { user: 'admin', accessKey });
      await visit(person.page, '/console/audit');
      await person.page.getByText('writes its audit log to standard output').waitFor();
      expect(await person.page.getByRole('table').count()).toBe(0);
    } finally {
      await browser.close();
      await server.remove();
    }
  });
});
