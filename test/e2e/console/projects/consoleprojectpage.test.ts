/** The page of a project: what its members are offered there, and how a space comes to a cluster; in Chromium. */
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
import { API, object, stageConsole, type ConsoleStage } from '../../../fixtures/console/consolestage.js';

const LOOKS = [
  ['light', {}],
  ['dark', { dark: true }],
  ['phone', { width: 320 }],
] as const;

(neededChromium() ? describe : describe.skip)('the page of a project in the console', () => {
  let on: ConsoleStage;

  /** `bare` belongs to ada, allows no cluster, and has bob as an admin. */
  beforeAll(async () => {
    on = await stageConsole();
    const members = [{ kind: 'User', name: 'bob', clusterRole: 'management-project-admin' }];
    const made = [
      await on.send('/projects', object('Project', { name: 'bare' }, { owner: { user: 'ada' }, members })),
    ];
    expect(made.map(({ status }) => status)).toEqual([201]);
  });
  afterAll(() => on?.remove());

  async function show(page: Page, path: string, heading: string): Promise<void> {
    await visit(page, `/console/${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await settled(page);
  }
  const specOf = async (path: string): Promise<Record<string, unknown>> =>
    (JSON.parse((await on.admin.send('GET', `${API}${path}`)).text) as { spec: Record<string, unknown> })
      .spec;
  const seen = async (page: Page, name: string): Promise<void> => {
    await settled(page);
    await picture(page, name);
    expect([name, await axeViolations(page), await overflow(page)]).toEqual([name, [], 0]);
  };

  test('offers somebody with the role admin a secret and a space of the project', async () => {
    const { page } = await on.logIn('bob');
    await show(page, 'projects/bare', 'bare');
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Allow a cluster' }).count()).toBe(0);
    await page.getByText('Whoever may change the project and use a cluster can allow it').waitFor();
    await page.getByText('platform allow cluster NAME --project bare').waitFor();
    await seen(page, 'projectadmin-light');
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('combobox', { name: 'Project' }).inputValue()).toBe('bare');
    await dialog.getByLabel('Name', { exact: true }).fill('deploy');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'deploy' }).waitFor();
    await show(page, 'projects/bare', 'bare');
    const secrets = page.getByRole('region', { name: 'Secrets' });
    await secrets.getByRole('row', { name: /deploy.*Project bare.*bob/ }).waitFor();
    await page.getByRole('button', { name: 'New space' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('idle');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('No cluster is chosen for this space, so it waits.').waitFor();
    await page.getByText('The project bare allows no cluster to choose from.').waitFor();
    await page.getByText('ask whoever runs this server').waitFor();
    await seen(page, 'waitingspace-member');
  });

  test('leads a waiting space to a cluster', async () => {
    for (const [look, options] of LOOKS) {
      const { page } = await on.logIn('ruth', options);
      await show(page, 'spaces/loft-p-bare/idle', 'idle');
      await page.getByRole('button', { name: 'Allow a cluster' }).waitFor();
      await seen(page, `waitingspace-${look}`);
    }
    const { page } = await on.logIn('ruth');
    await show(page, 'spaces/loft-p-bare/idle', 'idle');
    await page.getByRole('button', { name: 'Allow a cluster' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('combobox', { name: 'Cluster' }).inputValue()).toBe('east');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await specOf('/projects/bare')).allowedClusters).toEqual([{ name: 'east' }]);
    await page.getByRole('button', { name: 'Choose a cluster' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await specOf('/namespaces/loft-p-bare/spaceinstances/idle')).toMatchObject({
      clusterRef: { cluster: 'east' },
    });
    await page.getByText('No cluster is chosen for this space').waitFor({ state: 'detached' });
  });

  test('edits the names, the owner and the longest life of keys', async () => {
    const { page } = await on.logIn('ruth');
    await show(page, 'projects/bare', 'bare');
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('The bare one');
    await dialog.getByLabel('Description').fill('Nothing much.');
    await dialog.getByLabel('Team', { exact: true }).check();
    await dialog.getByRole('combobox', { name: 'Owner' }).fill('shop');
    await page.keyboard.press('Tab');
    await dialog.getByLabel('Days that a new access key').fill('30');
    await seen(page, 'editproject-light');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'The bare one' }).waitFor();
    expect(await specOf('/projects/bare')).toMatchObject({
      displayName: 'The bare one',
      description: 'Nothing much.',
      owner: { team: 'shop' },
      maxKeyDays: 30,
    });
  });

  test.each(LOOKS)('fits, %s', async (look, options) => {
    const { page, violations } = await on.logIn('ruth', options);
    await show(page, 'projects/bare', 'The bare one');
    await seen(page, `projectpage-${look}`);
    expect(violations).toEqual([]);
  });
});
