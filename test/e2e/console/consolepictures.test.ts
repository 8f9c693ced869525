/** The pictures of docs/console.md, in Chromium; hack/update-consolepictures.sh copies them to the docs. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { neededChromium, PICTURES, settled, visit, yamlText } from '../../fixtures/console/chromium.js';
import { API, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

const DATABASE = `${API}/namespaces/default/sharedsecrets/database`;
const LARGEST_BYTES = 150_000;

(neededChromium() ? describe : describe.skip)('pictures of the console', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
    const access = [
      { verbs: ['get'], users: ['bob'] },
      { verbs: ['get', 'patch', 'update'], teams: ['backend'] },
    ];
    const merge = { 'content-type': 'application/merge-patch+json' };
    const shared = await on.admin.send('PATCH', DATABASE, { spec: { access } }, merge);
    expect([shared.status, shared.text]).toEqual([200, expect.anything()]);
  });

  afterAll(() => on?.remove());

  async function take(page: Page, name: string): Promise<void> {
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    await settled(page);
    const path = join(PICTURES, `docs-${name}.png`);
    await page.screenshot({ path, clip: { x: 0, y: 0, width: 1280, height: 800 } });
    expect(statSync(path).size).toBeLessThan(LARGEST_BYTES);
  }

  test('a secret, light', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, '/console/secrets/default/database');
    await page.getByRole('button', { name: 'Share' }).waitFor();
    await page.getByText('bob').first().waitFor();
    await take(page, 'secret');
  });

  test('who can change it, dark', async () => {
    const { page } = await on.logIn('ruth', { dark: true });
    await visit(page, `/console/whocan?path=${DATABASE}&verb=update`);
    await page.getByRole('figure').or(page.locator('svg')).first().waitFor();
    await take(page, 'whocan');
  });

  test('the YAML editor with completions, light', async () => {
    const { page } = await on.logIn('ada');
    const schema = page.waitForResponse((response) => response.url().includes('/openapi/v3/'));
    await visit(page, `/console/yaml?path=${DATABASE}`);
    await page.getByRole('textbox', { name: 'YAML' }).waitFor();
    await schema;
    await page.locator('.cm-content:not([aria-readonly])').focus();
    await page.keyboard.press('Control+Home');
    const lines = (await yamlText(page)).split('\n');
    const at = lines.findIndex((line) => line.includes('name: database'));
    for (const _line of lines.slice(0, at)) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    await page.getByRole('listbox', { name: 'What may be typed' }).waitFor();
    await take(page, 'yaml');
  });
});
