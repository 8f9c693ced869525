/** `platform console`: the console in a browser, logged in; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';
import { axeViolations, neededChromium, launchChromium, picture } from '../../fixtures/console/chromium.js';

(neededChromium() ? describe : describe.skip)('platform console', () => {
  let it: LoggedInCli;
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  const keys: Record<string, string> = {};
  const link = async (user: string): Promise<string> => {
    const run = await it.cli.run(['console', '--no-browser'], { env: it.envOf(keys[user] ?? '') });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    return run.stdout.trim();
  };

  beforeAll(async () => {
    it = await startLoggedIn();
    browser = await launchChromium();
    for (const user of ['ada', 'ben']) {
      await it.shown('create', 'user', user);
      keys[user] = (await it.shown('create', 'accesskey', `${user}s`, '--user', user, '--ttl', '1h')).trim();
    }
  });
  afterAll(async () => {
    await browser.close();
    await it.remove();
  });

  test('its link logs one browser in, and leaves the address', async () => {
    const url = await link('ada');
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole('heading', { name: 'You are logged in as ada' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await picture(page, 'login-by-link');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Account: ada' }).waitFor();
    expect(page.url()).toBe(`${it.server.url}/console/`);
    const other = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    await other.goto(url);
    await other.getByRole('alert').filter({ hasText: 'this link was used before' }).waitFor();
    expect(await axeViolations(other)).toEqual([]);
    await picture(other, 'login-link-used');
  });

  test('a browser in which somebody is logged in keeps its session', async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(await link('ada'));
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Account: ada' }).waitFor();
    const second = await context.newPage();
    await second.goto(await link('ben'));
    await second.getByRole('button', { name: 'Account: ada' }).waitFor();
    expect(second.url()).toBe(`${it.server.url}/console/`);
  });
});
