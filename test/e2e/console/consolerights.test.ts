/**
 * The console offers no action that the user may not do, with keys of others, and in namespaces without the right to
 * create secrets; and it tells what somebody can read; in Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import {
  axeViolations,
  launchChromium,
  logInPerson,
  neededChromium,
  overflow,
  picture,
  settled,
  visit,
  type Person,
} from '../../fixtures/console/chromium.js';
import { client } from '../../fixtures/clients/client.js';
import { API, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

const RBAC = 'rbac.authorization.k8s.io';

(neededChromium() ? describe : describe.skip)('rights in the console', () => {
  let on: ConsoleStage;
  let browser: Browser;
  const keyOf: Record<string, string> = {};

  /** Eve sees all access keys and may change one of ada's; finn is a member of nothing and owns a project. */
  beforeAll(async () => {
    on = await stageConsole();
    browser = await launchChromium();
    for (const user of ['eve', 'finn']) {
      await on.keys.createUser(user);
      keyOf[user] = (await on.keys.createKey(`${user}-key`, { user })).spec.key as string;
    }
    await on.keys.createKey('ada-second', { user: 'ada' });
    const resources = { apiGroups: ['management.svc.example'], resources: ['ownedaccesskeys'] };
    await grant('eve', [
      { ...resources, verbs: ['get', 'list', 'watch'] },
      { ...resources, verbs: ['patch'], resourceNames: ['ada-second'] },
    ]);
    await on.send('/projects', object('Project', { name: 'attic' }, { owner: { user: 'finn' } }));
  });

  afterAll(async () => {
    await browser?.close();
    await on?.remove();
  });

  async function grant(user: string, rules: object[]): Promise<void> {
    const role = { kind: 'ClusterRole', apiVersion: `${RBAC}/v1`, metadata: { name: user } };
    await on.admin.send('POST', `/apis/${RBAC}/v1/clusterroles`, { ...role, rules });
    await on.admin.send('POST', `/apis/${RBAC}/v1/clusterrolebindings`, {
      ...role,
      kind: 'ClusterRoleBinding',
      roleRef: { kind: 'ClusterRole', apiGroup: RBAC, name: user },
      subjects: [{ kind: 'User', apiGroup: RBAC, name: user }],
    });
  }

  const logIn = (user: string, options = {}): Promise<Person> =>
    logInPerson(browser, on.server, { user, accessKey: keyOf[user] ?? '' }, options);

  test('only users with the right switch and delete keys', async () => {
    const { page } = await logIn('eve');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await visit(page, '/console/accesskeys/ada-key');
    await page.getByRole('heading', { level: 1, name: 'ada-key' }).waitFor();
    await settled(page);
    for (const name of ['Disable', 'Rotate', 'Delete'])
      expect([name, await button(name).count()]).toEqual([name, 0]);
    await visit(page, '/console/accesskeys/ada-second');
    await button('Disable').waitFor();
    await settled(page);
    expect(await button('Delete').count()).toBe(0);
    const forged = client(on.server, keyOf.eve);
    for (const [method, key] of [
      ['PATCH', 'ada-key'],
      ['DELETE', 'ada-key'],
      ['DELETE', 'ada-second'],
    ] as const) {
      const merge = { 'content-type': 'application/merge-patch+json' };
      const body = method === 'PATCH' ? { spec: { disabled: true } } : undefined;
      const { status } = await forged.send(method, `${API}/ownedaccesskeys/${key}`, body, merge);
      expect([method, key, status]).toEqual([method, key, 403]);
    }
    await picture(page, 'accesskeysrights-light');
    expect(await axeViolations(page)).toEqual([]);
    await button('Disable').click();
    await button('Enable').waitFor();
  });

  test('nobody is shown errors for what they may not list', async () => {
    const { page } = await logIn('finn');
    for (const path of [
      '',
      'secrets',
      'accesskeys',
      'projects',
      'projects/attic',
      'projects/web',
      'spaces',
      'virtualclusters',
      'clusters',
      'users',
      'users/finn',
      'users/ada',
      'teams',
      'teams/shop',
      'secrets/default/database',
      `yaml?path=${API}/users/ada`,
      `whocan?path=${API}/projects/web`,
    ]) {
      await visit(page, `/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading…').first().waitFor({ state: 'detached' });
      await settled(page);
      expect([path, await page.locator('.notice.bad, .notice.refused').allInnerTexts()]).toEqual([path, []]);
      expect([path, /forbidden|cannot (get|list)/.exec(await page.locator('main').innerText())]).toEqual([
        path,
        null,
      ]);
    }
    await visit(page, '/console/users/ada');
    await settled(page);
    await picture(page, 'unseenuser-light');
    await visit(page, '/console/projects/attic');
    await settled(page);
    await picture(page, 'unseenproject-light');
  });

  test('a secret is created where the user may, and not offered to users without such a place', async () => {
    const eve = await logIn('eve', { width: 320, dark: true });
    await visit(eve.page, '/console/secrets');
    await eve.page.getByText('There is nothing here yet that you may see.').waitFor();
    await settled(eve.page);
    expect(await eve.page.getByRole('button', { name: 'New secret' }).count()).toBe(0);
    expect(await overflow(eve.page)).toBe(0);
    await picture(eve.page, 'secretsrights-narrow');
    const forged = await client(on.server, keyOf.eve).send(
      'POST',
      `${API}/namespaces/default/sharedsecrets`,
      object('SharedSecret', { name: 'forged' }, {}),
    );
    expect(forged.status).toBe(403);
    const finn = await logIn('finn');
    await visit(finn.page, '/console/secrets');
    await finn.page.getByRole('button', { name: 'New secret' }).click();
    const dialog = finn.page.getByRole('dialog');
    expect(await dialog.getByRole('combobox', { name: 'Project' }).inputValue()).toBe('attic');
    await dialog.getByLabel('Name', { exact: true }).fill('trunk');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await finn.page.getByRole('heading', { level: 1, name: 'trunk' }).waitFor();
  });
});

(neededChromium() ? describe : describe.skip)('what somebody can read', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
    const owner = { user: 'ada' };
    const made = [
      await on.send('/teams', object('Team', { name: 'crew' }, { users: ['bob'] })),
      await on.send(
        '/namespaces/default/sharedsecrets',
        object(
          'SharedSecret',
          { name: 'own' },
          { owner, access: [{ name: 'reads', verbs: ['get'], users: ['bob'] }] },
        ),
      ),
      await on.send(
        '/namespaces/loft-p-web/projectsecrets',
        object('ProjectSecret', { name: 'crews' }, { owner, access: [{ verbs: ['get'], teams: ['crew'] }] }),
      ),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  afterAll(() => on?.remove());

  test.each([
    ['light', {}],
    ['narrow-dark', { width: 320, dark: true }],
  ] as const)('a page tells objects, and by what they are read, %s', async (look, options) => {
    const { page, violations } = await on.logIn('ruth', options);
    await visit(page, '/console/users/bob');
    const section = page.getByRole('region', { name: 'What bob can read' });
    const row = (name: string) =>
      section.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    await row('own').getByRole('link', { name: 'shared', exact: true }).waitFor();
    await row('crews').getByRole('link', { name: 'shared, through team crew' }).waitFor();
    await row('crews').getByText('Project web').waitFor();
    expect(await row('database').count()).toBe(0);
    expect(await section.textContent()).not.toMatch(/spec\.|loft-p-|project-member/);
    await settled(page);
    await picture(page, `reach-${look}`);
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);
    await visit(page, '/console/teams/crew');
    const ofTeam = page.getByRole('region', { name: 'What crew can read' });
    await ofTeam.getByRole('link', { name: 'crews' }).waitFor();
    expect(await ofTeam.getByRole('link', { name: 'own', exact: true }).count()).toBe(0);
    expect(violations).toEqual([]);
  });

  test('somebody with few rights is told of what they see, and what they may not know', async () => {
    const { page } = await on.logIn('bob');
    await visit(page, '/console/users/bob');
    const section = page.getByRole('region', { name: 'What bob can read' });
    await section.getByRole('link', { name: 'own', exact: true }).waitFor();
    await section.getByText('You may not read everything that gives rights').waitFor();
    expect(await section.getByRole('link', { name: 'database' }).count()).toBe(0);
    expect(await page.locator('.notice.bad, .notice.refused').count()).toBe(0);
  });
});
