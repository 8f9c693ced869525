/** The home page of the console, for a new user and for a user with many objects; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import {
  axeViolations,
  launchChromium,
  logInPerson,
  neededChromium,
  overflow,
  picture,
  settled,
} from '../../fixtures/console/chromium.js';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import { stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

const LOOKS = [
  ['light', {}],
  ['dark', { dark: true }],
  ['phone', { width: 320 }],
] as const;
const stepsOf = (page: Page): Locator => page.getByRole('region', { name: 'Next steps' });

(neededChromium() ? describe : describe.skip)('the home page of the console', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
    await on.tellStatus('spaceinstances/staging', { phase: 'Failed', message: 'It ran full.' });
    await on.keys.createKey('last-days', { user: 'ada', ttl: 86_400 });
  });
  afterAll(() => on?.remove());

  test('tells a new user what to do first, without an error', async () => {
    await on.keys.createUser('eve');
    const accessKey = (await on.keys.createKey('eve-key', { user: 'eve' })).spec.key as string;
    const browser = await launchChromium();
    try {
      const { page, violations } = await logInPerson(browser, on.server, { user: 'eve', accessKey });
      await page.getByRole('heading', { name: 'Next steps' }).waitFor();
      await page.getByText('You are in no project yet.').waitFor();
      await page.getByText(`platform login ${on.server.url}`).waitFor();
      await page.getByText('Nothing needs your attention.').waitFor();
      expect(await page.getByText('You may not see this.').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'New secret' }).count()).toBe(0);
      expect([await axeViolations(page), await overflow(page), violations]).toEqual([[], 0, []]);
    } finally {
      await browser.close();
    }
  });

  test('leads the administrator of an empty server to a project and users', async () => {
    const empty = await startEmbedded();
    const browser = await launchChromium();
    try {
      const keys = accessKeys(empty.server);
      const accessKey = (await keys.createKey('first', { user: 'admin' })).spec.key as string;
      const login = { user: 'admin', accessKey };
      for (const [look, options] of LOOKS) {
        const { page, context } = await logInPerson(browser, empty.server, login, options);
        await stepsOf(page).getByRole('button', { name: 'New user' }).waitFor();
        await settled(page);
        expect(await page.getByText('You are in no project yet.').count()).toBe(0);
        await picture(page, `home-empty-${look}`);
        expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
        await context.close();
      }
      const { page } = await logInPerson(browser, empty.server, login);
      await stepsOf(page).getByRole('button', { name: 'New user' }).click();
      await page.getByRole('dialog', { name: 'New user' }).waitFor();
      await page.keyboard.press('Escape');
      await stepsOf(page).getByRole('button', { name: 'New project' }).click();
      const dialog = page.getByRole('dialog', { name: 'New project' });
      await dialog.getByLabel('Name', { exact: true }).fill('first');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'first' }).waitFor();
    } finally {
      await browser.close();
      await empty.remove();
    }
  });

  test('begins with what needs attention, the worst first', async () => {
    for (const [look, options] of LOOKS) {
      const { page } = await on.logIn('ada', options);
      const section = page.getByRole('main').getByRole('region').first();
      await section.getByRole('heading', { name: 'Needs attention' }).waitFor();
      const lines = await section.getByRole('listitem').allInnerTexts();
      // A key that was made for a day is expected to end.
      expect([lines[0]?.split(/\s/)[0], lines.filter((line) => line.includes('last-days'))]).toEqual([
        'Error',
        [],
      ]);
      await picture(page, `home-attention-${look}`);
      expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
    }
  });

  test('leads by a click to objects that need attention, and to frequent tasks', async () => {
    const { page, violations } = await on.logIn('ada');
    await page.getByRole('link', { name: 'Space staging is Failed. It ran full.' }).click();
    await page.getByRole('heading', { name: 'Staging' }).waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    expect(await page.getByRole('heading', { name: 'Next steps' }).count()).toBe(0);
    await page.getByRole('link', { name: '2 Projects 2 of your own' }).waitFor();
    for (const name of ['New secret', 'New access key']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').getByRole('heading', { name }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('link', { name: 'database' }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Users' }).waitFor();
    expect(violations).toEqual([]);
  });
});
