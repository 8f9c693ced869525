/** The graphs of the console: who can do something, and why an object is not deleted; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import {
  axeViolations,
  neededChromium,
  overflow,
  picture,
  visit,
  type PersonOptions,
} from '../../fixtures/console/chromium.js';
import {
  API,
  HOSTILE,
  VALUE,
  object,
  stageConsole,
  type ConsoleStage,
} from '../../fixtures/console/consolestage.js';
import { startEmbedded } from '../../fixtures/servers/engines.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SECRET = `${API}/namespaces/default/sharedsecrets/shown`;
/** Includes the controllers that delete dependents and the content of namespaces. */
const CONTROLLERS = '*,-space-provisioner-controller';
const OWNER = { kind: 'Team', apiVersion: 'management.svc.example/v1' };

const whoCan = (path: string, verb = 'get'): string =>
  `/console/whocan?${new URLSearchParams({ path, verb }).toString()}`;

/** A node of the graph, by the name in it. */
const drawn = (page: Page, name: string): Locator =>
  page.locator('.graph .graph-name').getByText(name, { exact: true });

/** The names of the nodes that Tab reaches, in that order. */
async function reached(page: Page): Promise<string[]> {
  await page.locator('.graph-window').focus();
  const names: string[] = [];
  for (let step = 0; step < 100; step += 1) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate<string | null>(
      `document.activeElement?.closest('.graph-window') ? document.activeElement.getAttribute('aria-label') : null`,
    );
    if (name === null) return names;
    names.push(name);
  }
  throw new Error('Tab does not leave the graph');
}

