/**
 * The YAML editor of the console: completions, underlined errors, and that keyboard users can leave it; in Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  neededChromium,
  overflow,
  pasteYaml,
  picture,
  tabTo,
  visit,
  yamlText,
} from '../../fixtures/console/chromium.js';
import { API, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

const DATABASE = `${API}/namespaces/default/sharedsecrets/database`;

(neededChromium() ? describe : describe.skip)('the YAML editor', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
    await on.send('/projects', object('Project', { name: 'quiet' }, { owner: { user: 'ada' } }));
  });

  afterAll(() => on.remove());

  const editor = (page: Page) => page.getByRole('textbox', { name: 'YAML' });
  const offers = (page: Page) => page.getByRole('listbox', { name: 'What may be typed' });
  async function open(page: Page, path = DATABASE): Promise<void> {
    const schema = page.waitForResponse((response) => response.url().includes('/openapi/v3/'));
    await visit(page, `/console/yaml?path=${path}`);
    await editor(page).waitFor();
    await schema;
  }
  /**
   * CodeMirror ignores Enter for the first 75 ms after completions appear, so that an Enter for the text does not
   * accept one.
   */
  const settle = (page: Page) => page.waitForTimeout(150);
  /** Moves the cursor behind a text. */
  async function cursorAfter(page: Page, text: string): Promise<void> {
    const before = await yamlText(page);
    const at = before.indexOf(text) + text.length;
    expect(before).toContain(text);
    await page.locator('.cm-content:not([aria-readonly])').focus();
    await page.keyboard.press('Control+Home');
    for (const _line of before.slice(0, at).split('\n').slice(1)) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
  }

  test('offers the fields at the cursor with type and description, and not those that are there', async () => {
    const { page, violations, said } = await on.logIn('ada');
    await open(page);
    await cursorAfter(page, 'displayName: The database');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    const options = offers(page).getByRole('option');
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual([expect.stringMatching(/^access\s*\[\]object$/)]);
    await page.getByText('Access rights for users and teams', { exact: false }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await picture(page, 'yamloffers-light');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Space');
    await options.first().waitFor();
    await settle(page);
    await page.keyboard.press('Enter');
    await page.keyboard.type('ver');
    await options.filter({ hasText: 'verbs' }).waitFor();
    await settle(page);
    await page.keyboard.press('Enter');
    await page.keyboard.type('get');
    await page.keyboard.press('Enter');
    expect(await yamlText(page)).toContain('  access:\n    - verbs:\n        - get\n');
    expect(await editor(page).getAttribute('aria-activedescendant')).toBeNull();
    expect(violations).toEqual([]);
    expect(said.filter((text) => text.startsWith('error'))).toEqual([]);
  });

  test('offers the values of an enumeration, the API version and the kind', async () => {
    const { page } = await on.logIn('ruth');
    await open(page, `${API}/projects/quiet`);
    const options = offers(page).getByRole('option');
    const ask = async (text: string, at: string): Promise<string[]> => {
      await pasteYaml(page, text);
      await cursorAfter(page, at);
      await page.keyboard.press('Control+Space');
      await options.first().waitFor();
      const found = await options.allInnerTexts();
      await page.keyboard.press('Escape');
      await offers(page).waitFor({ state: 'detached' });
      return found;
    };
    expect(await ask('apiVersion: \n', 'apiVersion: ')).toEqual(['management.svc.example/v1']);
    expect(await ask('kind: \n', 'kind: ')).toEqual(['Project']);
    const members = 'spec:\n  members:\n    - name: bob\n      kind: ';
    expect((await ask(members, members)).sort()).toEqual(['Team', 'User']);
  });

  test('underlines wrong fields while they are typed, and leads to them', async () => {
    const { page, violations } = await on.logIn('ada');
    await open(page);
    const text = await yamlText(page);
    await pasteYaml(
      page,
      text.replace('description: Of', 'descripton: Of').replace(/owner:\n\s+user: ada/, 'owner: 7'),
    );
    await page.getByText('2 problems in the text').waitFor();
    const marked = page.locator('.cm-lintRange-error');
    expect((await marked.allInnerTexts()).sort()).toEqual(['7', 'descripton']);
    await page
      .getByText('There is no field spec.descripton here; there are displayName, description')
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await picture(page, 'yamlproblems-light');
    const line = text.split('\n').findIndex((one) => one.includes('description:')) + 1;
    await page.getByRole('button', { name: `Line ${line}`, exact: true }).click();
    await page.keyboard.type('X');
    expect(await yamlText(page)).toContain('Xdescripton');
    await page.keyboard.press('Control+Z');
    expect(await yamlText(page)).not.toContain('Xdescripton');
    expect(violations).toEqual([]);
  });

  test('keeps each letter of fast typing in its place', async () => {
    const { page } = await on.logIn('ada');
    await open(page);
    await cursorAfter(page, 'displayName: The database');
    const typed = ' of those who type without a pause'.repeat(3);
    // Playwright waits until each typed character is rendered.
    await page.evaluate(`(async () => {
      for (const letter of ${JSON.stringify(typed)}) {
        document.execCommand('insertText', false, letter);
        await new Promise((resume) => setTimeout(resume, 1));
      }
    })()`);
    expect(await yamlText(page)).toContain(`  displayName: The database${typed}\n`);
  });

  test('goes on while brackets are typed that nest without end', async () => {
    const { page, said } = await on.logIn('ada');
    await open(page);
    const text = await yamlText(page);
    for (const deep of ['{'.repeat(1000), `spec: ${'['.repeat(20_000)}`, '- '.repeat(2000)]) {
      await pasteYaml(page, deep);
      await page.getByText('This nests deeper than 100 levels').waitFor();
      await page.keyboard.type('[a');
      await page.keyboard.press('Control+Space');
      await page.getByText('1 problem in the text').waitFor();
    }
    await picture(page, 'yamldeep-light');
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await page.getByRole('alert').getByText('This nests deeper than 100 levels').waitFor();
    await pasteYaml(page, text.replace('description: Of', 'descripton: Of'));
    await page.getByText('There is no field spec.descripton here').waitFor();
    expect(said.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test('shows what the server refuses at its field', async () => {
    const { page } = await on.logIn('ada');
    await open(page);
    const text = await yamlText(page);
    await pasteYaml(page, text.replace(/^metadata:$/m, 'metadata:\n  labels:\n    team: "not a label!"'));
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByText('1 problem in the text').waitFor();
    expect(await page.locator('.cm-lintRange-error').count()).toBe(1);
    await page.getByRole('listitem').getByText('metadata.labels').waitFor();
  });

  test('a field that the kind does not have is refused and not dropped', async () => {
    const { page } = await on.logIn('ada');
    await open(page);
    await pasteYaml(page, (await yamlText(page)).replace('description: Of', 'descripton: Of'));
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await page
      .getByRole('alert')
      .getByText(/unknown field "spec\.descripton"/)
      .waitFor();
  });

  test('finds nothing wrong with the objects that there are', async () => {
    const { page, said } = await on.logIn('ruth');
    for (const path of [
      DATABASE,
      `${API}/projects/web`,
      `${API}/clusters/east`,
      `${API}/users/hostile`,
      `${API}/teams/shop`,
      `${API}/ownedaccesskeys/ada-key`,
      `${API}/namespaces/loft-p-web/spaceinstances/staging`,
      `${API}/namespaces/loft-p-web/virtualclusterinstances/dev`,
      '/api/v1/namespaces/default',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin',
    ]) {
      await visit(page, `/console/yaml?path=${path}`);
      await editor(page)
        .getByText(`name: ${path.split('/').at(-1) ?? ''}`, { exact: true })
        .waitFor();
      // An error for one invalid field shows that the schema is in use.
      await cursorAfter(page, 'metadata:');
      await page.keyboard.press('Home');
      await page.keyboard.type('nonsense: 1\n');
      await page.getByText('There is no field nonsense here').waitFor();
      expect([path, await page.locator('.problems li').allInnerTexts()]).toEqual([
        path,
        [expect.stringContaining('nonsense')],
      ]);
      // Who leaves changes is asked whether to.
      await page.keyboard.press('Control+Z');
    }
    expect(said.filter((text) => text.startsWith('error'))).toEqual([]);
  });

  test('Tab leaves the editor, and a read-only text says that it is', async () => {
    const ada = await on.logIn('ada');
    await open(ada.page);
    await ada.page.locator('.cm-content:not([aria-readonly])').focus();
    await ada.page.keyboard.type('x');
    await ada.page.keyboard.press('Control+Z');
    await ada.page.keyboard.press('Tab');
    expect(await ada.page.evaluate('document.activeElement?.shadowRoot ?? null')).toBeNull();
    await tabTo(ada.page, 'Home', true);
    expect(await editor(ada.page).getAttribute('aria-multiline')).toBe('true');
    await on.send(
      '/namespaces/default/sharedsecrets',
      object(
        'SharedSecret',
        { name: 'read' },
        {
          owner: { user: 'ada' },
          access: [{ verbs: ['get'], users: ['bob'] }],
        },
      ),
    );
    const bob = await on.logIn('bob');
    await open(bob.page, `${API}/namespaces/default/sharedsecrets/read`);
    await bob.page.getByText('You may read this and not change it').waitFor();
    expect(await editor(bob.page).getAttribute('aria-readonly')).toBe('true');
    const before = await yamlText(bob.page);
    await editor(bob.page).focus();
    await bob.page.keyboard.type('typed');
    expect(await yamlText(bob.page)).toBe(before);
  });

  test('completions and errors are readable and fit, narrow and dark', async () => {
    const { page, violations } = await on.logIn('ada', { width: 320, dark: true });
    await open(page);
    await pasteYaml(page, `${await yamlText(page)}`.replace('description: Of', 'descripton: Of'));
    await page.getByText('1 problem in the text').waitFor();
    await cursorAfter(page, 'displayName: The database');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    await offers(page).waitFor();
    await picture(page, 'yamloffers-narrow-dark');
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(violations).toEqual([]);
  });
});
