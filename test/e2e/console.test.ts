/** The console in Chromium, against the real server on both engines, by people with different rights. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { AccessKeys } from '../fixtures/accesskeys.js';
import { accessKeys } from '../fixtures/accesskeys.js';
import type { Person, PersonOptions } from '../fixtures/chromium.js';
import {
  axeViolations,
  launchChromium,
  logInPerson,
  neededChromium,
  overflow,
  picture,
  tabTo,
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
  ['clusters', '/console/clusters'],
  ['cluster', '/console/clusters/east'],
  ['users', '/console/users'],
  ['user', '/console/users/ada'],
  ['teams', '/console/teams'],
  ['team', '/console/teams/shop'],
  ['yaml', `/console/yaml?path=${API}/namespaces/default/sharedsecrets/database`],
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

    const send = (path: string, body: object) => client(on.server).send('POST', `${API}${path}`, body);

    const logIn = (user: string, options?: PersonOptions): Promise<Person> =>
      logInPerson(browser, on.server, { user, accessKey: keyOf[user] ?? '' }, options);

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
      const texts = { displayName: HOSTILE, description: HOSTILE };
      const login = { email: HOSTILE, username: HOSTILE, subject: HOSTILE, groups: [HOSTILE] };
      await plant('/users', object('User', { name: 'hostile' }, { ...texts, ...login }));
      await plant(
        '/teams',
        object('Team', { name: 'shop' }, { ...texts, users: ['ada', HOSTILE], groups: [HOSTILE] }),
      );
    }

    async function grantAll(name: string): Promise<void> {
      const kind = 'ClusterRole';
      const apiGroup = 'rbac.authorization.k8s.io';
      const role = { kind, apiVersion: `${apiGroup}/v1`, metadata: { name: 'all' } };
      const rbac = `/apis/${apiGroup}/v1`;
      const admin = client(on.server);
      await admin.send('POST', `${rbac}/clusterroles`, {
        ...role,
        rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      });
      await admin.send('POST', `${rbac}/clusterrolebindings`, {
        ...{ ...role, kind: 'ClusterRoleBinding', roleRef: { kind, apiGroup, name: 'all' } },
        subjects: [{ kind: 'User', apiGroup, name }],
      });
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
      await grantAll('ruth');
      for (const user of ['ada', 'bob', 'ruth']) {
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

    // What pages look like has nothing to do with the engine.
    test.each([
      ['light', {}] as const,
      ...(engine === 'embedded'
        ? ([
            ['dark', { dark: true }],
            ['narrow', { width: 320 }],
          ] as const)
        : []),
    ])(
      'every page is accessible and fits, %s',
      async (look, options) => {
        const { page, violations } = await logIn('ruth', options);
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
      120_000,
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

    test('a user is made, disabled, put into a team and deleted', async () => {
      const { page } = await logIn('ruth');
      const dialog = page.getByRole('dialog');
      const name = dialog.getByLabel('Name', { exact: true });
      await page.goto('/console/users');
      await page.getByRole('button', { name: 'New user' }).click();
      await name.fill('Bad Name');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog
        .getByText(/RFC 1123/)
        .first()
        .waitFor();
      expect(await name.getAttribute('aria-invalid')).toBe('true');
      if (engine === 'embedded') await picture(page, 'newuser-light');
      expect(await axeViolations(page)).toEqual([]);
      await name.fill('carl');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'carl' }).waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('button', { name: 'Enable' }).waitFor();
      const kept = await client(on.server).send('GET', `${API}/users/carl`);
      expect(JSON.parse(kept.text)).toMatchObject({ spec: { disabled: true } });
      await page.goto('/console/teams');
      await page.getByRole('button', { name: 'New team' }).click();
      await name.fill('crew');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByText('Nobody', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Change members' }).click();
      await dialog.getByLabel('Members').fill('carl, ada');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'carl' }).click();
      await page.getByRole('link', { name: 'crew' }).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.keyboard.type('carl');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
      expect((await client(on.server).send('GET', `${API}/users/carl`)).status).toBe(404);
    }, 60_000);

    test('the commands that connect a cluster are shown, and that it came', async () => {
      const { page } = await logIn('ruth');
      await page.goto('/console/clusters');
      await page.getByRole('button', { name: 'Connect a cluster' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('west');
      await dialog.getByLabel('Display name').fill("Ada's; rm -rf /");
      const line = `platform connect cluster west --kubeconfig-file kubeconfig.yaml --display-name 'Ada'\\''s; rm -rf /'`;
      await dialog.getByText(line, { exact: true }).waitFor();
      await dialog.getByText('It is not there yet.').waitFor();
      await send('/clusters', object('Cluster', { name: 'west' }, {}));
      await dialog.getByRole('link', { name: 'west' }).waitFor();
      if (engine === 'embedded') await picture(page, 'connect-light');
      expect(await axeViolations(page)).toEqual([]);
      await dialog.getByRole('link', { name: 'west' }).click();
      await page.getByRole('heading', { name: 'west' }).waitFor();
    }, 60_000);

    test('whoever may not is offered no user, team or cluster, and refused', async () => {
      const { page } = await logIn('ada');
      for (const [path, button] of [
        ['users', 'New user'],
        ['teams', 'New team'],
        ['clusters', 'Connect a cluster'],
      ] as const) {
        await page.goto(`/console/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForTimeout(300);
        expect([path, await page.getByRole('button', { name: button }).count()]).toEqual([path, 0]);
        const forged = await client(on.server, keyOf.ada).send('POST', `${API}/${path}`, {
          metadata: { name: 'x' },
        });
        expect([path, forged.status]).toEqual([path, 403]);
      }
      await page.goto('/console/users/ada');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(300);
      for (const name of ['Disable', 'Delete'])
        expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
    }, 60_000);

    test('YAML is changed after it was seen what would change, without values of secrets', async () => {
      const { page } = await logIn('ada');
      await page.goto('/console/secrets/default/database');
      await page.getByRole('link', { name: 'YAML' }).click();
      const text = page.getByLabel('YAML');
      await text.waitFor();
      expect(await text.inputValue()).toContain('password: (hidden)');
      const base64 = Buffer.from(VALUE).toString('base64');
      expect(await page.content()).not.toContain(base64);
      const show = page.getByRole('button', { name: 'Show what would change' });
      const edit = async (from: string, to: string): Promise<void> => {
        await text.fill((await text.inputValue()).replace(from, to));
        await show.click();
      };
      await edit('description: Of the shop.', 'description: [');
      await page
        .getByRole('alert')
        .getByText(/line \d+/)
        .waitFor();
      await edit('description: [', 'description: 7');
      await page
        .getByRole('alert')
        .getByText(/spec\.description/)
        .waitFor();
      await edit('description: 7', 'description: Of all shops.');
      const diff = page.getByRole('region', { name: 'What would change' });
      await diff
        .getByText('- description: Of the shop.')
        .or(diff.getByText(/-\s+description: Of the shop/))
        .waitFor();
      await diff.getByText(/\+\s+description: Of all shops/).waitFor();
      if (engine === 'embedded') await picture(page, 'yamldiff-light');
      expect(await axeViolations(page)).toEqual([]);
      const path = `${API}/namespaces/default/sharedsecrets/database`;
      const read = async (): Promise<unknown> => JSON.parse((await client(on.server).send('GET', path)).text);
      expect(await read()).toMatchObject({ spec: { description: 'Of the shop.' } });
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('That is how it is now.').waitFor();
      expect(await read()).toMatchObject({
        spec: { description: 'Of all shops.', data: { password: base64 } },
      });
      // Somebody else is faster.
      await client(on.server).send(
        'PATCH',
        path,
        { spec: { displayName: 'The database', description: 'Other' } },
        {
          'content-type': 'application/merge-patch+json',
        },
      );
      await edit('Of all shops.', 'Mine.');
      await page.getByText('Somebody else changed this').waitFor();
      await page.getByRole('radio', { name: 'Theirs' }).check();
      await page.getByRole('button', { name: 'Go on with this' }).click();
      await page.getByText('Somebody else changed this').waitFor({ state: 'detached' });
      expect(await text.inputValue()).toContain('description: Other');
    }, 60_000);

    test('what is being deleted says what it waits for', async () => {
      const { page } = await logIn('ruth');
      const held = object('Team', { name: 'held', finalizers: ['example.com/hold'] }, {});
      const made = JSON.parse((await send('/teams', held)).text) as { metadata: { uid: string } };
      const owner = {
        kind: 'Team',
        apiVersion: 'management.svc.example/v1',
        name: 'held',
        uid: made.metadata.uid,
      };
      await send(
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
      await page.goto('/console/teams/held');
      await page.getByRole('heading', { name: 'held' }).waitFor();
      expect(await page.getByText('Why is it not deleted?').count()).toBe(0);
      await client(on.server).send('DELETE', `${API}/teams/held`, { propagationPolicy: 'Foreground' });
      const section = page.getByRole('region', { name: 'Why is it not deleted?' });
      await section.getByText('example.com/hold').waitFor();
      await section.getByText('foregroundDeletion').waitFor();
      await section.getByRole('link', { name: 'below' }).waitFor();
      await section.getByText('example.com/below').waitFor();
      expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
      if (engine === 'embedded') await picture(page, 'whynotdeleted-light');
      expect(await axeViolations(page)).toEqual([]);
      await section.getByRole('link', { name: 'below' }).click();
      await page.getByRole('heading', { name: 'YAML of below' }).waitFor();
    }, 60_000);

    test('nothing that is written into an object runs', async () => {
      const { page, violations, said } = await logIn('ruth');
      for (const path of [
        '/console/secrets',
        '/console/secrets/default/hostile',
        `/console/secrets?q=${encodeURIComponent(HOSTILE)}`,
        '/console/spaces',
        '/console/spaces/loft-p-web/hostile',
        `/console/spaces?q=${encodeURIComponent(HOSTILE)}`,
        '/console/projects/web',
        '/console/virtualclusters/loft-p-web/dev',
        '/console/clusters',
        '/console/clusters/east',
        '/console/users',
        '/console/users/hostile',
        '/console/teams',
        '/console/teams/shop',
        `/console/yaml?path=${API}/users/hostile`,
        `/console/yaml?path=${encodeURIComponent(HOSTILE)}`,
        '/console/',
      ]) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForTimeout(300);
        expect(await page.locator('img, main script').count()).toBe(0);
      }
      expect(violations).toEqual([]);
      expect(said.filter((text) => text.startsWith('error'))).toEqual([]);
    }, 120_000);

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
