/**
 * Spaces, virtual clusters, clusters and people in the console, for users with different rights; in Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  axeViolations,
  neededChromium,
  picture,
  takeFirstOffer,
  settled,
  visit,
} from '../../fixtures/console/chromium.js';
import { client } from '../../fixtures/clients/client.js';
import { API, VALUE, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

(neededChromium() ? describe : describe.skip)('places and people in the console', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
  });

  afterAll(() => on.remove());

  test('a space is made, watched, moved and deleted', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, '/console/spaces');
    await page.getByRole('button', { name: 'New space' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Project', { exact: true }).selectOption('web');
    await dialog.getByLabel('Name', { exact: true }).fill('Bad Name');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Lower-case letters, digits, - and . only.').waitFor();
    expect(await dialog.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await picture(page, 'newspace-light');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByLabel('Name', { exact: true }).fill('preview');
    expect(await dialog.getByLabel('Cluster', { exact: true }).inputValue()).toBe('east');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'preview' }).waitFor();
    await page.getByText('The server prepares it in the cluster.').waitFor();
    await on.tellStatus('spaceinstances/preview', { phase: 'Ready', reason: '', message: '' });
    await page.getByText('It can be used.').waitFor();
    await page.getByText('platform use space preview --project web').first().waitFor();
    await on.tellStatus('spaceinstances/preview', {
      phase: 'Failed',
      reason: 'Quota',
      message: 'It is full.',
    });
    await page.getByText('It is full.').waitFor();
    await page.getByRole('button', { name: 'Move' }).click();
    await dialog.getByLabel('To the project').selectOption('shop');
    await picture(page, 'movespace-light');
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.waitForURL('**/console/spaces/loft-p-shop/preview');
    await page.getByRole('heading', { level: 1, name: 'preview' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.keyboard.type('preview');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Spaces', exact: true }).waitFor();
  });

  test('a kubeconfig goes to a file or the clipboard, and is not shown', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, '/console/virtualclusters/loft-p-web/dev');
    await page.getByRole('button', { name: 'Kubeconfig' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Download' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/ingress/)
      .waitFor();
    await page.route('**/kubeconfig', (route) => route.fulfill({ json: { status: { kubeConfig: VALUE } } }));
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('dev.yaml');
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog.getByText('Copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(VALUE);
    expect(await page.content()).not.toContain(VALUE);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('a user without a project is offered no space, and refused one', async () => {
    const { page } = await on.logIn('bob');
    await visit(page, '/console/spaces');
    await page.getByText('There is nothing here yet that you may see.').waitFor();
    await settled(page);
    expect(await page.getByRole('button', { name: 'New space' }).count()).toBe(0);
    await visit(page, '/console/spaces/loft-p-web/staging');
    await page.getByText('You may not see this.').waitFor();
  });

  test('a user is made, disabled, put into a team and deleted', async () => {
    const { page } = await on.logIn('ruth');
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Name', { exact: true });
    await visit(page, '/console/users');
    await page.getByRole('button', { name: 'New user' }).click();
    await name.fill('Bad Name');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Lower-case letters, digits, - and . only.').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await picture(page, 'newuser-light');
    expect(await axeViolations(page)).toEqual([]);
    await name.fill('carl');
    await dialog.getByLabel('Invite this person').uncheck();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'carl' }).waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    const kept = await on.admin.send('GET', `${API}/users/carl`);
    expect(JSON.parse(kept.text)).toMatchObject({ spec: { disabled: true } });
    await visit(page, '/console/teams');
    await page.getByRole('button', { name: 'New team' }).click();
    await name.fill('crew');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Nobody', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change members' }).click();
    const members = dialog.getByRole('combobox', { name: 'Members' });
    await members.fill('carl, ad');
    await page.getByRole('option', { name: 'ada', exact: true }).waitFor();
    await takeFirstOffer(page);
    expect(await members.inputValue()).toBe('carl, ada');
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'carl' }).click();
    await page.getByRole('link', { name: 'crew' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.keyboard.type('carl');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
    expect((await on.admin.send('GET', `${API}/users/carl`)).status).toBe(404);
  });

  test('a project is made, found, and marked while it is deleted', async () => {
    const { page } = await on.logIn('ruth');
    await visit(page, '/console/projects');
    await page.getByRole('button', { name: 'New project' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Name', { exact: true });
    await dialog.getByLabel('Display name').fill('Größe, 2.0');
    expect(await name.inputValue()).toBe('grosse-2-0');
    await name.fill('ba.zaar');
    await dialog.getByText('Lower-case letters, digits and - only.').waitFor();
    await picture(page, 'newproject-light');
    await name.fill('bazaar');
    await dialog.getByText('Lower-case letters, digits and - only.').waitFor({ state: 'detached' });
    await dialog.getByLabel('Display name').fill('The bazaar');
    expect(await name.inputValue()).toBe('bazaar');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'The bazaar' }).waitFor();
    const path = `${API}/projects/bazaar`;
    const merge = { 'content-type': 'application/merge-patch+json' };
    const finalizers = ['example.com/hold'];
    const held = await on.admin.send('PATCH', path, { metadata: { finalizers } }, merge);
    expect([held.status, held.text]).toEqual([200, expect.anything()]);
    await on.admin.send('DELETE', path);
    await visit(page, '/console/projects?q=the+bazaar');
    await page.getByText('1 of 3 projects').waitFor();
    await page.getByRole('row', { name: 'bazaar is being deleted' }).waitFor();
    await on.admin.send('PATCH', path, { metadata: { finalizers: null } }, merge);
    await page.getByText('No projects match.').waitFor();
  });

  test('the commands that connect a cluster are shown, and that it came', async () => {
    const { page } = await on.logIn('ruth');
    await visit(page, '/console/clusters');
    await page.getByRole('button', { name: 'Connect a cluster' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('west');
    await dialog.getByLabel('Display name').fill("Ada's; rm -rf /");
    const line = `platform connect cluster west --display-name 'Ada'\\''s; rm -rf /' --image-repository REGISTRY/management-apiserver`;
    await dialog.getByText(line, { exact: true }).waitFor();
    await dialog.getByText('It is not there yet.').waitFor();
    await on.send('/clusters', object('Cluster', { name: 'west' }, {}));
    await dialog.getByRole('link', { name: 'west' }).waitFor();
    await picture(page, 'connect-light');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('link', { name: 'west' }).click();
    await page.getByRole('heading', { level: 1, name: 'west' }).waitFor();
  });

  test('a user without rights is offered no user, team, cluster or project, and refused', async () => {
    const { page } = await on.logIn('ada');
    for (const [path, button] of [
      ['users', 'New user'],
      ['teams', 'New team'],
      ['clusters', 'Connect a cluster'],
      ['projects', 'New project'],
    ] as const) {
      await visit(page, `/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settled(page);
      expect([path, await page.getByRole('button', { name: button }).count()]).toEqual([path, 0]);
      const forged = await client(on.server, on.keyOf.ada).send('POST', `${API}/${path}`, {
        metadata: { name: 'x' },
      });
      expect([path, forged.status]).toEqual([path, 403]);
    }
    await visit(page, '/console/users/ada');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
    for (const name of ['Disable', 'Delete'])
      expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
  });

  test('an object that is being deleted shows what it waits for', async () => {
    const { page } = await on.logIn('ruth');
    const held = object('Team', { name: 'held', finalizers: ['example.com/hold'] }, {});
    const made = JSON.parse((await on.send('/teams', held)).text) as { metadata: { uid: string } };
    const owner = {
      kind: 'Team',
      apiVersion: 'management.svc.example/v1',
      name: 'held',
      uid: made.metadata.uid,
    };
    await on.send(
      '/teams',
      object(
        'Team',
        {
          name: 'below',
          ownerReferences: [{ ...owner, blockOwnerDeletion: true }],
          finalizers: ['example.com/below'],
        },
        {},
      ),
    );
    await visit(page, '/console/teams/held');
    await page.getByRole('heading', { level: 1, name: 'held' }).waitFor();
    expect(await page.getByText('Why is it not deleted?').count()).toBe(0);
    await on.admin.send('DELETE', `${API}/teams/held`, { propagationPolicy: 'Foreground' });
    const section = page.getByRole('region', { name: 'Why is it not deleted?' });
    const told = section.getByRole('list');
    await told.getByText('example.com/hold').waitFor();
    await told.getByText('foregroundDeletion').waitFor();
    await told.getByRole('link', { name: 'below' }).waitFor();
    await told.getByText('example.com/below').waitFor();
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
    await picture(page, 'whynotdeleted-light');
    expect(await axeViolations(page)).toEqual([]);
    await told.getByRole('link', { name: 'below' }).click();
    await page.getByRole('heading', { name: 'YAML of below' }).waitFor();
  });
});
