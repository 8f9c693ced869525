/**
 * The command palette of the console with only the keyboard: the actions that it offers to users, and logout; in
 * Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import {
  axeViolations,
  neededChromium,
  overflow,
  picture,
  tabTo,
  settled,
} from '../../fixtures/console/chromium.js';
import { API, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

(neededChromium() ? describe : describe.skip)('the command palette', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
  });

  afterAll(() => on?.remove());

  const palette = (page: Page) => page.getByRole('combobox', { name: 'Search pages, objects and actions' });

  /** Waits for a command and runs it. */
  async function command(page: Page, text: string): Promise<void> {
    await page.keyboard.press('Control+K');
    await palette(page).waitFor();
    await page.keyboard.type(text);
    await page.getByRole('option', { name: text, exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await palette(page).waitFor({ state: 'detached' });
  }

  test('makes a secret and a key, shows how a cluster is connected, and logs out', async () => {
    const { page, violations, said } = await on.logIn('ruth');
    const dialog = page.getByRole('dialog');
    await command(page, 'New secret');
    await dialog.getByRole('heading', { name: 'New secret' }).waitFor();
    await page.keyboard.type('by-palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'by-palette' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await command(page, 'New access key');
    await dialog.getByRole('heading', { name: 'New access key' }).waitFor();
    await page.keyboard.type('Typed');
    await page.keyboard.press('Enter');
    await dialog.getByText('This is shown only now.').waitFor();
    await tabTo(page, 'I have copied it');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const keys = await on.admin.send('GET', `${API}/ownedaccesskeys`);
    expect(keys.text).toContain('"displayName":"Typed"');
    await command(page, 'Connect a cluster');
    await dialog.getByRole('heading', { name: 'Connect a cluster' }).waitFor();
    await page.keyboard.type('west');
    await dialog
      .getByText('platform connect cluster west --image-repository REGISTRY/management-apiserver', {
        exact: true,
      })
      .waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await axeViolations(page)).toEqual([]);
    await command(page, 'Log out');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(violations).toEqual([]);
    expect(said.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test('sends a form once the server has said what is possible, when Enter was faster than its answer', async () => {
    const { page } = await on.logIn('ruth');
    const asked = new Promise<Route>((resolve) => {
      void page.route('**/ownedaccesskeys?dryRun=All', resolve, { times: 1 });
    });
    await command(page, 'New access key');
    const question = await asked;
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Fast');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Create', disabled: true }).waitFor();
    await question.continue();
    await dialog.getByText('This is shown only now.').waitFor();
    const keys = await on.admin.send('GET', `${API}/ownedaccesskeys`);
    expect(keys.text).toContain('"displayName":"Fast"');
  });

  test('finds objects of every kind by name and display name, and opens them', async () => {
    const { page, said } = await on.logIn('ruth');
    const secret = object('ProjectSecret', { name: 'deploy' }, { displayName: 'Deployment' });
    expect((await on.send('/namespaces/loft-p-web/projectsecrets', secret)).status).toBe(201);
    const rule = object('GroupRule', { name: 'shoppers' }, { claim: 'groups', values: ['x'], team: 'shop' });
    expect((await on.send('/grouprules', rule)).status).toBe(201);
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    for (const [typed, option, title] of [
      ['the datab', 'Secret: default/database The database', 'The database'],
      ['deployment', 'Project secret: web/deploy Deployment', 'Deployment'],
      ['project shop', 'Project: shop', 'shop'],
      ['staging', 'Space: web/staging Staging', 'Staging'],
      ['web dev', 'Virtual cluster: web/dev', 'dev'],
      ['cluster east', 'Cluster: east', undefined],
      ['user bob', 'User: bob', 'bob'],
      ['team shop', 'Team: shop', undefined],
      ['ada-key', 'Access key: ada-key', 'ada-key'],
      ['shoppers', 'Group rule: shoppers', 'shoppers'],
    ] as const) {
      await page.keyboard.press('Control+K');
      await palette(page).waitFor();
      await page.keyboard.type(typed);
      await page.getByRole('option', { name: option }).first().waitFor();
      await page.getByRole('option', { name: option }).first().click();
      await palette(page).waitFor({ state: 'detached' });
      if (title !== undefined) await heading(title);
    }
    expect(said.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test('shows the command that the arrows choose', async () => {
    const { page } = await on.logIn('ruth');
    await page.keyboard.press('Control+K');
    await palette(page).waitFor();
    await settled(page);
    await page.keyboard.press('ArrowUp');
    const last = page.getByRole('option', { selected: true });
    await last.and(page.getByRole('option').last()).waitFor();
    const [list, option] = [await page.locator('.palette').boundingBox(), await last.boundingBox()];
    expect((option?.y ?? Infinity) + (option?.height ?? 0)).toBeLessThanOrEqual(
      (list?.y ?? 0) + (list?.height ?? 0) + 1,
    );
  });

  test.each([
    ['light', {}],
    ['narrow-dark', { width: 320, dark: true }],
  ] as const)('offers only what the person may do, %s', async (look, options) => {
    const { page } = await on.logIn('bob', options);
    await page.keyboard.press('Control+K');
    await page.getByRole('option', { name: 'New access key' }).waitFor();
    await page.getByRole('option', { name: 'New secret' }).waitFor();
    await settled(page);
    await picture(page, `palette-${look}`);
    expect(await overflow(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.type('Connect a cluster');
    await page.getByText('Nothing matches.').waitFor();
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
  });
});
