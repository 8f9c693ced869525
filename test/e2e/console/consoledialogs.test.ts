/**
 * Every dialog of the console in German, on a wide screen and on a phone: no text is cut off, and everything is
 * accessible. In Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  neededChromium,
  overflow,
  picture,
  settled,
  visit,
} from '../../fixtures/console/chromium.js';
import { API, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

const DATABASE = '/console/secrets/default/database';

const press = async (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();

/** The name of the picture, the page, the buttons that open the dialog, and further steps. */
const DIALOGS: readonly (readonly [string, string, readonly string[], ((page: Page) => Promise<void>)?])[] = [
  ['newsecret', '/console/secrets', ['Neues Geheimnis']],
  ['share', DATABASE, ['Teilen'], (page) => page.getByRole('combobox', { name: 'Benutzer' }).fill('bob')],
  ['addentry', DATABASE, ['Eintrag hinzufügen']],
  ['changeentry', DATABASE, ['password ändern']],
  ['removeentry', DATABASE, ['password entfernen']],
  ['deletesecret', DATABASE, ['Löschen']],
  [
    'newkey',
    '/console/accesskeys',
    ['Neuer Zugangsschlüssel'],
    async (page) => {
      await page.getByLabel('Nur dies').check();
      await page.getByRole('combobox', { name: 'Projekte' }).fill('web');
    },
  ],
  ['madekey', '/console/accesskeys', ['Neuer Zugangsschlüssel', 'Anlegen']],
  ['newprojectkey', '/console/projects/web', ['Neuer Zugangsschlüssel']],
  ['deletekey', '/console/accesskeys/ada-key', ['Löschen']],
  ['rotatekey', '/console/accesskeys/ada-key', ['Erneuern']],
  ['newproject', '/console/projects', ['Neues Projekt']],
  ['addmember', '/console/projects/web', ['Mitglied hinzufügen']],
  ['quotas', '/console/projects/web', ['Kontingente ändern']],
  ['deleteproject', '/console/projects/web', ['Löschen']],
  ['newspace', '/console/spaces', ['Neuer Space']],
  ['movespace', '/console/spaces/loft-p-web/staging', ['Verschieben']],
  ['deletespace', '/console/spaces/loft-p-web/staging', ['Löschen']],
  ['import', '/console/virtualclusters', ['Importieren']],
  ['kubeconfig', '/console/virtualclusters/loft-p-web/dev', ['Kubeconfig']],
  ['connect', '/console/clusters', ['Cluster verbinden']],
  ['deletecluster', '/console/clusters/east', ['Löschen']],
  ['newuser', '/console/users', ['Neuer Benutzer']],
  ['disableuser', '/console/users/ada', ['Sperren']],
  ['newteam', '/console/teams', ['Neues Team']],
  ['changemembers', '/console/teams/shop', ['Mitglieder ändern']],
  ['account', '/console/', ['Konto: ruth']],
  [
    'palette',
    '/console/',
    [],
    async (page) => {
      // The account is no part of a page.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+K');
    },
  ],
];

/** Finds texts that are cut off: elements that are wider than their box, and do not scroll. */
const CUT = `[...document.querySelectorAll('button, a, label, h1, h2, h3, p, dt, dd, td, th, legend, option, .badge, .hint')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
  .filter((one) => getComputedStyle(one).overflowX === 'hidden' && !one.closest('.visually-hidden'))
  .map((one) => one.textContent.slice(0, 60))`;

/**
 * Popovers have hidden buttons for screen readers that close them, outside of their dialog. The rule that forbids this
 * is not part of WCAG.
 */
const violations = async (page: Page): Promise<string[]> =>
  (await axeViolations(page)).filter((text) => !text.startsWith('region:'));

(neededChromium() ? describe : describe.skip)('dialogs of the console in German', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
    const members = [{ kind: 'User', name: 'bob', clusterRole: 'management-project-viewer' }];
    const project = await on.admin.send(
      'PATCH',
      `${API}/projects/web`,
      { spec: { members } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect([project.status, project.text]).toEqual([200, expect.anything()]);
    const held = object('SharedSecret', { name: 'held', finalizers: ['example.com/backup'] }, {});
    expect((await on.send('/namespaces/default/sharedsecrets', held)).status).toBe(201);
    await on.admin.send('DELETE', `${API}/namespaces/default/sharedsecrets/held`);
  });

  afterAll(() => on?.remove());

  test.each([
    ['wide', { german: true }],
    ['narrow, dark', { german: true, dark: true, width: 320 }],
  ] as const)('nothing is cut off, %s', async (look, options) => {
    const { page } = await on.logIn('ruth', options);
    const found: string[] = [];
    for (const [name, path, buttons, more] of DIALOGS) {
      // Dialogs close with their page.
      await visit(page, '/console/there-is-no-such-page');
      await visit(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const button of buttons) await press(page, button);
      await more?.(page);
      await page.getByRole('dialog').or(page.getByRole('alertdialog')).first().waitFor();
      await settled(page);
      // Other suites check the same dialogs in English, with the light theme on a wide screen.
      if (look !== 'wide') found.push(...(await violations(page)).map((text) => `${name}: ${text}`));
      await picture(page, `german-${name}-${look.split(',')[0] ?? ''}`);
      found.push(...(await page.evaluate<string[]>(CUT)).map((text) => `${name}: cut off: ${text}`));
      const wide = await overflow(page);
      if (wide > 0) found.push(`${name}: ${wide} px too wide`);
    }
    expect(found).toEqual([]);
  });
});
