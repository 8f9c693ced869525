/** Group rules in the console: a rule is made, shown where it counts, tested and deleted; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  cutBy,
  neededChromium,
  overflow,
  picture,
  settled,
  visit,
} from '../../fixtures/console/chromium.js';
import { object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

const CLAIMS = { iss: 'https://idp.example', groups: ['acme-shop'], sub: 'never-sent-as-a-token' };
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

(neededChromium() ? describe : describe.skip)('group rules in the console', () => {
  let on: ConsoleStage;
  let page: Page;

  const seen = async (name: string): Promise<void> => {
    await settled(page);
    await picture(page, name);
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
  };

  beforeAll(async () => {
    on = await stageConsole();
    ({ page } = await on.logIn('ruth'));
  });
  afterAll(() => on.remove());

  test('are made for a team, which its page then shows', async () => {
    await visit(page, '/console/grouprules');
    await page.getByRole('button', { name: 'New group rule' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('shop');
    await dialog.getByLabel('Values').fill('acme-shop\nacme-shop-*\nDomain Admins\ncn=shop,dc=example');
    await dialog.getByRole('combobox', { name: 'Team' }).fill('shop');
    await page.keyboard.press('Tab');
    await seen('newrule-form');
    // What is typed is not lost by a click beside the dialog.
    await page.mouse.click(4, 4);
    const create = dialog.getByRole('button', { name: 'Create' });
    await dialog.getByLabel('A role in a project').check();
    expect(await create.isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'Project' }).fill('web');
    await dialog.getByLabel('Other ClusterRoles').check();
    await dialog.getByRole('combobox', { name: 'ClusterRoles' }).fill('view, edit');
    // An open list hides what is around it from assistive technology.
    await page.keyboard.press('Tab');
    await dialog.getByText('A group rule gives one role: make one for each.').waitFor();
    expect(await create.isDisabled()).toBe(true);
    await dialog.getByLabel('Membership in a team').check();
    await create.click();
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
    for (const value of ['acme-shop-*', 'Domain Admins', 'cn=shop,dc=example'])
      await page.getByText(value, { exact: true }).waitFor();
    await page.getByText('Nobody', { exact: true }).waitFor();
    await seen('rule-light');
    await visit(page, '/console/teams/shop');
    await page.getByText('Members by group rules').waitFor();
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor();
    await visit(page, '/console/grouprules');
    await page.getByRole('link', { name: 'shop', exact: true }).first().waitFor();
    await seen('rules-light');
  });

  test('are edited, but for what they give', async () => {
    await visit(page, '/console/grouprules/shop');
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Team shop').waitFor();
    await dialog.getByRole('textbox', { name: 'Values' }).fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('.field [aria-invalid=true]').waitFor();
    await dialog.getByRole('textbox', { name: 'Values' }).fill('acme-shop\nacme-stall');
    await seen('editrule-form');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('acme-stall', { exact: true }).waitFor();
    expect(await page.getByText('acme-shop-*').count()).toBe(0);
  });

  test('show the short name of a role in the list', async () => {
    const gives = { project: 'web', clusterRole: 'management-project-viewer' };
    const rule = object('GroupRule', { name: 'web-viewers' }, { values: ['acme-web'], ...gives });
    expect((await on.send('/grouprules', rule)).status).toBe(201);
    await visit(page, '/console/grouprules');
    const cell = page.getByRole('cell', { name: 'viewer in project web', exact: true });
    await cell.waitFor();
    expect(await cutBy(cell)).toBe(0);
    await seen('rules-wide');
  });

  test('are tested with a token, which stays in the browser', async () => {
    const members = [{ kind: 'Team', name: 'shop', clusterRole: 'management-project-viewer' }];
    const path = '/apis/management.svc.example/v1/projects/shop';
    const patch = { 'content-type': 'application/merge-patch+json' };
    expect((await on.admin.send('PATCH', path, { spec: { members } }, patch)).status).toBe(200);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await page.getByRole('button', { name: 'Test a login' }).click();
    const dialog = page.getByRole('dialog');
    const token = `${part({ alg: 'RS256' })}.${part(CLAIMS)}.c2lnbmF0dXJl`;
    await dialog.getByLabel('Claims or ID token').fill('no claims');
    await dialog.getByText('This is neither a JSON object nor a token.').waitFor();
    await dialog.getByLabel('Claims or ID token').fill(token);
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await dialog.getByText('This login would get').waitFor();
    await dialog.getByText('groups: acme-shop').first().waitFor();
    await dialog.getByText('viewer in project shop (Team shop)').waitFor();
    await seen('testclaims-form');
    expect(sent.some((body) => body.includes('acme-shop'))).toBe(true);
    expect(sent.some((body) => body.includes('c2lnbmF0dXJl'))).toBe(false);
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  test('look well in German, in the dark, and on a phone', async () => {
    ({ page } = await on.logIn('ruth', { dark: true, german: true, width: 320 }));
    for (const [name, path] of [
      ['rules', '/console/grouprules'],
      ['rule', '/console/grouprules/shop'],
    ] as const) {
      await visit(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('acme-shop').first().waitFor();
      await seen(`${name}-narrow-dark`);
    }
  });

  test('are not offered to who may not list them', async () => {
    ({ page } = await on.logIn('ada'));
    await visit(page, '/console/teams');
    await page.getByRole('link', { name: 'Teams' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'Group rules' }).count()).toBe(0);
  });
});
