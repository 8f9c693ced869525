/** Every page of the console: its appearance, and what it must not do; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  axeViolations,
  neededChromium,
  overflow,
  picture,
  settled,
  visit,
} from '../../fixtures/console/chromium.js';
import {
  API,
  HOSTILE,
  object,
  stageConsole,
  type ConsoleStage,
} from '../../fixtures/console/consolestage.js';

const PAGES = [
  ['home', '/console/'],
  ['secrets', '/console/secrets'],
  ['secret', '/console/secrets/default/database'],
  ['projectsecret', '/console/projectsecrets/loft-p-web/deploy'],
  ['accesskeys', '/console/accesskeys'],
  ['accesskey', '/console/accesskeys/ada-key'],
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
  ['audit', '/console/audit'],
  ['yaml', `/console/yaml?path=${API}/namespaces/default/sharedsecrets/database`],
  ['whocanuser', `/console/whocan?path=${API}/users/ada&verb=update`],
  ['nowhere', '/console/there-is-no-such-page'],
] as const;

(neededChromium() ? describe : describe.skip)('pages in the console', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
    const deploy = object('ProjectSecret', { name: 'deploy' }, { data: { token: 'dA==' } });
    expect((await on.send('/namespaces/loft-p-web/projectsecrets', deploy)).status).toBe(201);
  });

  afterAll(() => on.remove());

  test.each([
    ['light', {}],
    ['dark, in German', { dark: true, german: true }],
    ['narrow', { width: 320 }],
  ] as const)('every page is accessible and fits, %s', async (look, options) => {
    const { page, violations } = await on.logIn('ruth', options);
    const found: string[] = [];
    for (const [name, path] of PAGES) {
      await visit(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page
        .getByText(/^(Loading|Lädt)/)
        .first()
        .waitFor({ state: 'detached' });
      await settled(page);
      await picture(page, `${name}-${look.split(',')[0] ?? ''}`);
      found.push(...(await axeViolations(page)).map((text) => `${name}: ${text}`));
      const wide = await overflow(page);
      if (wide > 0) found.push(`${name}: ${wide} px too wide`);
    }
    expect(found).toEqual([]);
    expect(violations).toEqual([]);
  });

  /**
   * Writes hostile texts where {@link stageConsole} writes none: keys, projects, annotations, responses of clusters,
   * the audit log.
   */
  async function plantMoreHostile(): Promise<void> {
    const owner = { user: 'ada' };
    const texts = { displayName: HOSTILE, description: HOSTILE };
    const annotations = { 'example.com/note': HOSTILE };
    const metadata = { name: 'odd', annotations };
    const made = [
      await on.send('/projects', object('Project', metadata, { ...texts, owner })),
      await on.send('/ownedaccesskeys', object('OwnedAccessKey', metadata, { ...texts, user: 'ada' })),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const condition = { type: 'Odd', status: 'False', reason: 'Odd', message: HOSTILE };
    const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const status = { phase: 'Failed', reason: 'Odd', message: HOSTILE, version: HOSTILE, conditions };
    const merge = { 'content-type': 'application/merge-patch+json' };
    const told = await on.admin.send('PATCH', `${API}/clusters/east/status`, { status }, merge);
    expect([told.status, told.text]).toEqual([200, expect.anything()]);
    await on.admin.send('GET', `${API}/hostile`, undefined, { 'user-agent': HOSTILE });
    // Names of entries are restricted: these are refused.
    const secret = object('SharedSecret', { name: 'odd' }, { data: { [HOSTILE]: '' } });
    expect((await on.send('/namespaces/default/sharedsecrets', secret)).status).toBe(422);
  }

  test('nothing that is written into an object runs', async () => {
    await plantMoreHostile();
    const { page, violations, said } = await on.logIn('ruth');
    for (const path of [
      '/console/accesskeys',
      '/console/projects',
      '/console/projects/odd',
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
      '/console/audit',
      `/console/audit?user=${encodeURIComponent(HOSTILE)}`,
      `/console/whocan?path=${API}/namespaces/default/sharedsecrets/hostile`,
      `/console/whocan?path=${encodeURIComponent(HOSTILE)}&verb=${encodeURIComponent(HOSTILE)}`,
      `/console/yaml?path=${API}/users/hostile`,
      `/console/yaml?path=${API}/projects/odd`,
      `/console/whocan?path=${API}/projects/odd`,
      '/console/audit?resource=hostile',
      `/console/yaml?path=${encodeURIComponent(HOSTILE)}`,
      '/console/',
    ]) {
      await visit(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settled(page);
      expect(await page.locator('img, main script').count()).toBe(0);
    }
    expect(violations).toEqual([]);
    expect(said.filter((text) => text.startsWith('error'))).toEqual([]);
  });

  test('a logout ends the session in every tab', async () => {
    const { page, context } = await on.logIn('bob');
    const other = await context.newPage();
    await other.goto('/console/secrets');
    await other.getByRole('heading', { name: 'Secrets' }).waitFor();
    await page.getByRole('button', { name: 'Account: bob' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await other.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    await picture(page, 'login-light');
    expect(await axeViolations(page)).toEqual([]);
  });

  test('no page is framed by another', async () => {
    const { page } = await on.logIn('bob');
    await page.route('https://evil.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${on.server.url}/console/"></iframe>`,
      }),
    );
    await page.goto('https://evil.example/');
    await settled(page);
    const framed = page.frames().filter((frame) => frame !== page.mainFrame());
    const shown = await Promise.all(framed.map((frame) => frame.content().catch(() => '')));
    expect(shown.filter((html) => html.includes('id="app"'))).toEqual([]);
  });
});
