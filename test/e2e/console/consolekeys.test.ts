/** New access keys in the console: what a person with a login that ends may make, and keys of a project; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  launchChromium,
  logInPerson,
  neededChromium,
  overflow,
  picture,
  settled,
  visit,
} from '../../fixtures/console/chromium.js';
import { API, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';
import { client } from '../../fixtures/clients/client.js';

/** A login of 20 hours. */
const LOGIN = 72_000;

(neededChromium() ? describe : describe.skip)('new access keys in the console', () => {
  let on: ConsoleStage;
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  let page: Page;
  let violations: readonly string[];

  const lifetimes = (): Promise<string[]> =>
    page.getByLabel('Ends after').locator('option').allTextContents();

  beforeAll(async () => {
    on = await stageConsole();
    await on.keys.createUser('olga');
    const accessKey = (await on.keys.createKey('olga-key', { user: 'olga', ttl: LOGIN })).spec.key as string;
    await on.send(
      '/projects',
      object('Project', { name: 'store' }, { owner: { user: 'olga' }, maxKeyDays: 90 }),
    );
    browser = await launchChromium();
    ({ page, violations } = await logInPerson(browser, on.server, { user: 'olga', accessKey }));
  });
  afterAll(async () => {
    await browser?.close();
    await on?.remove();
  });

  test('offer a person only what their login lets them have, and say until when and why', async () => {
    await visit(page, '/console/accesskeys');
    await page.getByRole('button', { name: 'New access key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/^Until .* A key of yours ends with what you logged in with, at the latest/)
      .waitFor();
    expect(await lifetimes()).toEqual(['An hour', 'As long as it may']);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('heading', { name: 'Your new access key' }).waitFor();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('are made of a project for a pipeline, for as long as the project says', async () => {
    await page.getByRole('button', { name: 'New access key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('For a pipeline, as a key of a project').check();
    expect(await dialog.getByRole('combobox', { name: 'Project' }).inputValue()).toBe('store');
    await dialog.getByText(/A key of the project store lives for 90 days at most\.$/).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('dryRun=All')) asked.push(request.postData() ?? '');
    });
    await dialog.getByRole('combobox', { name: 'Project' }).fill('nope');
    await settled(page);
    expect(asked).toEqual([]);
    await page.keyboard.press('Tab');
    await dialog.getByText('Its keys are made by those who manage its members.').waitFor();
    await dialog.getByRole('combobox', { name: 'Project' }).fill('store');
    await page.keyboard.press('Tab');
    await dialog.getByText(/^Until .* A key of the project store lives for 90 days at most\.$/).waitFor();
    expect(await lifetimes()).toEqual(['An hour', 'A day', '30 days', '90 days']);
    await dialog.getByLabel('Name', { exact: true }).fill('store-ci');
    await dialog.getByText('It may do what the role user allows in the project store').waitFor();
    await settled(page);
    await picture(page, 'newprojectkey-form');
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('button', { name: 'Reveal' }).click();
    const key = (await dialog.getByLabel('Access key', { exact: true }).textContent()) ?? '';
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    const secrets = `${API}/namespaces/loft-p-store/projectsecrets`;
    expect((await client(on.server, key).send('GET', secrets)).status).toBe(200);
    expect((await client(on.server, key).send('GET', `${API}/namespaces/default/sharedsecrets`)).status).toBe(
      403,
    );
  });

  test('of a project, and spaces, are not offered to somebody who only sees a project', async () => {
    await on.keys.createUser('vera');
    const accessKey = (await on.keys.createKey('vera-key', { user: 'vera' })).spec.key as string;
    const members = [{ kind: 'User', name: 'vera', clusterRole: 'management-project-viewer' }];
    const merge = { 'content-type': 'application/merge-patch+json' };
    expect((await on.admin.send('PATCH', `${API}/projects/store`, { spec: { members } }, merge)).status).toBe(
      200,
    );
    const viewer = await logInPerson(browser, on.server, { user: 'vera', accessKey });
    await visit(viewer.page, '/console/projects');
    await viewer.page.getByRole('link', { name: 'store', exact: true }).waitFor();
    await visit(viewer.page, '/console/spaces');
    await settled(viewer.page);
    expect(await viewer.page.getByRole('button', { name: 'New space' }).count()).toBe(0);
    await visit(viewer.page, '/console/accesskeys');
    await viewer.page.getByRole('button', { name: 'New access key' }).click();
    await viewer.page.getByRole('dialog').getByText('What it may do').waitFor();
    await settled(viewer.page);
    expect(await viewer.page.getByText('What it is for').count()).toBe(0);
    await picture(viewer.page, 'newkey-viewer');
    await viewer.context.close();
  });

  test('of a project are on its page', async () => {
    await visit(page, '/console/projects/store');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'store-ci' }) });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/^store-ciEnableduserin (29|30) days/);
    await settled(page);
    await picture(page, 'projectkeys');
    expect([await axeViolations(page), await overflow(page), violations]).toEqual([[], 0, []]);
  });
});
