/** Invitations in the console, in Chromium: whoever manages users makes a link, and the person who opens it becomes the user. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import {
  axeViolations,
  launchChromium,
  neededChromium,
  openPerson,
  overflow,
  picture,
  visit,
  type PersonOptions,
} from '../../fixtures/console/chromium.js';
import { API, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import {
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { eventually } from '../../fixtures/wait.js';

(neededChromium() ? describe : describe.skip)('invitations in the console', () => {
  let on: ConsoleStage;
  let provider: IdentityProvider;
  let browser: Browser;
  const directory = mkdtempSync(join(tmpdir(), 'console-invitations-'));

  beforeAll(async () => {
    for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
    provider = await startIdentityProvider();
    on = await stageConsole(() => startEmbedded({ flags: [loginFlag(directory, provider)] }));
    await provider.serve(on.server.url);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await on?.remove();
    provider?.stop();
    rmSync(directory, { recursive: true });
  });

  const subjectOf = async (name: string): Promise<unknown> => {
    const { text } = await on.admin.send('GET', `${API}/users/${name}`);
    return (JSON.parse(text) as { spec: { subject?: string } }).spec.subject;
  };

  /** Ruth opens the page of a new user, and makes a link there. */
  async function invite(name: string, way?: string): Promise<{ link: string; page: Page }> {
    await on.send('/users', object('User', { name }, { displayName: 'Ada Lovelace' }));
    const { page } = await on.logIn('ruth');
    await visit(page, `/console/users/${name}`);
    await page.getByText('No login of the identity provider is connected yet.').waitFor();
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const dialog = page.getByRole('dialog');
    if (way !== undefined) await dialog.getByLabel(way).check();
    await picture(page, `invite-${name}`);
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByText('It is shown only now.').waitFor();
    const link = await dialog.getByLabel('Link', { exact: true }).innerText();
    await picture(page, `invited-${name}`);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('There is an invitation by ruth').waitFor();
    return { link, page };
  }

  async function open(link: string, options?: PersonOptions, heading = 'You are invited'): Promise<Page> {
    const { page } = await openPerson(browser, on.server, options);
    await page.goto(link);
    await page.getByRole('heading', { name: heading }).waitFor();
    return page;
  }

  test('by the identity provider: the page says whom it invites, and the login is this user then', async () => {
    const { link, page: ruths } = await invite('ida');
    provider.accounts.set('sub-of-ida', { preferred_username: 'i.lovelace', email: 'ida@example.com' });
    const page = await open(link);
    await page.getByText('ida (Ada Lovelace)').waitFor();
    await page.getByText('ruth', { exact: true }).waitFor();
    expect(page.url()).toBe(`${on.server.url}/console/`);
    await picture(page, 'invitation-light');
    expect(await axeViolations(page)).toEqual([]);
    expect(await subjectOf('ida')).toBeUndefined();
    await page.getByRole('button', { name: 'Log in with your identity provider' }).click();
    await page.locator('input[name=login]').fill('sub-of-ida');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('heading', { name: 'Log in as ida from now on?' }).waitFor();
    await page.getByText('i.lovelace (ida@example.com)').waitFor();
    await picture(page, 'invitation-question');
    expect(await subjectOf('ida')).toBeUndefined();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByRole('heading', { name: 'Hello, ida' }).waitFor();
    expect(await subjectOf('ida')).toBe('sub-of-ida');
    await ruths.getByText('Logs in with the identity provider as the subject sub-of-ida.').waitFor();
    await ruths.getByText('There is an invitation').waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('by a first access key, which opens the console', async () => {
    const { link } = await invite('kay', 'this login, or a first access key');
    const page = await open(link, { dark: true, width: 390 });
    await picture(page, 'invitation-phone-dark');
    expect(await overflow(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Make my first access key' }).click();
    await page.getByRole('heading', { name: 'Welcome, kay' }).waitFor();
    await page.getByRole('button', { name: 'Reveal' }).click();
    expect(await page.getByLabel('Access key', { exact: true }).innerText()).toMatch(/^mk_/);
    await picture(page, 'invitation-key-phone-dark');
    expect(await overflow(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.getByRole('heading', { name: 'Hello, kay' }).waitFor();
    await page.context().close();
  });

  test('in German, while somebody else is logged in', async () => {
    const { link } = await invite('lea');
    const { page } = await on.logIn('bob', { german: true });
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('Du bist hier als bob angemeldet.').waitFor();
    await picture(page, 'invitation-german');
    expect(await axeViolations(page)).toEqual([]);
  });

  test('a link that was revoked says so, and leads to the login page', async () => {
    const { link, page: ruths } = await invite('max');
    await ruths.getByRole('button', { name: 'Revoke the invitation' }).click();
    await ruths.getByRole('alertdialog').getByRole('button', { name: 'Revoke the invitation' }).click();
    await ruths.getByText('There is an invitation').waitFor({ state: 'detached' });
    const page = await open(link, {}, 'This link cannot be used');
    await page.getByText('was used before, was revoked, or is too old').waitFor();
    await picture(page, 'invitation-over');
    await page.getByRole('button', { name: 'To the login page' }).click();
    await page.getByRole('heading', { name: 'Log in', exact: true }).waitFor();
    await page.context().close();
  });

  test('another replaces an open one, which stays if it is refused', async () => {
    const { link: before, page: ruths } = await invite('nat');
    const isOpen = async (link: string): Promise<boolean> => {
      const { page } = await openPerson(browser, on.server);
      await page.goto(link);
      await page.getByText('Accept only if').or(page.getByText('was used before')).waitFor();
      const answer = await page.getByRole('heading', { name: 'You are invited' }).isVisible();
      await page.context().close();
      return answer;
    };
    await ruths.getByRole('button', { name: 'Invite again' }).click();
    const dialog = ruths.getByRole('dialog');
    const creates = '**/invitations?fieldManager=console';
    await ruths.route(creates, (route) => route.abort());
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByText('The server cannot be reached.').waitFor();
    expect(await isOpen(before)).toBe(true);
    await ruths.unroute(creates);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const after = await dialog.getByLabel('Link', { exact: true }).innerText();
    expect([await isOpen(before), await isOpen(after)]).toEqual([false, true]);
  });

  test('a link is read again where the server was away', async () => {
    const { link } = await invite('oda');
    const { page } = await openPerson(browser, on.server);
    const reads = '**/console/session/invitation';
    await page.route(reads, (route) => route.abort());
    await page.goto(link);
    await page.getByText('The server cannot be reached.').waitFor();
    expect(await page.getByText('This link cannot be used').count()).toBe(0);
    await page.unroute(reads);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('oda (Ada Lovelace)').waitFor();
    await page.context().close();
  });

  test('a login is connected and disconnected on the page of the user, and that can be undone', async () => {
    await on.send('/users', object('User', { name: 'noa' }, {}));
    const { page } = await on.logIn('ruth');
    await visit(page, '/console/users/noa');
    await page.getByRole('button', { name: 'Connect a login' }).click();
    await page.getByRole('textbox', { name: 'Subject' }).fill('sub-of-noa');
    await picture(page, 'link-user');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('as the subject sub-of-noa.').waitFor();
    await picture(page, 'user-login');
    await page.getByRole('button', { name: 'Disconnect the login' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect the login' }).click();
    await page.getByText('No login of the identity provider is connected yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('as the subject sub-of-noa.').waitFor();
    await eventually('the subject', async () => (await subjectOf('noa')) === 'sub-of-noa');
  });

  test('whoever may not invite is offered nothing', async () => {
    await on.send(
      '/users',
      object('User', { name: 'pia' }, { access: [{ verbs: ['get'], users: ['bob'] }] }),
    );
    const { page } = await on.logIn('bob');
    await visit(page, '/console/users/pia');
    await page.getByText('No login of the identity provider is connected yet.').waitFor();
    for (const name of ['Invite', 'Connect a login'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
  });
});