(neededChromium() ? describe : describe.skip)('graphs in the console', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole((options) => startEmbedded({ ...options, controllers: CONTROLLERS }));
    const data = { password: Buffer.from(VALUE).toString('base64') };
    const access = [
      { name: 'readers', verbs: ['get'], users: ['bob'], teams: ['shop'] },
      { name: HOSTILE, verbs: ['update', 'get'], users: [HOSTILE] },
    ];
    const spec = { owner: { user: 'ada' }, data, access };
    await on.send('/namespaces/default/sharedsecrets', object('SharedSecret', { name: 'shown' }, spec));
    const many = Array.from({ length: 300 }, (_one, at) => `person-${String(at).padStart(3, '0')}`);
    await on.send(
      '/namespaces/default/sharedsecrets',
      object(
        'SharedSecret',
        { name: 'crowded' },
        { owner: { user: 'ada' }, access: [{ verbs: ['get'], users: many }] },
      ),
    );
  });

  afterAll(() => on.remove());

  /**
   * Creates a team with a finalizer, with a dependent that has a dependent. The name of the team is the prefix of the
   * others' names.
   */
  async function hold(name: string): Promise<void> {
    const uidOf = async (path: string, metadata: object): Promise<string> => {
      const { text, status } = await on.send(path, object('Team', metadata, {}));
      expect([status, text]).toEqual([201, expect.anything()]);
      return (JSON.parse(text) as { metadata: { uid: string } }).metadata.uid;
    };
    const uid = await uidOf('/teams', { name, finalizers: [`example.com/${'x'.repeat(50)}`] });
    const below = await uidOf('/teams', {
      name: `${name}-below`,
      ownerReferences: [{ ...OWNER, name, uid, blockOwnerDeletion: true }],
      finalizers: ['example.com/below'],
    });
    await uidOf('/teams', {
      name: `${name}-grandchild`,
      ownerReferences: [{ ...OWNER, name: `${name}-below`, uid: below }],
      finalizers: ['example.com/grandchild'],
    });
    await uidOf('/teams', {
      name: `${name}-loose`,
      ownerReferences: [{ ...OWNER, name, uid }],
      finalizers: ['example.com/loose'],
    });
  }

  test.each<[string, PersonOptions]>([
    ['light', {}],
    ['narrow-dark', { width: 320, dark: true }],
  ])('both are accessible and fit, %s', async (look, options) => {
    const { page, violations, said } = await on.logIn('ruth', options);
    await visit(page, whoCan(SECRET));
    await drawn(page, 'readers').waitFor();
    await page.getByRole('link', { name: 'Cluster role cluster-admin everything' }).waitFor();
    await picture(page, `whocan-${look}`);
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    const name = `held-${options.width ?? 'wide'}`;
    await hold(name);
    await on.admin.send('DELETE', `${API}/teams/${name}`, { propagationPolicy: 'Foreground' });
    await visit(page, `/console/teams/${name}`);
    // Its dependents wait for the same finalizer, when the garbage collector has processed them.
    await drawn(page, 'foregroundDeletion').first().waitFor();
    await page
      .locator('.graph svg')
      .getByRole('link', { name: `teams ${name}-below is being deleted` })
      .waitFor();
    await page.getByText(`belongs to teams ${name}-below`).first().waitFor();
    await picture(page, `whynotdeletedgraph-${look}`);
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(await page.locator('[style]').count()).toBe(0);
    expect([violations, said.filter((text) => text.startsWith('error'))]).toEqual([[], []]);
  });

  test('the keyboard goes from who has the right to the object, and to the page of a node', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, whoCan(SECRET));
    await drawn(page, 'readers').waitFor();
    const names = await reached(page);
    // Ada is in the team, and may see no roles, and the page says so.
    expect(names.at(-1)).toBe('Secret shown');
    expect(names.slice(0, -1).sort()).toEqual([
      'Access keys of the team shop',
      'Team shop',
      'User ada',
      'User bob',
    ]);
    await page.getByText('You may not read everything that gives rights').waitFor();
    await page.getByText('You may.', { exact: true }).waitFor();
    // A node that is not a link is announced to screen readers, too.
    await page.getByRole('img', { name: 'Sharing readers read' }).waitFor();
    await page.getByRole('link', { name: 'User bob' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/users/bob');
  });

  test('a right that is given or taken is shown without a reload', async () => {
    const { page } = await on.logIn('ruth');
    await visit(page, '/console/secrets/default/shown');
    await page.getByRole('link', { name: 'Who can?' }).click();
    await drawn(page, 'bob').waitFor();
    expect(await drawn(page, 'late').count()).toBe(0);
    const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'all' };
    const binding = { kind: 'RoleBinding', apiVersion: role.apiGroup + '/v1', metadata: { name: 'late' } };
    const subjects = [{ kind: 'User', apiGroup: role.apiGroup, name: 'latecomer' }];
    const bindings = `${RBAC}/namespaces/default/rolebindings`;
    const made = await on.admin.send('POST', bindings, { ...binding, roleRef: role, subjects });
    expect(made.status).toBe(201);
    await drawn(page, 'latecomer').waitFor();
    await page.getByRole('region', { name: /ways$/ }).getByRole('link', { name: 'latecomer' }).waitFor();
    await page.getByLabel('Only with this name').fill('latecomer');
    await drawn(page, 'bob').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'One way' }).waitFor();
    await on.admin.send('DELETE', `${bindings}/late`);
    await page.getByText('None has this name.').waitFor();
    await page.getByLabel('Only with this name').fill('');
    await page.getByLabel('What', { exact: true }).selectOption('delete');
    await page.getByRole('heading', { name: 'Who can delete shown?' }).waitFor();
    await drawn(page, 'readers').waitFor({ state: 'detached' });
    await drawn(page, 'Owner').waitFor();
  });

  test('a user without rights is shown nothing of it', async () => {
    const { page } = await on.logIn('bob');
    await visit(page, whoCan(`${API}/namespaces/default/sharedsecrets/database`));
    await page.getByText('You may not.', { exact: true }).waitFor();
    await page.getByText('Nobody, as far as you may see.').waitFor();
    expect(await page.locator('.graph').count()).toBe(0);
    expect(await page.getByText('spec.owner').count()).toBe(0);
  });

  test('a crowd is drawn in part, and found by name', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, whoCan(`${API}/namespaces/default/sharedsecrets/crowded`));
    await page.getByRole('heading', { name: '301 ways' }).waitFor();
    expect(await page.locator('.graph-node').count()).toBe(60);
    await page.getByText('And 244 more, which the list tells.').waitFor();
    await page.getByText('and 201 more', { exact: true }).waitFor();
    await picture(page, 'whocancrowd-light');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel('Only with this name').fill('person-299');
    await drawn(page, 'person-299').waitFor();
    expect(await page.locator('.graph-node').count()).toBe(3);
  });

  test('names that users chose are text, and cut', async () => {
    const { page, violations, said } = await on.logIn('ada');
    await visit(page, whoCan(SECRET));
    await page.locator('.graph-name').getByText('">').first().waitFor();
    const texts = await page.locator('.graph-node text').allTextContents();
    for (const text of texts) expect([...text].length).toBeLessThanOrEqual(27);
    for (const path of [HOSTILE, `${SECRET}/status`, `${API}/users/..`, 'https://evil.example/apis/a/v1/b/c'])
      for (const verb of ['get', HOSTILE]) {
        await visit(page, whoCan(path, verb));
        await page.getByText('This is not there').waitFor();
      }
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.content()).not.toContain(VALUE);
    expect(violations).toEqual([]);
    // The server refuses lists that Ada may not read, which Chromium logs as errors.
    expect(said.filter((text) => text.startsWith('error') && !text.includes('status of 403'))).toEqual([]);
  });

  test('shows what a deletion waits for until the object is gone', async () => {
    const { page } = await on.logIn('ruth');
    await hold('watched');
    await visit(page, '/console/teams/watched');
    await page.getByRole('heading', { level: 1, name: 'watched' }).waitFor();
    expect(await page.locator('.graph').count()).toBe(0);
    await on.admin.send('DELETE', `${API}/teams/watched`, { propagationPolicy: 'Foreground' });
    await drawn(page, 'watched-below').waitFor();
    const names = await reached(page);
    expect(names[0]).toBe('teams watched');
    await page.getByRole('link', { name: 'teams watched-below is being deleted' }).waitFor();
    await page.getByRole('img', { name: 'Finalizer example.com/below' }).waitFor();
    const merge = { 'content-type': 'application/merge-patch+json' };
    const letGo = { metadata: { finalizers: null } };
    await on.admin.send('PATCH', `${API}/teams/watched-below`, letGo, merge);
    await drawn(page, 'watched-below').waitFor({ state: 'detached' });
    await on.admin.send('PATCH', `${API}/teams/watched`, letGo, merge);
    await page.locator('.graph').waitFor({ state: 'detached' });
  });

  test('a project shows what is in its namespace', async () => {
    const { page } = await on.logIn('ruth');
    const held = { name: 'held', finalizers: ['example.com/hold'] };
    const secrets = '/namespaces/loft-p-shop/sharedsecrets';
    const made = await on.send(secrets, object('SharedSecret', held, {}));
    expect([made.status, made.text]).toEqual([201, expect.anything()]);
    await on.admin.send('DELETE', `${API}/projects/shop`);
    await visit(page, '/console/projects/shop');
    await drawn(page, 'loft-p-shop').waitFor();
    await page.getByRole('link', { name: 'sharedsecrets held is being deleted' }).waitFor();
    await page.getByRole('img', { name: 'Finalizer example.com/hold' }).waitFor();
    await picture(page, 'projectnotdeleted-light');
    expect(await axeViolations(page)).toEqual([]);
    const merge = { 'content-type': 'application/merge-patch+json' };
    await on.admin.send('PATCH', `${API}${secrets}/held`, { metadata: { finalizers: null } }, merge);
    await page.getByText('This is not there').waitFor();
  });

  test('both are told in German', async () => {
    const { page } = await on.logIn('ada');
    await page.evaluate(`localStorage.setItem('console.language', 'de')`);
    await page.goto(whoCan(SECRET));
    await page.getByRole('heading', { name: 'Wer darf shown lesen?' }).waitFor();
    await page.getByRole('link', { name: 'Benutzer bob' }).waitFor();
  });
});
