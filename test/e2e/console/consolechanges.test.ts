/** Concurrent changes of one object in the console, and changes that are undone; in Chromium. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import {
  axeViolations,
  launchChromium,
  logInPerson,
  neededChromium,
  overflow,
  pasteYaml,
  picture,
  settled,
  tabTo,
  visit,
  yamlText,
  type Person,
  type PersonOptions,
} from '../../fixtures/console/chromium.js';
import { client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const SECRETS = `${API}/namespaces/default/sharedsecrets`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const PASSWORD = 'hunter2-very-secret';

(neededChromium() ? describe : describe.skip)('two at once', () => {
  let on: EngineServer;
  let browser: Browser;
  let person: Person;
  let accessKey: string;

  const admin = () => client(on.server);
  const logIn = (options?: PersonOptions) =>
    logInPerson(browser, on.server, { user: 'ada', accessKey }, options);
  /** A concurrent change by another client. */
  async function elsewhere(path: string, spec: object): Promise<void> {
    const type = { 'content-type': 'application/merge-patch+json' };
    expect((await admin().send('PATCH', path, { spec }, type)).status).toBe(200);
  }
  async function specOf(path: string): Promise<Record<string, unknown>> {
    const { spec = {} } = JSON.parse((await admin().send('GET', path)).text) as {
      spec?: Record<string, unknown>;
    };
    return spec;
  }
  async function makeSecret(name: string): Promise<string> {
    const made = await admin().send('POST', SECRETS, {
      kind: 'SharedSecret',
      apiVersion: 'management.svc.example/v1',
      metadata: { name },
      spec: {
        displayName: name,
        description: 'Of the shop.',
        owner: { user: 'ada' },
        access: [{ name: 'bob', verbs: ['get'], users: ['bob'] }],
        data: { password: base64(PASSWORD), token: base64('t') },
      },
    });
    expect(made.status).toBe(201);
    return `${SECRETS}/${name}`;
  }

  beforeAll(async () => {
    on = await startEmbedded();
    const keys = accessKeys(on.server);
    await keys.createUser('ada');
    await keys.createUser('bob');
    accessKey = (await keys.createKey('ada-key', { user: 'ada' })).spec.key as string;
    const group = 'rbac.authorization.k8s.io';
    const role = { kind: 'ClusterRole', apiVersion: `${group}/v1`, metadata: { name: 'teams' } };
    const rules = [{ apiGroups: ['management.svc.example'], resources: ['teams'], verbs: ['*'] }];
    await admin().send('POST', `/apis/${group}/v1/clusterroles`, { ...role, rules });
    await admin().send('POST', `/apis/${group}/v1/clusterrolebindings`, {
      ...role,
      kind: 'ClusterRoleBinding',
      roleRef: { kind: 'ClusterRole', apiGroup: group, name: 'teams' },
      subjects: [{ kind: 'User', apiGroup: group, name: 'ada' }],
    });
    browser = await launchChromium();
    person = await logIn();
  });

  afterAll(async () => {
    await browser.close();
    await on.remove();
  });

  async function editYaml(page: Page, path: string, ...edits: readonly (readonly [string, string])[]) {
    await visit(page, `/console/yaml?path=${path}`);
    await page.getByRole('textbox', { name: 'YAML' }).waitFor();
    let next = await yamlText(page);
    for (const [from, to] of edits) {
      expect(next).toContain(from);
      next = next.replace(from, to);
    }
    await pasteYaml(page, next);
  }
  const show = (page: Page) => page.getByRole('button', { name: 'Show what would change' }).click();

  test('conflicting changes of one object are shown side by side, and chosen with the keyboard', async () => {
    const path = await makeSecret('both');
    const { page, violations } = person;
    const edits = [
      ['description: Of the shop.', 'description: Mine.'],
      ['password: (hidden)', `password: ${base64('mine')}`],
    ] as const;
    await editYaml(page, path, ...edits);
    const data = { password: base64('theirs'), token: base64('theirs too') };
    await elsewhere(path, { displayName: 'Theirs', description: 'Theirs.', data });
    await show(page);
    const conflict = page.getByRole('region', { name: 'Somebody else changed this' });
    await conflict.waitFor();
    const row = (field: string) => conflict.getByRole('row').filter({ hasText: field });
    await row('spec.displayName').getByText('Theirs', { exact: true }).first().waitFor();
    await row('spec.data.token').getByText('(hidden, changed)').waitFor();
    const goOn = conflict.getByRole('button', { name: 'Go on with this' });
    expect(await goOn.isDisabled()).toBe(true);
    expect(await page.content()).not.toContain(base64('theirs'));
    expect(await axeViolations(page)).toEqual([]);
    await picture(page, 'conflict-light');
    await row('spec.description').getByRole('radio', { name: 'Theirs' }).focus();
    await page.keyboard.press('Space');
    await row('spec.data.password').getByRole('radio', { name: 'Theirs' }).focus();
    await page.keyboard.press('ArrowDown');
    await tabTo(page, 'Go on with this');
    await page.keyboard.press('Enter');
    await conflict.waitFor({ state: 'detached' });
    expect(await yamlText(page)).toContain('description: Theirs.');
    await show(page);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('That is how it is now.').waitFor();
    expect(await specOf(path)).toMatchObject({
      displayName: 'Theirs',
      description: 'Theirs.',
      data: { password: base64('mine'), token: base64('theirs too') },
    });
    expect(violations).toEqual([]);
  });

  test('a conflict without conflicting fields asks nothing', async () => {
    const path = await makeSecret('quiet');
    const { page } = person;
    await editYaml(page, path, ['description: Of the shop.', 'description: Mine.']);
    await elsewhere(path, { displayName: 'else' });
    await elsewhere(path, { displayName: 'quiet' });
    await show(page);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('That is how it is now.').waitFor();
    expect(await specOf(path)).toMatchObject({ description: 'Mine.' });
  });

  test('members that somebody else adds while the list is edited stay', async () => {
    const path = `${API}/teams/crew`;
    const kind = { kind: 'Team', apiVersion: 'management.svc.example/v1' };
    await admin().send('POST', `${API}/teams`, {
      ...kind,
      metadata: { name: 'crew' },
      spec: { users: ['ada', 'dan'] },
    });
    const { page } = person;
    await visit(page, '/console/teams/crew');
    await page.getByRole('button', { name: 'Change members' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Members' }).fill('ada, dan, eve');
    await page.keyboard.press('Tab');
    await elsewhere(path, { users: ['ada', 'carl'] });
    await dialog.getByText('added carl; removed dan').waitFor();
    await dialog.getByText('Afterwards: ada, carl, eve').waitFor();
    await picture(page, 'membersmeanwhile-light');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await specOf(path)).toMatchObject({ users: ['ada', 'carl', 'eve'] });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It is as it was before.').waitFor();
    expect(await specOf(path)).toMatchObject({ users: ['ada', 'carl'] });
  });

  test('a value does not silently replace a newer one', async () => {
    const path = await makeSecret('guarded');
    const { page } = person;
    await visit(page, '/console/secrets/default/guarded');
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value').fill('mine');
    await settled(page);
    await elsewhere(path, { data: { password: base64('theirs') } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('it was 19 bytes, and is 6 bytes').waitFor();
    expect(await specOf(path)).toMatchObject({ data: { password: base64('theirs') } });
    await picture(page, 'guard-light');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Replace it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await specOf(path)).toMatchObject({ data: { password: base64('mine') } });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It is as it was before.').waitFor();
    expect(await specOf(path)).toMatchObject({ data: { password: base64('theirs') } });
    await page.getByRole('button', { name: 'Add an entry' }).click();
    await dialog.getByRole('textbox', { name: 'Entry' }).fill('token');
    await dialog.getByLabel('Value').fill('other');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('There is an entry of this name already').waitFor();
    await dialog.getByRole('textbox', { name: 'Entry' }).fill('fresh');
    await dialog.getByRole('button', { name: /Save|Replace/ }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await specOf(path)).toMatchObject({ data: { token: base64('t'), fresh: base64('other') } });
  });

  test('Ctrl Z restores what was removed, unless it was changed again', async () => {
    const path = await makeSecret('undone');
    const { page, said } = person;
    await visit(page, '/console/secrets/default/undone');
    const remove = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Remove password' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('The entry password is removed.').waitFor();
    };
    await remove();
    expect((await specOf(path)).data).toEqual({ token: base64('t') });
    await picture(page, 'undo-light');
    expect(await axeViolations(page)).toEqual([]);
    const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, location.href])');
    const content = await page.content();
    for (const value of [PASSWORD, base64(PASSWORD)])
      expect(kept + content + said.join()).not.toContain(value);
    await page.keyboard.press('Control+Z');
    await page.getByText('It is as it was before.').waitFor();
    expect((await specOf(path)).data).toMatchObject({ password: base64(PASSWORD) });
    await page.getByRole('button', { name: 'Remove the rights of User bob' }).click();
    await page.getByText('User bob has no rights').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Remove the rights of User bob' }).waitFor();
    await remove();
    await elsewhere(path, { data: { password: base64('new') } });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It was changed again since').waitFor();
    expect((await specOf(path)).data).toMatchObject({ password: base64('new') });
  });

  test('an import is previewed before it is done', async () => {
    const make = async (path: string, body: object): Promise<void> => {
      expect((await admin().send('POST', path, body)).status).toBe(201);
    };
    // The server itself acts as the cluster.
    const config = readFileSync(on.server.kubeconfig, 'utf8');
    const core = '/api/v1/namespaces';
    await make(`${core}/management-system/secrets`, {
      metadata: { name: 'east' },
      data: { config: base64(config) },
    });
    await make(core, { metadata: { name: 'vcluster-old' } });
    await make(`${core}/vcluster-old/secrets`, {
      metadata: { name: 'vc-old' },
      data: { config: base64(config) },
    });
    const owner = { user: 'ada' };
    await make(`${API}/clusters`, {
      metadata: { name: 'east' },
      spec: { owner, config: { secretName: 'east' } },
    });
    await make(`${API}/projects`, {
      metadata: { name: 'web' },
      spec: { owner, allowedClusters: [{ name: 'east' }] },
    });
    // Her rights in the project, and the connection to the cluster, become effective with a delay.
    const sourceVirtualCluster = { cluster: 'east', namespace: 'vcluster-old', name: 'old' };
    const attempt = `${API}/projects/web/importvirtualcluster?dryRun=All`;
    await eventually('the import is allowed', async () => {
      const { status } = await client(on.server, accessKey).send('POST', attempt, { sourceVirtualCluster });
      return status === 201;
    });
    const { page, violations } = person;
    await visit(page, '/console/virtualclusters');
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Namespace in the cluster').fill('vcluster-old');
    await dialog.getByLabel('Virtual cluster in it').fill('none');
    await dialog.getByRole('button', { name: 'Show what would happen' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/vc-none/)
      .waitFor();
    expect(await dialog.getByRole('button', { name: 'Import' }).count()).toBe(0);
    await dialog.getByLabel('Virtual cluster in it').fill('old');
    await dialog.getByLabel('Name here').fill('fresh');
    await page.keyboard.press('Enter');
    await dialog.getByText('The virtual cluster fresh appears in the project web').waitFor();
    const instances = `${API}/namespaces/loft-p-web/virtualclusterinstances`;
    expect((await admin().send('GET', `${instances}/fresh`)).status).toBe(404);
    await picture(page, 'import-light');
    expect(await axeViolations(page)).toEqual([]);
    // Another name needs a new dry run.
    await dialog.getByLabel('Name here').fill('other');
    await dialog.getByRole('button', { name: 'Show what would happen' }).click();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'other' }).waitFor();
    expect(await specOf(`${instances}/other`)).toMatchObject({
      clusterRef: { virtualCluster: 'old' },
      owner,
    });
    expect(violations).toEqual([]);
  });

  test('both sides fit, narrow and dark', async () => {
    const path = await makeSecret('narrow');
    const { page, context } = await logIn({ width: 320, dark: true });
    await editYaml(page, path, ['description: Of the shop.', 'description: Mine.']);
    await elsewhere(path, { description: 'Theirs.', displayName: 'Theirs' });
    await show(page);
    await page.getByRole('button', { name: 'Go on with this' }).waitFor();
    await picture(page, 'conflict-narrow-dark');
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await visit(page, '/console/secrets/default/narrow');
    await page.getByRole('button', { name: 'Remove the rights of User bob' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await picture(page, 'undo-narrow-dark');
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await context.close();
  });
});
