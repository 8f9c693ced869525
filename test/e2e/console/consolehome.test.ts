/** The home page of the console, for a new user and for a user with many objects; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  axeViolations,
  launchChromium,
  logInPerson,
  neededChromium,
  overflow,
  picture,
} from '../../fixtures/console/chromium.js';
import { stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

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

  test('begins with what needs attention, the worst first', async () => {
    for (const [look, options] of [
      ['light', {}],
      ['dark', { dark: true }],
      ['phone', { width: 320 }],
    ] as const) {
      const { page } = await on.logIn('ada', options);
      const section = page.getByRole('main').getByRole('region').first();
      await section.getByRole('heading', { name: 'Needs attention' }).waitFor();
      const lines = (await section.getByRole('listitem').allInnerTexts()).map((line) => line.split(/\s/)[0]);
      expect([...new Set(lines)]).toEqual(['Error', 'Warning']);
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
