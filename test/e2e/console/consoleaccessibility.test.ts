/**
 * What docs/accessibility.md says beside axe: what the accessibility tree has for screen readers in the five main jobs, the focus on
 * every stop of Tab, larger text and wider spacing; in Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { neededChromium, overflow, picture, settled, visit } from '../../fixtures/console/chromium.js';
import { API, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

const SECRET = '/console/secrets/default/database';
const WHO_CAN = `/console/whocan?path=${API}/namespaces/default/sharedsecrets/database&verb=get`;
const PAGES = ['/console/', '/console/secrets', SECRET, '/console/projects/web', '/console/accesskeys'];

/** The lines of the accessibility tree, as a screen reader comes to them; some are quoted, as YAML is. */
async function treeOf(where: Locator): Promise<readonly string[]> {
  const lines = (await where.ariaSnapshot()).split('\n');
  return lines.map((line) => line.trim().replace(/^- '?/, ''));
}

/** Fails where no line begins so, or only one before that which is named before it. */
async function reads(where: Locator, lines: readonly string[]): Promise<void> {
  const tree = await treeOf(where);
  let at = 0;
  for (const line of lines) {
    at = tree.findIndex((one, place) => place >= at && one.startsWith(line)) + 1;
    expect([line, at > 0, at > 0 ? '' : tree]).toEqual([line, true, '']);
  }
}

/** Where the focus is: in words, whether it is seen, and whether something lies over it. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  const { left, top, width, height } = one.getBoundingClientRect();
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one.closest('[data-focus-visible]') ?? one);
  const over = document.elementFromPoint(left + width / 2, top + height / 2);
  const ring = (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none';
  return {
    name: one.getAttribute('aria-label') ?? one.textContent.trim().slice(0, 40),
    isPage: one === document.body || one === document.documentElement,
    fault: !ring && one.closest('svg') === null ? 'has no ring'
      : over !== null && !one.contains(over) && !over.contains(one) ? 'is covered' : '',
  };
})()`;

interface Focused {
  readonly name: string;
  readonly isPage: boolean;
  readonly fault: string;
}

async function faultsOfTab(
  page: Page,
): Promise<{ readonly stops: number; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  for (let stops = 0; stops < 100; stops += 1) {
    await page.keyboard.press('Tab');
    const { name, isPage, fault } = await page.evaluate<Focused>(FOCUSED);
    if (isPage) return { stops, faults };
    if (fault !== '') faults.push(`${name} ${fault}`);
  }
  throw new Error('Tab does not come to the end of the page');
}

(neededChromium() ? describe : describe.skip)('accessibility of the console', () => {
  let on: ConsoleStage;
  beforeAll(async () => {
    on = await stageConsole();
  });
  afterAll(() => on?.remove());

  async function opened(page: Page, path: string): Promise<Locator> {
    await visit(page, path);
    const main = page.getByRole('main');
    await main.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
    return main;
  }

  async function dialogOf(page: Page, button: string): Promise<Locator> {
    await page.getByRole('button', { name: button, exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { level: 2 }).waitFor();
    await settled(page);
    return dialog;
  }

  test('a secret is made and shared: each field has its name, and each choice its group', async () => {
    const { page } = await on.logIn('ruth');
    await opened(page, '/console/');
    await reads(await dialogOf(page, 'New secret'), [
      'dialog "New secret":',
      'heading "New secret" [level=2]',
      'textbox "Display name"',
      'textbox "Name"',
      'group "Entries":',
      'textbox "Entry"',
      'textbox "Value"',
      'group "Where it will be":',
      'group "Share it with":',
      'combobox "Users"',
      'combobox "Teams"',
      'button "Cancel"',
      'button "Create"',
    ]);
    await page.keyboard.press('Escape');
    await reads(await opened(page, SECRET), [
      'heading "The database" [level=1]',
      'button "Share"',
      'button "Reveal password"',
    ]);
    await reads(await dialogOf(page, 'Share'), [
      'dialog "Share database":',
      'combobox "Users"',
      'combobox "Teams"',
      'heading "Afterwards" [level=3]',
      'button "Share" [disabled]',
    ]);
  });

  test('a key is made for a pipeline: what it may do is told as it is chosen', async () => {
    const { page } = await on.logIn('ruth');
    await opened(page, '/console/accesskeys');
    const dialog = await dialogOf(page, 'New access key');
    await reads(dialog, [
      'group "What it is for":',
      'radio "For me" [checked]',
      'radio "For a pipeline, as a key of a project"',
      'combobox "Ends after":',
      'group "What it may do":',
      'status: It may do everything that its owner may do.',
      'button "Create"',
    ]);
    await dialog.getByText('Only this').click();
    await reads(dialog, ['radio "Only this" [checked]', 'status: It may do nothing.']);
  });

  test('a member is added to a project: roles say what they mean', async () => {
    const { page } = await on.logIn('ruth');
    await opened(page, '/console/projects/web');
    await reads(await dialogOf(page, 'Add a member'), [
      'group "Who is added":',
      'combobox "User"',
      'group "Role":',
      'radio "User: creates and uses spaces and virtual clusters, and reads project secrets" [checked]',
      'button "Add"',
    ]);
  });

  test('who can read a secret: the graph is told as a list, too', async () => {
    const { page } = await on.logIn('ruth');
    const main = await opened(page, WHO_CAN);
    await main.getByText('You may.', { exact: true }).waitFor();
    await reads(main, [
      'heading "Who can read database?" [level=1]',
      'combobox "What":',
      'searchbox "Only with this name"',
      'status: You may.',
      'group "Graph: who can read database"',
      'heading "4 ways" [level=2]',
      'link "ada":',
      'text: Owner (everything)',
    ]);
  });

  test('a cluster is connected: commands are text, and copied by buttons that name them', async () => {
    const { page } = await on.logIn('ruth');
    await opened(page, '/console/clusters');
    await reads(await dialogOf(page, 'Connect a cluster'), [
      'textbox "Name"',
      'code: platform connect cluster NAME --image-repository REGISTRY/management-apiserver',
      'button "Copy: platform connect cluster NAME --image-repository REGISTRY/management-apiserver"',
      'status: It is not there yet.',
      'button "Close"',
    ]);
  });

  test('a page has landmarks, a way past its menu, and a title of its own', async () => {
    const { page } = await on.logIn('ruth');
    const titles = new Set<string>();
    for (const path of PAGES) {
      await opened(page, path);
      titles.add(await page.title());
      await reads(page.locator('body'), [
        'link "Skip to content":',
        'banner:',
        'navigation "Main":',
        'main:',
      ]);
    }
    expect(titles.size).toBe(PAGES.length);
    await page.goto('/console/secrets');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>(`document.activeElement.closest('main') !== null`)).toBe(true);
  });

  test.each([
    ['light', {}],
    ['dark', { dark: true }],
    ['phone', { width: 320 }],
  ] as const)('Tab shows where it is, and nothing lies over it, %s', async (_look, options) => {
    const { page } = await on.logIn('ruth', options);
    for (const path of PAGES) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settled(page);
      const { stops, faults } = await faultsOfTab(page);
      expect([path, faults]).toEqual([path, []]);
      expect(stops).toBeGreaterThan(3);
    }
  });

  test.each([
    ['text of twice the size', `document.documentElement.style.fontSize = '200%'`, 'large'],
    [
      'text with the spacing of WCAG 1.4.12',
      `(() => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }');
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      })()`,
      'spaced',
    ],
  ])('%s fits', async (_title, change, look) => {
    const { page } = await on.logIn('ruth');
    for (const [at, path] of PAGES.entries()) {
      await opened(page, path);
      await page.evaluate(change);
      await picture(page, `accessibility-${look}-${at}`);
      expect([path, await overflow(page)]).toEqual([path, 0]);
    }
  });
});
