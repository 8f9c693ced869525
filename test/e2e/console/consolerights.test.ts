/**
 * The console offers no action that the user may not do: with keys of others, and in namespaces without the right to
 * create secrets; in Chromium.
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
    await visit(page, '/console/accesskeys');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await button('Switch off ada-second').waitFor();
    await page.getByRole('heading', { name: 'ada-key' }).waitFor();
    await settled(page);
    for (const name of ['Switch off ada-key', 'Delete ada-key', 'Delete ada-second'])
      expect([name, await button(name).count()]).toEqual([name, 0]);
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
    await button('Switch off ada-second').click();
    await button('Switch on ada-second').waitFor();
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
