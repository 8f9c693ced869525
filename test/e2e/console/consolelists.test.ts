/**
 * Lists of the console: sorted, filtered, and many objects shared, disabled or deleted at once; who changed one last;
 * and the page of an access key; in Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  neededChromium,
  overflow,
  cutBy,
  picture,
  settled,
  visit,
} from '../../fixtures/console/chromium.js';
import { client } from '../../fixtures/clients/client.js';
import { API, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

const SHARED = `${API}/namespaces/default/sharedsecrets`;

const namesIn = (page: Page): Promise<string[]> => page.locator('.row-body a').allTextContents();

(neededChromium() ? describe : describe.skip)('lists of the console', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
    const spec = { owner: { user: 'ada' } };
    for (const name of ['part-10', 'part-9', 'part-1'])
      expect(
        (await on.send('/namespaces/default/sharedsecrets', object('SharedSecret', { name }, spec))).status,
      ).toBe(201);
    const ofProject = object('ProjectSecret', { name: 'part-2' }, spec);
    expect((await on.send('/namespaces/loft-p-web/projectsecrets', ofProject)).status).toBe(201);
    const bobs = { owner: { user: 'bob' }, access: [{ verbs: ['get'], users: ['ada'] }] };
    expect(
      (await on.send('/namespaces/default/sharedsecrets', object('SharedSecret', { name: 'part-3' }, bobs)))
        .status,
    ).toBe(201);
  });

  afterAll(() => on?.remove());

  test('are sorted by a column, in the URL', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, '/console/secrets?q=part');
    await page.getByText('5 of 7 secrets').waitFor();
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor();
    expect(await namesIn(page)).toEqual(['part-1', 'part-2', 'part-3', 'part-9', 'part-10']);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.locator('[aria-sort=descending]').waitFor();
    expect(await namesIn(page)).toEqual(['part-10', 'part-9', 'part-3', 'part-2', 'part-1']);
    expect(new URL(page.url()).search).toBe('?q=part&sort=-name');
    await page.reload();
    await page.getByText('5 of 7 secrets').waitFor();
    expect(await namesIn(page)).toEqual(['part-10', 'part-9', 'part-3', 'part-2', 'part-1']);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.locator('[aria-sort=descending]').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?q=part');
  });

  test('show e-mails whole beside columns that are empty', async () => {
    const email = 'kimberly.sample@example.com';
    expect((await on.send('/users', object('User', { name: 'kim' }, { email }))).status).toBe(201);
    const { page } = await on.logIn('ruth');
    await visit(page, '/console/users');
    const cell = page.getByRole('cell', { name: email });
    await cell.waitFor();
    await settled(page);
    await picture(page, 'users-wide');
    expect(await cutBy(cell)).toBe(0);
  });

  test('scroll beside their first column on a phone, with whole lines between rows', async () => {
    const { page } = await on.logIn('ruth', { width: 320 });
    await visit(page, '/console/users');
    await page.getByRole('cell', { name: 'kim', exact: true }).waitFor();
    const scroller = page.getByRole('region', { name: 'Users' });
    await scroller.evaluate((region: { scrollLeft: number }) => void (region.scrollLeft = 180));
    await settled(page);
    await picture(page, 'users-phone-scrolled');
    // The last row has no line.
    for (const row of (await scroller.getByRole('row').all()).slice(0, -1)) {
      const { y = 0, height = 0 } = (await row.boundingBox()) ?? {};
      const first = (await row.locator('.first').boundingBox()) ?? { y: 0, height: 0 };
      // The line is the last px of the row.
      expect(first.y + first.height).toBeLessThanOrEqual(y + height - 1);
    }
  });

  test.each([
    ['light', {}],
    ['narrow-dark', { width: 320, dark: true }],
  ] as const)('rows are selected, with the keyboard as well, %s', async (look, options) => {
    const { page } = await on.logIn('ada', options);
    await visit(page, '/console/secrets?q=part');
    await page.getByText('5 of 7 secrets').waitFor();
    await page.getByRole('checkbox', { name: 'Select default/part-1', exact: true }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('checkbox', { name: 'Select default/part-3' }).check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Delete 1' }).waitFor();
    await page.getByText('You may not delete 1 of these.').waitFor();
    await page.getByText('You may not change 1 of these.').waitFor();
    await settled(page);
    await picture(page, `selected-${look}`);
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Delete 1' }).click();
    const asked = page.getByRole('alertdialog');
    await asked.getByText('Delete the secret default/part-1?').waitFor();
    await asked.getByLabel('Type part-1 to go on').waitFor();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('searchbox').fill('part-3');
    await page.getByText('1 selected').waitFor();
    await page.getByRole('searchbox').fill('part');
    await page.getByText('5 of 7 secrets').waitFor();
    expect(await page.getByText('1 selected').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Select none' }).click();
    await page.getByText('1 selected').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.className')).toBe('rows');
  });

  test('many are shared and deleted at once, as far as the person may', async () => {
    const { page, violations } = await on.logIn('ada');
    await visit(page, '/console/secrets?q=part');
    await page.getByText('5 of 7 secrets').waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText('5 selected').waitFor();
    await page.getByRole('button', { name: 'Share 4' }).click();
    const share = page.getByRole('dialog');
    await share.getByRole('combobox', { name: 'Users' }).fill('bob');
    await page.keyboard.press('Tab');
    await picture(page, 'sharemany-light');
    expect(await axeViolations(page)).toEqual([]);
    await share.getByRole('button', { name: 'Share', exact: true }).click();
    await share.waitFor({ state: 'detached' });
    const bob = client(on.server, on.keyOf.bob);
    expect((await bob.send('GET', `${SHARED}/part-9`)).status).toBe(200);
    expect((await bob.send('GET', `${API}/namespaces/loft-p-web/projectsecrets/part-2`)).status).toBe(200);
    await page.getByRole('button', { name: 'Delete 4' }).click();
    const asked = page.getByRole('alertdialog');
    await asked
      .getByText('Delete default/part-1, default/part-10, default/part-9, loft-p-web/part-2? Their values')
      .waitFor();
    expect(await asked.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await picture(page, 'deletemany-light');
    await asked.getByLabel('Type 4 to go on').fill('4');
    await asked.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 of 3 secrets').waitFor();
    expect(await namesIn(page)).toEqual(['part-3']);
    expect((await on.admin.send('GET', `${SHARED}/part-9`)).status).toBe(404);
    expect((await on.admin.send('GET', `${SHARED}/part-3`)).status).toBe(200);
    expect(violations).toEqual([]);
  });

  test('one that was never read does not say that it is empty', async () => {
    const { page } = await on.logIn('ada');
    const reads = `**/console/api${API}/teams?*`;
    await page.route(reads, (route) => route.abort());
    await visit(page, '/console/teams');
    await page.getByText('It is asked again and again, and this page appears when it answers.').waitFor();
    expect(await page.locator('.empty').count()).toBe(0);
    expect(await page.getByText(/\d+ teams?/).count()).toBe(0);
    await page.unroute(reads);
    await page
      .getByText(/\d+ teams?/)
      .or(page.locator('.empty'))
      .first()
      .waitFor();
  });

  test('who changed it last is a person for whoever may read the audit log, else a program', async () => {
    const ada = client(on.server, on.keyOf.ada);
    const merge = { 'content-type': 'application/merge-patch+json', 'user-agent': 'tool/1.0' };
    const changed = await ada.send(
      'PATCH',
      `${SHARED}/database`,
      { spec: { description: 'Changed.' } },
      merge,
    );
    expect(changed.status).toBe(200);
    const { page } = await on.logIn('ruth');
    await visit(page, '/console/secrets/default/database');
    const history = page.getByRole('region', { name: 'Who changed what last' });
    await history.getByRole('cell', { name: 'ada with tool' }).waitFor();
    await picture(page, 'history-light');
    const asAda = await on.logIn('ada');
    await visit(asAda.page, '/console/secrets/default/database');
    const own = asAda.page.getByRole('region', { name: 'Who changed what last' });
    await own.getByRole('cell', { name: 'tool', exact: true }).waitFor();
    await settled(asAda.page);
    expect(await own.getByText('with tool').count()).toBe(0);
  });
});

(neededChromium() ? describe : describe.skip)('access keys in the console', () => {
  let on: ConsoleStage;
  const keyOf: Record<string, string> = {};

  beforeAll(async () => {
    on = await stageConsole();
    for (const name of ['ci', 'nightly', 'old'])
      keyOf[name] = (await on.keys.createKey(name, { user: 'ada', displayName: `The ${name} key` })).spec
        .key as string;
    const merge = { 'content-type': 'application/merge-patch+json' };
    const off = await on.admin.send(
      'PATCH',
      `${API}/ownedaccesskeys/old`,
      { spec: { disabled: true } },
      merge,
    );
    expect(off.status).toBe(200);
  });

  afterAll(() => on?.remove());

  test.each([
    ['light', {}],
    ['narrow-dark', { width: 320, dark: true }],
  ] as const)('are a table with filters, and have pages, %s', async (look, options) => {
    const { page } = await on.logIn('ada', options);
    await visit(page, '/console/accesskeys?q=the&sort=name');
    await page.getByRole('link', { name: 'The ci key' }).waitFor();
    expect(await namesIn(page)).toEqual(['The ci key', 'The nightly key', 'The old key']);
    await page.getByLabel('Show', { exact: true }).selectOption('Disabled');
    await page.getByRole('link', { name: 'The ci key' }).waitFor({ state: 'detached' });
    expect(await namesIn(page)).toEqual(['The old key']);
    expect(new URL(page.url()).search).toBe('?q=the&sort=name&show=disabled');
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Show', { exact: true }).selectOption('Logged in now');
    await page.getByText('This browser').waitFor();
    await page.getByLabel('Show', { exact: true }).selectOption('For programs and people');
    await page.getByRole('searchbox').fill('nightly');
    await page.getByText(/^1 of \d+ access keys/).waitFor();
    await settled(page);
    await picture(page, `keys-${look}`);
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByRole('link', { name: 'The nightly key' }).click();
    await page.getByRole('heading', { level: 1, name: 'The nightly key' }).waitFor();
    await page.getByText('It may do everything that its owner may do.').waitFor();
    await page.getByRole('button', { name: 'Rotate' }).waitFor();
    await settled(page);
    await picture(page, `key-${look}`);
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
  });

  test('a key is rotated: the new value is shown once and works, and the old one ends at once', async () => {
    const { page, violations, said } = await on.logIn('ada');
    await visit(page, '/console/accesskeys/ci');
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('This is the new value. It is shown only now').waitFor();
    await picture(page, 'rotatedkey-light');
    await dialog.getByRole('button', { name: 'Copy Access key' }).click();
    const rotated = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(rotated).toMatch(/^mk_[0-9A-Za-z]{46}$/);
    on.keys.planted.push(rotated);
    const path = `${API}/namespaces/default/sharedsecrets/database`;
    expect((await client(on.server, keyOf.ci).send('GET', path)).status).toBe(200);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await client(on.server, rotated).send('GET', path)).status).toBe(200);
    expect((await client(on.server, keyOf.ci).send('GET', path)).status).toBe(401);
    expect((await page.content()) + said.join()).not.toContain(rotated);
    expect(violations).toEqual([]);
  });

  test('the key that one is logged in with is shown before it is rotated, and logs in again', async () => {
    const { page } = await on.logIn('bob');
    await visit(page, '/console/accesskeys/bob-key');
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('your session ends with this').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByText('your session ends with this').waitFor();
    await dialog.getByRole('button', { name: 'Reveal' }).click();
    const rotated = (await dialog.getByLabel('Access key', { exact: true }).textContent()) ?? '';
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Log in again' }).waitFor();
    await page.getByLabel('Access key', { exact: true }).fill(rotated);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Log in again' }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'bob-key' }).waitFor();
  });

  test('many are disabled and deleted at once, and one that fails is told', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, '/console/accesskeys?q=key&sort=name');
    await page.getByRole('checkbox', { name: 'Select nightly' }).check();
    await page.getByRole('checkbox', { name: 'Select ci' }).check();
    await page.getByRole('checkbox', { name: 'Select ada-key' }).check();
    const asked = page.getByRole('alertdialog');
    const patches = `**/console/api${API}/ownedaccesskeys/*`;
    await page.route(patches, (route) => route.abort());
    await page.getByRole('button', { name: 'Disable 2' }).click();
    await asked.getByText('Disable ci, nightly?').waitFor();
    await asked.getByRole('button', { name: 'Disable' }).click();
    await asked.getByText('2 failed. ci: The server cannot be reached.').waitFor();
    await page.unroute(patches);
    let release = (): void => undefined;
    const stopped = new Promise<void>((resolve) => (release = resolve));
    await page.route(patches, (route) => stopped.then(() => route.continue()));
    await asked.getByRole('button', { name: 'Disable' }).click();
    await asked.getByText('0 of 2').waitFor();
    await page.keyboard.press('Escape');
    await asked.getByRole('button', { name: 'Stop' }).click();
    release();
    await asked.getByText('Stopped after 1 of 2.').waitFor();
    await page.unroute(patches);
    await asked.getByRole('button', { name: 'Disable' }).click();
    await asked.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'The ci key' }).getByText('Disabled').waitFor();
    await page.getByRole('row', { name: 'The nightly key' }).getByText('Disabled').waitFor();
    await page.getByRole('checkbox', { name: 'Select ada-key' }).uncheck();
    await page.getByRole('button', { name: 'Delete 2' }).click();
    await asked.getByLabel('Type 2 to go on').fill('2');
    await asked.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'The ci key' }).waitFor({ state: 'detached' });
    expect((await on.admin.send('GET', `${API}/ownedaccesskeys/ci`)).status).toBe(404);
  });

  test('on a phone the pages are in a menu', async () => {
    const { page } = await on.logIn('ada', { width: 320 });
    await visit(page, '/console/accesskeys');
    await page.getByRole('heading', { level: 1, name: 'Access keys' }).waitFor();
    const menu = page.getByRole('button', { name: 'Menu' });
    const link = page.getByRole('navigation').getByRole('link', { name: 'Projects' });
    expect(await link.isVisible()).toBe(false);
    await menu.click();
    await link.waitFor();
    await picture(page, 'menu-narrow');
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
    await link.focus();
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-controls')`)).toBe('menu');
    await menu.click();
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await link.waitFor({ state: 'hidden' });
    const row = page.getByRole('row', { name: 'web' });
    await row.getByRole('cell', { name: 'ada' }).scrollIntoViewIfNeeded();
    expect(await row.getByRole('cell', { name: 'ada' }).isVisible()).toBe(true);
    await picture(page, 'wholetable-narrow');
    expect(await overflow(page)).toBe(0);
  });
});
