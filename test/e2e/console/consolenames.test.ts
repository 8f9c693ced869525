/** Names that must be escaped in URLs: their pages in the console open, and links lead there and back; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { neededChromium, visit, yamlText } from '../../fixtures/console/chromium.js';
import { API, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';
import { startEmbedded } from '../../fixtures/servers/engines.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const NAMES = ['100%', '%2e%2e/b', 'on call?x=1#y', 'ü+1,b=c\\d'];

(neededChromium() ? describe : describe.skip)('names that URLs escape', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole(startEmbedded);
  });

  afterAll(() => on?.remove());

  /** Adds these names to the responses of lists of users, as the server itself refuses such names. */
  async function serveUsers(page: Page, asked: string[]): Promise<void> {
    const users = NAMES.map((name, at) => ({
      kind: 'User',
      apiVersion: 'management.svc.example/v1',
      spec: {},
      metadata: { name, uid: `${at}`, resourceVersion: '1' },
    }));
    const serve = async (route: Route): Promise<void> => {
      const { searchParams } = new URL(route.request().url());
      const selector = searchParams.get('fieldSelector');
      if (selector !== null) asked.push(selector);
      if (searchParams.has('watch')) return route.fulfill({ body: '' });
      const wanted = selector?.replace('metadata.name=', '').replaceAll(/\\(.)/g, '$1');
      const items = users.filter(({ metadata }) => wanted === undefined || metadata.name === wanted);
      const metadata = { resourceVersion: '1' };
      const isTable = route.request().headers().accept?.includes('as=Table');
      const rows = items.map((object) => ({ cells: [object.metadata.name], object }));
      await route.fulfill({
        json: isTable ? { metadata, columnDefinitions: [{ name: 'Name' }], rows } : { metadata, items },
      });
    };
    await page.route(`**/console/api${API}/users?*`, serve);
    // There are no such users at the server.
    const reach = { json: { status: { objects: [] } } };
    await page.route(`**/console/api${API}/subjectobjectsreviews`, (route) => route.fulfill(reach));
  }

  test('detail pages open by links and by their URLs', async () => {
    const { page, said, violations } = await on.logIn('ruth');
    const asked: string[] = [];
    await serveUsers(page, asked);
    for (const name of NAMES) {
      await visit(page, '/console/users');
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      const url = page.url();
      await page.reload();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      expect(page.url()).toBe(url);
      await page.getByRole('link', { name: 'YAML', exact: true }).waitFor();
    }
    expect([...new Set(asked)]).toHaveLength(NAMES.length);
    expect(said.filter((line) => line.startsWith('error: '))).toEqual([]);
    expect(violations).toEqual([]);
  });

  test('a role of such a name is shown as YAML, and who can change it', async () => {
    const { page } = await on.logIn('ruth');
    for (const name of NAMES.filter((one) => !/[%/]/.test(one))) {
      const role = { kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1', rules: [] };
      const made = await on.admin.send('POST', `${RBAC}/clusterroles`, { ...role, metadata: { name } });
      expect([name, made.status]).toEqual([name, 201]);
      const path = encodeURIComponent(`${RBAC}/clusterroles/${encodeURIComponent(name)}`);
      await visit(page, `/console/yaml?path=${path}`);
      await page.getByRole('heading', { level: 1, name: `YAML of ${name}`, exact: true }).waitFor();
      await page.getByRole('textbox', { name: 'YAML' }).waitFor();
      expect(await yamlText(page)).toContain('kind: ClusterRole');
      await visit(page, `/console/whocan?path=${path}&verb=update`);
      await page.getByRole('heading', { level: 1, name: `Who can change ${name}?`, exact: true }).waitFor();
      await page.getByText('You may.', { exact: true }).waitFor();
    }
  });
});
