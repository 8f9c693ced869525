/** The console in Chromium, against the real server on both engines, by people with different rights. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { AccessKeys } from '../fixtures/accesskeys.js';
import { accessKeys } from '../fixtures/accesskeys.js';
import type { Person, PersonOptions } from '../fixtures/chromium.js';
import {
  axeViolations,
  launchChromium,
  neededChromium,
  openPerson,
  overflow,
  picture,
} from '../fixtures/chromium.js';
import { client } from '../fixtures/client.js';
import type { EngineServer } from '../fixtures/engines.js';
import { ENGINES } from '../fixtures/engines.js';
import { eventually } from '../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const VALUE = 'hunter2-very-secret';
const HOSTILE = `"><img src=x onerror="tellViolation('ran')"><script>tellViolation('ran')</script>{{7*7}}javascript:alert(1)`;
const PAGES = [
  ['home', '/console/'],
  ['secrets', '/console/secrets'],
  ['secret', '/console/secrets/default/database'],
  ['accesskeys', '/console/accesskeys'],
  ['projects', '/console/projects'],
  ['project', '/console/projects/web'],
  ['spaces', '/console/spaces'],
  ['space', '/console/spaces/loft-p-web/staging'],
  ['virtualclusters', '/console/virtualclusters'],
  ['virtualcluster', '/console/virtualclusters/loft-p-web/dev'],
  ['nowhere', '/console/there-is-no-such-page'],
] as const;

const object = (kind: string, metadata: object, spec: object) => ({
  ...{ kind, apiVersion: 'management.svc.example/v1' },
  ...{ metadata, spec },
});

(neededChromium() ? describe.each(ENGINES) : describe.skip.each(ENGINES))(
  'the console, %s',
  (engine, start) => {
    let on: EngineServer;
    let browser: Browser;
    let keys: AccessKeys;
    const keyOf: Record<string, string> = {};
    const open: Person[] = [];

    const send = (path: string, body: object) => client(on.server).send('POST', `${API}${path}`, body);

    async function logIn(user: string, options?: PersonOptions): Promise<Person> {
      const person = await openPerson(browser, on.server, options);
      open.push(person);
      await person.page.goto('/console/');
      await person.page.getByLabel('Access key').fill(keyOf[user] ?? '');
      await person.page.keyboard.press('Enter');
      await person.page.getByRole('heading', { name: `Hello, ${user}` }).waitFor();
      return person;
    }

    /** A cluster, a space on it, and a virtual cluster, each of which says what its user wants it to say. */
    async function plantInstances(): Promise<void> {
      const owner = { user: 'ada' };
      const plant = async (path: string, planted: object): Promise<void> => {
        await eventually(path, async () => [201, 409].includes((await send(path, planted)).status));
      };
      const spec = { owner, displayName: HOSTILE, description: HOSTILE };
      await plant('/clusters', object('Cluster', { name: 'east' }, spec));
      const inProject = { ...spec, clusterRef: { cluster: 'east' } };
      const within = '/namespaces/loft-p-web';
      await plant(`${within}/spaceinstances`, object('SpaceInstance', { name: 'hostile' }, inProject));
      await plant(
        `${within}/spaceinstances`,
        object(
          'SpaceInstance',
          { name: 'staging' },
          { ...inProject, displayName: 'Staging', description: '' },
        ),
      );
      await plant(
        `${within}/virtualclusterinstances`,
        object(
          'VirtualClusterInstance',
          { name: 'dev' },
          { ...inProject, displayName: '', description: 'Dev' },
        ),
      );
      await tellStatus('spaceinstances/hostile', { message: HOSTILE });
    }

    /** What a provisioner or agent would write. */
    async function tellStatus(path: string, more: object = {}, within = 'loft-p-web'): Promise<void> {
      const at = '2026-01-01T00:00:00Z';
      const condition = { type: 'Ready', status: 'False', reason: 'Waiting', message: HOSTILE };
      const status = {
        ...{ phase: 'Pending', reason: 'ClusterUnreachable', message: 'It does not answer.' },
        ...{ conditions: [{ ...condition, lastTransitionTime: at }], ...more },
      };
      const answer = await client(on.server).send(
        'PATCH',
        `${API}/namespaces/${within}/${path}/status`,
        { status },
        { 'content-type': 'application/merge-patch+json' },
      );
      expect(answer.status).toBe(200);
    }

    beforeAll(async () => {
      on = await start();
      keys = accessKeys(on.server);
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      const rules = [
        { apiGroups: ['management.svc.example'], resources: ['sharedsecrets'], verbs: ['create'] },
      ];
      const role = {
        kind: 'ClusterRole',
        apiVersion: 'rbac.authorization.k8s.io/v1',
        metadata: { name: 'people' },
      };
      const admin = client(on.server);
      await admin.send('POST', `${rbac}/clusterroles`, {
        ...role,
        rules: [
          ...rules,
          { apiGroups: ['management.svc.example'], resources: ['ownedaccesskeys'], verbs: ['*'] },
        ],
      });
      await admin.send('POST', `${rbac}/clusterrolebindings`, {
        ...{ ...role, kind: 'ClusterRoleBinding' },
        roleRef: { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name: 'people' },
        subjects: ['ada', 'bob'].map((name) => ({
          kind: 'User',
          apiGroup: 'rbac.authorization.k8s.io',
          name,
        })),
      });
      for (const user of ['ada', 'bob']) {
        await keys.createUser(user);
        keyOf[user] = (await keys.createKey(`${user}-key`, { user })).spec.key as string;
      }
      const data = { password: Buffer.from(VALUE).toString('base64') };
      const owner = { user: 'ada' };
      for (const [kind, metadata, spec] of [
        [
          'projects',
          { name: 'web' },
          {
            ...{ owner, allowedClusters: [{ name: 'east' }] },
            quotas: { instances: 4, objects: { 'sharedsecrets.management.svc.example': 5 } },
          },
        ],
        ['projects', { name: 'shop' }, { owner, allowedClusters: [{ name: 'east' }] }],
      ] as const)
        expect((await send(`/${kind}`, object('Project', metadata, spec))).status).toBe(201);
      await plantInstances();
      const secrets = '/namespaces/default/sharedsecrets';
      const described = { displayName: 'The database', description: 'Of the shop.', owner, data };
      expect((await send(secrets, object('SharedSecret', { name: 'database' }, described))).status).toBe(201);
      const hostile = {
        displayName: HOSTILE,
        description: HOSTILE,
        owner,
        access: [{ name: HOSTILE, verbs: ['get'], users: [HOSTILE] }],
      };
      expect((await send(secrets, object('SharedSecret', { name: 'hostile' }, hostile))).status).toBe(201);
      browser = await launchChromium();
    }, 90_000);

    afterAll(async () => {
      await browser.close();
      await on.remove();
    });

    test.each([
      ['light', {}],
      ['dark', { dark: true }],
      ['narrow', { width: 320 }],
    ] as const)(
      'every page is accessible and fits, %s',
      async (look, options) => {
        const { page, violations } = await logIn('ada', options);
        const found: string[] = [];
        for (const [name, path] of PAGES) {
          await page.goto(path);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await page.getByText('Loading…').first().waitFor({ state: 'detached' });
          await page.waitForTimeout(300);
          if (engine === 'embedded') await picture(page, `${name}-${look}`);
          found.push(...(await axeViolations(page)).map((text) => `${name}: ${text}`));
          const wide = await overflow(page);
          if (wide > 0) found.push(`${name}: ${wide} px too wide`);
        }
        expect(found).toEqual([]);
        expect(violations).toEqual([]);
      },
      60_000,
    );

    test('a value is seen for half a minute, copied unseen, and is nowhere else', async () => {
      const { page, said, context } = await logIn('ada');
      await page.clock.install();
      await page.goto('/console/secrets/default/database');
      await page.getByRole('button', { name: 'Copy password' }).click();
      await page.getByRole('button', { name: 'Copy password' }).getByText('Copied').waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(VALUE);
      expect(await page.content()).not.toContain(VALUE);
      await page.getByRole('button', { name: 'Reveal password' }).click();
      await page.getByText(VALUE).waitFor();
      await page.clock.fastForward(31_000);
      await page.getByText(VALUE).waitFor({ state: 'detached' });
      const kept = await page.evaluate<string>(
        'JSON.stringify([localStorage, sessionStorage, document.title, location.href])',
      );
      expect(kept + said.join()).not.toContain(VALUE);
      expect(JSON.stringify(await context.storageState())).not.toMatch(/hunter2|mk_/);
      expect(await page.evaluate<string>('document.cookie')).toBe('');
    }, 60_000);

    test('a secret is shared in three clicks, and whoever gets it sees it at once', async () => {
      const [ada, bob] = [await logIn('ada'), await logIn('bob')];
      await bob.page.goto('/console/secrets');
      await bob.page.getByText('No secret is like that.').waitFor();
      await ada.page.goto('/console/secrets/default/database');
      await ada.page.getByRole('button', { name: 'Share' }).click();
      await ada.page.getByLabel('Users').fill('bob');
      const dialog = ada.page.getByRole('dialog');
      await dialog.getByText('User bob', { exact: true }).waitFor();
      if (engine === 'embedded') await picture(ada.page, 'share-light');
      expect(await axeViolations(ada.page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Share' }).click();
      await dialog.waitFor({ state: 'detached' });
      await bob.page.getByRole('link', { name: 'database' }).click();
      await bob.page.getByRole('heading', { name: 'The database' }).waitFor();
      // Who may only read is offered nothing else.
      await bob.page.getByRole('button', { name: 'Reveal password' }).waitFor();
      await bob.page.waitForTimeout(300);
      for (const name of ['Share', 'Delete', 'Add an entry', 'Change password', 'Remove password'])
        expect([name, await bob.page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
      await ada.page.getByRole('button', { name: 'Remove the rights of User bob' }).click();
      await bob.page.getByText('You may not see this.').first().waitFor();
    }, 60_000);

    test('a secret is made, filled and deleted with the keyboard alone', async () => {
      const { page } = await logIn('ada');
      await page.keyboard.press('Control+K');
      await page.getByRole('combobox').waitFor();
      await page.keyboard.type('Secrets');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Secrets' }).waitFor();
      await tabTo(page, 'New secret');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('Bad Name');
      await page.keyboard.press('Enter');
      await page
        .getByRole('dialog')
        .getByText(/RFC 1123/)
        .first()
        .waitFor();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('typed');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'typed' }).waitFor();
      await page.getByRole('button', { name: 'Add an entry' }).waitFor();
      await tabTo(page, 'Add an entry');
      await page.keyboard.press('Enter');
      await page.keyboard.type('token');
      await tabTo(page, 'Generate a value');
      await page.keyboard.press('Enter');
      await tabTo(page, 'Save');
      await page.keyboard.press('Enter');
      await page.getByText('32 bytes').waitFor();
      await tabTo(page, 'Delete', true);
      await page.keyboard.press('Enter');
      await page.keyboard.type('typed');
      await tabTo(page, 'Delete');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Secrets' }).waitFor();
      expect(
        (await client(on.server).send('GET', `${API}/namespaces/default/sharedsecrets/typed`)).status,
      ).toBe(404);
    }, 60_000);

    test('a key is made with a scope that is said in a sentence, and asked what it may', async () => {
      const { page } = await logIn('ada');
      await page.goto('/console/accesskeys');
      await page.getByRole('button', { name: 'New access key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Display name').fill('CI');
      await dialog.getByLabel('Only this').check();
      await dialog.getByLabel('Projects').fill('web');
      await dialog.getByText('It may use the project web with everything in it').waitFor();
      await dialog.getByLabel('Also the reads').check();
      if (engine === 'embedded') await picture(page, 'newkey-light');
      expect(await axeViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByText('This is shown only now.').waitFor();
      await dialog.getByRole('button', { name: 'Copy Access key' }).click();
      const key = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(key).toMatch(/^mk_/);
      keys.planted.push(key);
      await dialog.getByRole('button', { name: 'Ask' }).click();
      await dialog.getByText('No, it may not.').waitFor();
      await dialog.getByLabel('Namespace').fill('loft-p-web');
      await dialog.getByRole('button', { name: 'Ask' }).click();
      await dialog.getByText('Yes, it may.').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByRole('heading', { name: 'CI' }).waitFor();
      const used = await client(on.server, key).send('GET', `${API}/namespaces/loft-p-web/sharedsecrets`);
      expect(used.status).toBe(200);
    }, 60_000);

    test('a space is made, watched, moved and deleted', async () => {
      const { page } = await logIn('ada');
      await page.goto('/console/spaces');
      await page.getByRole('button', { name: 'New space' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Project', { exact: true }).selectOption('web');
      await dialog.getByLabel('Name', { exact: true }).fill('Bad Name');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog
        .getByText(/RFC 1123/)
        .first()
        .waitFor();
      expect(await dialog.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
      if (engine === 'embedded') await picture(page, 'newspace-light');
      expect(await axeViolations(page)).toEqual([]);
      await dialog.getByLabel('Name', { exact: true }).fill('preview');
      expect(await dialog.getByLabel('Cluster', { exact: true }).inputValue()).toBe('east');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'preview' }).waitFor();
      await tellStatus('spaceinstances/preview', {
        phase: 'Failed',
        reason: 'Quota',
        message: 'It is full.',
      });
      await page.getByText('It is full.').waitFor();
      await page.getByRole('button', { name: 'Move' }).click();
      await dialog.getByLabel('To the project').selectOption('shop');
      if (engine === 'embedded') await picture(page, 'movespace-light');
      await dialog.getByRole('button', { name: 'Move' }).click();
      await page.waitForURL('**/console/spaces/loft-p-shop/preview');
      await page.getByRole('heading', { name: 'preview' }).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.keyboard.type('preview');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'Spaces', exact: true }).waitFor();
    }, 60_000);

    test('a kube config goes into a file or the clipboard, and is not shown', async () => {
      const { page } = await logIn('ada');
      await page.goto('/console/virtualclusters/loft-p-web/dev');
      await page.getByRole('button', { name: 'Kube config' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Download' }).click();
      await dialog
        .getByRole('alert')
        .getByText(/accessPoint/)
        .waitFor();
      await page.route('**/kubeconfig', (route) =>
        route.fulfill({ json: { status: { kubeConfig: VALUE } } }),
      );
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
    }, 60_000);

    test('whoever is in no project is offered no space, and refused one', async () => {
      const { page } = await logIn('bob');
      await page.goto('/console/spaces');
      await page.getByText('No space is like that.').waitFor();
      await page.waitForTimeout(300);
      expect(await page.getByRole('button', { name: 'New space' }).count()).toBe(0);
      await page.goto('/console/spaces/loft-p-web/staging');
      await page.getByText('You may not see this.').waitFor();
    }, 60_000);

    test('nothing that is written into an object runs', async () => {
      const { page, violations, said } = await logIn('ada');
      for (const path of [
        '/console/secrets',
        '/console/secrets/default/hostile',
        `/console/secrets?q=${encodeURIComponent(HOSTILE)}`,
        '/console/spaces',
        '/console/spaces/loft-p-web/hostile',
        `/console/spaces?q=${encodeURIComponent(HOSTILE)}`,
        '/console/projects/web',
        '/console/',
      ]) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForTimeout(300);
        expect(await page.locator('img, main script').count()).toBe(0);
      }
      expect(violations).toEqual([]);
      expect(said.filter((text) => text.startsWith('error'))).toEqual([]);
    }, 60_000);

    test('a logout ends the session in every tab', async () => {
      const { page, context } = await logIn('bob');
      const other = await context.newPage();
      await other.goto('/console/secrets');
      await other.getByRole('heading', { name: 'Secrets' }).waitFor();
      await page.getByRole('button', { name: 'Account: bob' }).click();
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
      await other.getByRole('heading', { name: 'Log in' }).waitFor();
      expect(await context.cookies()).toEqual([]);
      if (engine === 'embedded') await picture(page, 'login-light');
      expect(await axeViolations(page)).toEqual([]);
    }, 60_000);

    test('no page is framed by another', async () => {
      const { page } = await logIn('bob');
      await page.route('https://evil.example/', (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<iframe src="${on.server.url}/console/"></iframe>`,
        }),
      );
      await page.goto('https://evil.example/');
      await page.waitForTimeout(500);
      const framed = page.frames().filter((frame) => frame !== page.mainFrame());
      const shown = await Promise.all(framed.map((frame) => frame.content().catch(() => '')));
      expect(shown.filter((html) => html.includes('id="app"'))).toEqual([]);
    }, 60_000);
  },
);

/** Goes there by Tab. */
async function tabTo(page: Person['page'], name: string, back = false): Promise<void> {
  const focused = `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`;
  for (let step = 0; step < 60; step += 1) {
    if ((await page.evaluate<string>(focused)) === name) return;
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
  }
  throw new Error(`Tab does not lead to ${name}`);
}
