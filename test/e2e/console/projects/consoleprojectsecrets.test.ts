/** Secrets of projects in the console, beside shared ones, and the dialog that creates both; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  neededChromium,
  overflow,
  picture,
  settled,
  visit,
} from '../../../fixtures/console/chromium.js';
import {
  API,
  VALUE,
  object,
  stageConsole,
  type ConsoleStage,
} from '../../../fixtures/console/consolestage.js';
import { eventually } from '../../../fixtures/wait.js';

const DEPLOY = `${API}/namespaces/loft-p-web/projectsecrets/deploy`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

(neededChromium() ? describe : describe.skip)('secrets of projects in the console', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
    const spec = { displayName: 'Deployment', data: { token: base64(VALUE) }, owner: { user: 'ada' } };
    const made = await on.send(
      '/namespaces/loft-p-web/projectsecrets',
      object('ProjectSecret', { name: 'deploy' }, spec),
    );
    expect([made.status, made.text]).toEqual([201, expect.anything()]);
  });

  afterAll(() => on?.remove());

  async function specOf(path: string): Promise<unknown> {
    const { spec } = JSON.parse((await on.admin.send('GET', path)).text) as { spec: unknown };
    return spec;
  }

  test.each([
    ['light', {}],
    ['narrow-dark', { width: 320, dark: true }],
  ] as const)('one list and one search find both kinds, %s', async (look, options) => {
    const { page } = await on.logIn('ada', options);
    await visit(page, '/console/secrets');
    await page.getByRole('link', { name: 'database', exact: true }).waitFor();
    await page.getByRole('link', { name: 'deploy', exact: true }).waitFor();
    await settled(page);
    await picture(page, `bothsecrets-${look}`);
    await page.getByRole('searchbox', { name: 'Search secrets' }).fill('deployment');
    await page.getByText('1 of 3 secrets').waitFor();
    await page.getByRole('link', { name: 'deploy', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Deployment' }).waitFor();
    await page.getByText('Project web', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change token' }).waitFor();
    await settled(page);
    await picture(page, `projectsecret-${look}`);
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
  });

  test('its values are seen, changed, set back and shared as those of shared ones', async () => {
    const { page, violations } = await on.logIn('ada');
    await visit(page, '/console/projectsecrets/loft-p-web/deploy');
    await page.getByRole('button', { name: 'Reveal token' }).click();
    await page.getByText(VALUE).waitFor();
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByRole('button', { name: 'Change token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value').fill('changed');
    await dialog.getByText('The same on the command line').click();
    await dialog.getByText('platform set secret deploy --entry token --project web').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The entry token is set.').waitFor();
    expect(await specOf(DEPLOY)).toMatchObject({ data: { token: base64('changed') } });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It is as it was before.').waitFor();
    expect(await specOf(DEPLOY)).toMatchObject({ data: { token: base64(VALUE) } });
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Users' }).fill('bob');
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const bob = await on.logIn('bob');
    await visit(bob.page, '/console/secrets');
    await bob.page.getByRole('link', { name: 'deploy' }).click();
    await bob.page.getByRole('button', { name: 'Reveal token' }).click();
    await bob.page.getByText(VALUE).waitFor();
    expect(await bob.page.getByRole('button', { name: 'Change token' }).count()).toBe(0);
    expect(violations).toEqual([]);
  });

  test('a copy of a shared secret says so, and its entries are not changed', async () => {
    const labels = {
      'management.svc.example/sharedsecret-name': 'database',
      'management.svc.example/sharedsecret-namespace': 'default',
    };
    const copy = object('ProjectSecret', { name: 'copy', labels }, { owner: { user: 'ada' } });
    expect((await on.send('/namespaces/loft-p-web/projectsecrets', copy)).status).toBe(201);
    const { page } = await on.logIn('ada');
    await visit(page, '/console/projectsecrets/loft-p-web/copy');
    await page.getByRole('button', { name: 'Copy password' }).waitFor();
    await page.getByRole('button', { name: 'Share', exact: true }).waitFor();
    await settled(page);
    for (const name of ['Add an entry', 'Change password', 'Remove password'])
      expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
    await page.getByRole('link', { name: 'default/database' }).click();
    await page.getByRole('heading', { level: 1, name: 'The database' }).waitFor();
  });

  /** The dialog, filled as somebody does who clicks twice before. */
  async function fillNew(page: Page): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('pipeline');
    await dialog.getByRole('textbox', { name: 'Entry' }).fill('api.key');
    await dialog.getByText('Each entry needs a name of its own and a value.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Value').fill(VALUE);
    await dialog.getByRole('combobox', { name: 'Users' }).fill('bob');
  }

  test('a secret is made with its value in a project, and shared, by three clicks', async () => {
    const { page, violations, said } = await on.logIn('ada');
    await visit(page, '/console/secrets');
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('In a project: ').check();
    await fillNew(page);
    expect(await dialog.getByRole('combobox', { name: 'Project' }).inputValue()).toMatch(/^(web|shop)$/);
    await dialog.getByRole('combobox', { name: 'Project' }).fill('web');
    await page.keyboard.press('Tab');
    expect(await axeViolations(page)).toEqual([]);
    await picture(page, 'newsecret-light');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'pipeline' }).waitFor();
    await page.getByText('Project web', { exact: true }).waitFor();
    await page.getByText('User bob', { exact: true }).waitFor();
    expect(await specOf(`${API}/namespaces/loft-p-web/projectsecrets/pipeline`)).toMatchObject({
      data: { 'api.key': base64(VALUE) },
      access: [{ verbs: ['get'], users: ['bob'] }],
      owner: { user: 'ada' },
    });
    expect(violations).toEqual([]);
    expect(said.join() + (await page.content())).not.toContain(VALUE);
  });

  test('a shared secret is made with several values, on a phone', async () => {
    const { page } = await on.logIn('ada', { width: 320, dark: true });
    await visit(page, '/console/secrets');
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog');
    await fillNew(page);
    await dialog.getByRole('button', { name: 'Another entry' }).click();
    const second = dialog.getByRole('textbox', { name: 'Entry' }).nth(1);
    await second.fill('api.key');
    await dialog.getByText('There is an entry of this name already.').waitFor();
    await second.fill('other');
    await dialog.getByRole('button', { name: 'Generate a value' }).nth(1).click();
    await picture(page, 'newsecret-narrow');
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'pipeline' }).waitFor();
    await eventually('both entries', async () => {
      const spec = (await specOf(`${API}/namespaces/default/sharedsecrets/pipeline`)) as { data: object };
      return Object.keys(spec.data).join() === 'api.key,other';
    });
  });
});
