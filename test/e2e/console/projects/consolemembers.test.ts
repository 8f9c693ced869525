/** Members of a project, which only its owner may edit in the console; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import {
  axeViolations,
  neededChromium,
  overflow,
  picture,
  takeFirstOffer,
  settled,
  visit,
  type Person,
  type PersonOptions,
} from '../../../fixtures/console/chromium.js';
import { client } from '../../../fixtures/clients/client.js';
import { API, object, stageConsole, type ConsoleStage } from '../../../fixtures/console/consolestage.js';
import { eventually } from '../../../fixtures/wait.js';

const RBAC = 'rbac.authorization.k8s.io';
const PROJECT = `${API}/projects/web`;
const role = (name: string): string => `management-project-${name}`;

(neededChromium() ? describe : describe.skip)('members of a project in the console', () => {
  let on: ConsoleStage;
  let owner: Person;

  /** Ada owns the project and may list users and teams; bob is made a viewer. */
  beforeAll(async () => {
    on = await stageConsole();
    const about = { kind: 'ClusterRole', apiVersion: `${RBAC}/v1`, metadata: { name: 'seekers' } };
    const resources = ['users', 'teams'];
    await on.admin.send('POST', `/apis/${RBAC}/v1/clusterroles`, {
      ...about,
      rules: [
        { apiGroups: ['management.svc.example'], resources, verbs: ['get', 'list', 'watch'] },
        { apiGroups: [RBAC], resources: ['clusterroles'], verbs: ['get', 'list', 'watch'] },
      ],
    });
    await on.admin.send('POST', `/apis/${RBAC}/v1/clusterrolebindings`, {
      ...about,
      kind: 'ClusterRoleBinding',
      roleRef: { kind: 'ClusterRole', apiGroup: RBAC, name: 'seekers' },
      subjects: [{ kind: 'User', apiGroup: RBAC, name: 'ada' }],
    });
    await on.send('/users', object('User', { name: 'carl' }, { displayName: 'Carl of the Shop' }));
    owner = await on.logIn('ada');
  });

  afterAll(() => on?.remove());

  async function open(user: string, options?: PersonOptions): Promise<Person> {
    const person = await on.logIn(user, options);
    await show(person);
    return person;
  }
  async function show({ page }: Person): Promise<Page> {
    await visit(page, '/console/projects/web');
    await page.getByRole('heading', { level: 1, name: 'web' }).waitFor();
    return page;
  }

  async function members(): Promise<readonly { name: string; clusterRole: string }[]> {
    const { spec } = JSON.parse((await on.admin.send('GET', PROJECT)).text) as {
      spec: { members?: { kind: string; name: string; clusterRole: string }[] };
    };
    return spec.members ?? [];
  }
  /** A concurrent change by another client. */
  async function setMembers(list: readonly (readonly [string, string, string])[]): Promise<void> {
    const spec = { members: list.map(([kind, name, clusterRole]) => ({ kind, name, clusterRole })) };
    const type = { 'content-type': 'application/merge-patch+json' };
    expect((await on.admin.send('PATCH', PROJECT, { spec }, type)).status).toBe(200);
  }
  const row = (page: Page, name: string) =>
    page.getByRole('region', { name: 'Members' }).getByRole('row').filter({ hasText: name });

  test('the owner adds a user who is found by typing, with the keyboard alone', async () => {
    const page = await show(owner);
    await page.getByRole('button', { name: 'Add a member' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add a member' });
    const field = dialog.getByRole('combobox', { name: 'User' });
    await dialog.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('of the shop');
    const list = page.getByRole('listbox');
    await list.getByRole('option', { name: 'carl' }).waitFor();
    expect(await list.getByRole('option').count()).toBe(1);
    await picture(page, 'memberlist-light');
    expect(await axeViolations(page)).toEqual([]);
    await takeFirstOffer(page);
    expect(await field.inputValue()).toBe('carl');
    await dialog.getByText('no member').waitFor();
    await dialog.getByText('The same on the command line').click();
    await dialog.getByText('platform add member --project web --role user -- carl').waitFor();
    await picture(page, 'memberadd-light');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('radio', { name: /^Viewer/ }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'Carl of the Shop').getByText('viewer', { exact: true }).waitFor();
    expect(await members()).toEqual([{ kind: 'User', name: 'carl', clusterRole: role('viewer') }]);
  });

  test('the server says at the field what is wrong', async () => {
    const page = await show(owner);
    await page.getByRole('button', { name: 'Add a member' }).click();
    const dialog = page.getByRole('dialog');
    const field = dialog.getByRole('combobox', { name: 'User' });
    await field.fill('system:masters');
    await dialog.getByRole('radio', { name: 'Other ClusterRoles' }).check();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('cannot be given to anyone').first().waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByRole('combobox', { name: 'ClusterRoles' }).getAttribute('aria-invalid')).toBe(
      'true',
    );
    await picture(page, 'memberfault-light');
    expect(await axeViolations(page)).toEqual([]);
    await field.fill('bob');
    await page.keyboard.press('Tab');
    await dialog.getByRole('combobox', { name: 'ClusterRoles' }).fill('cluster-admin');
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('cannot bind').waitFor();
    await dialog.getByRole('radio', { name: /^Viewer/ }).check();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'bob').getByText('viewer', { exact: true }).waitFor();
  });

  test('ClusterRoles are offered by name, without those that the server writes for objects', async () => {
    const page = await show(owner);
    await page.getByRole('button', { name: 'Add a member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'User' }).fill('carl');
    await page.keyboard.press('Tab');
    await dialog.getByRole('radio', { name: 'Other ClusterRoles' }).check();
    const roles = dialog.getByRole('combobox', { name: 'ClusterRoles' });
    await roles.fill('management');
    await page.getByRole('option', { name: role('viewer') }).waitFor();
    expect(await page.getByRole('option', { name: /^management:[a-z]+:/ }).count()).toBe(0);
    await roles.fill(`${role('viewer')}, ${role('adm')}`);
    await page.getByRole('option', { name: role('viewer') }).waitFor({ state: 'detached' });
    await page.getByRole('option', { name: role('admin') }).waitFor();
    await takeFirstOffer(page);
    expect(await roles.inputValue()).toBe(`${role('viewer')}, ${role('admin')}`);
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  test('a viewer sees the members and is offered nothing, and a forged change is refused', async () => {
    await setMembers([['User', 'bob', role('viewer')]]);
    const { page, violations } = await open('bob');
    await row(page, 'bob').getByText('viewer', { exact: true }).waitFor();
    await settled(page);
    for (const name of ['Add a member', 'Change the role of user bob', 'Remove user bob'])
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0]);
    const forged = await client(on.server, on.keyOf.bob).send(
      'PATCH',
      PROJECT,
      { spec: { members: [{ kind: 'User', name: 'bob', clusterRole: role('admin') }] } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(forged.status).toBe(403);
    expect(violations).toEqual([]);
  });

  test('a concurrent change of the same member is reported, and other members stay', async () => {
    await setMembers([['User', 'bob', role('viewer')]]);
    const page = await show(owner);
    await page.getByRole('button', { name: 'Change the role of user bob' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the role of user bob' });
    await dialog.getByRole('radio', { name: /^Admin/ }).check();
    await setMembers([
      ['Team', 'shop', role('user')],
      ['User', 'bob', role('user')],
    ]);
    await dialog.getByText('Somebody else changed this member').waitFor();
    await picture(page, 'membermeanwhile-light');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Replace it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await members()).toEqual([
      { kind: 'Team', name: 'shop', clusterRole: role('user') },
      { kind: 'User', name: 'bob', clusterRole: role('admin') },
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It is as it was before.').waitFor();
    expect(await members()).toContainEqual({ kind: 'User', name: 'bob', clusterRole: role('user') });
  });

  test('a change on a version that is no longer there is refused, and nothing is lost', async () => {
    await setMembers([['User', 'bob', role('viewer')]]);
    const page = await show(owner);
    await page.getByRole('button', { name: 'Remove user bob' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Remove user bob' });
    // A concurrent change happens between the page load and the request.
    const faster = async (route: Route): Promise<void> => {
      await setMembers([
        ['User', 'bob', role('viewer')],
        ['Team', 'shop', role('user')],
      ]);
      await route.continue();
    };
    await page.route(({ pathname, search }) => pathname.endsWith(PROJECT) && search !== '', faster, {
      times: 1,
    });
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('Somebody else changed this').waitFor();
    expect(await members()).toHaveLength(2);
    await eventually('the page shows the newer version', async () => (await row(page, 'Team').count()) === 1);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await members()).toEqual([{ kind: 'Team', name: 'shop', clusterRole: role('user') }]);
    expect(owner.violations).toEqual([]);
  });

  test('the dialogs fit, narrow and dark', async () => {
    await setMembers([
      ['User', 'bob', role('viewer')],
      ['User', '*', role('viewer')],
    ]);
    const { page, violations, context } = await open('ada', { width: 320, dark: true });
    await page.getByRole('button', { name: 'Remove user bob' }).waitFor();
    await picture(page, 'members-narrow-dark');
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.getByRole('button', { name: 'Add a member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'User' }).fill('a');
    await page.getByRole('listbox').waitFor();
    await picture(page, 'memberlist-narrow-dark');
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await dialog.getByRole('combobox', { name: 'User' }).fill('bob');
    await page.getByRole('option', { name: 'bob' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByText('This is a member already').waitFor();
    await picture(page, 'memberadd-narrow-dark');
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(violations).toEqual([]);
    await context.close();
  });
});
