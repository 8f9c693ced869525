/** Links of the console: from lists to objects and their YAML, and to the documentation; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { axeViolations, neededChromium, overflow, picture, visit } from '../../fixtures/console/chromium.js';
import { API, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

const SECRETS = '/namespaces/loft-p-web/projectsecrets';

(neededChromium() ? describe : describe.skip)('links in the console', () => {
  let on: ConsoleStage;
  let person: Awaited<ReturnType<ConsoleStage['logIn']>>;

  beforeAll(async () => {
    on = await stageConsole();
    const held = object('ProjectSecret', { name: 'held', finalizers: ['example.com/hold'] }, {});
    const made = await on.send(SECRETS, held);
    expect([made.status, made.text]).toEqual([201, expect.anything()]);
    person = await on.logIn('ruth');
  });

  afterAll(() => on?.remove());

  test('a secret of a project leads to its YAML, which says why it is not deleted', async () => {
    const { page, violations } = await on.logIn('ruth');
    await visit(page, '/console/projects/web');
    await page.getByRole('link', { name: 'held', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'held' }).waitFor();
    await page.getByRole('link', { name: 'YAML', exact: true }).click();
    await page.getByRole('heading', { name: 'YAML of held' }).waitFor();
    await page.getByRole('textbox', { name: 'YAML' }).waitFor();
    expect(await page.getByText('Why is it not deleted?').count()).toBe(0);
    await page.getByRole('link', { name: 'Who can?' }).click();
    await page.getByRole('heading', { name: 'Who can read held?' }).waitFor();
    await on.admin.send('DELETE', `${API}${SECRETS}/held`);
    await visit(page, `/console/yaml?path=${API}${SECRETS}/held`);
    const section = page.getByRole('region', { name: 'Why is it not deleted?' });
    await section.getByRole('list').getByText('example.com/hold').waitFor();
    await page.getByRole('textbox', { name: 'YAML' }).waitFor();
    await picture(page, 'yamldeleted-light');
    expect(await axeViolations(page)).toEqual([]);
    expect(violations).toEqual([]);
  });

  test.each([
    ['', 'quickstart'],
    ['secrets', 'tutorials/share-a-secret'],
    ['secrets/default/database', 'tutorials/share-a-secret'],
    ['projectsecrets/loft-p-web/held', 'kinds'],
    ['accesskeys', 'tutorials/pipeline-key'],
    ['projects', 'tutorials/project-for-a-team'],
    ['spaces', 'clusters'],
    ['virtualclusters', 'clusters'],
    ['clusters', 'clusters'],
    ['users', 'tutorials/invite-a-colleague'],
    ['teams', 'concepts/sharing'],
    ['audit', 'audit'],
    ['yaml', 'kinds'],
    ['grouprules', 'single-sign-on'],
    ['whocan', 'concepts/sharing'],
  ])('the page /console/%s leads to /docs/%s, and says which server this is', async (path, docs) => {
    const { page } = person;
    await visit(page, `/console/${path}`);
    await page.getByText(new URL(on.server.url).host, { exact: true }).waitFor();
    const href = await page.getByRole('link', { name: 'Docs of this page' }).getAttribute('href');
    expect(href).toBe(`/docs/${docs}`);
    expect((await page.request.get(href ?? '')).status()).toBe(200);
  });

  test('YAML leads to the page of an object that has one', async () => {
    const { page } = await on.logIn('ruth', { width: 320, dark: true });
    await visit(page, `/console/yaml?path=${API}/namespaces/default/sharedsecrets/database`);
    await page.getByRole('link', { name: 'To its page' }).waitFor();
    await page.getByRole('textbox', { name: 'YAML' }).waitFor();
    expect(await overflow(page)).toBe(0);
    await picture(page, 'yamllinks-narrow');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'To its page' }).click();
    await page.getByRole('heading', { name: 'The database' }).waitFor();
  });

  test('the language that is chosen is that of every text, and one is not many', async () => {
    const { page } = await on.logIn('ada');
    await page.addInitScript(`localStorage.setItem('console.language', 'de')`);
    await page.goto('/console/projects/web');
    await page.getByRole('heading', { name: 'Spaces und virtuelle Cluster' }).waitFor();
    await page.getByRole('cell', { name: 'Benutzer', exact: true }).first().waitFor();
    await visit(page, '/console/users?q=ada');
    await page.getByText(/^(0|1) von \d+ Benutzern?$|^1 Benutzer$/).waitFor();
    await visit(page, '/console/virtualclusters');
    await page.getByText('1 virtueller Cluster', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Konto: ada' }).click();
    // A text of React Aria that tells screen readers where a dialog ends.
    await page.getByRole('button', { name: 'Schließen' }).first().waitFor({ state: 'attached' });
  });

  test('a server that is away is said in the language of the person', async () => {
    const { page } = await on.logIn('ada');
    await page.addInitScript(`localStorage.setItem('console.language', 'de')`);
    await page.route('**/console/session', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText('Der Server ist nicht erreichbar.').waitFor();
  });
});
