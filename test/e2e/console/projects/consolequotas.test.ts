/**
 * Quotas of a project in the console: its owner lowers them, a user with the right raises them, others can see them; in
 * Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import {
  axeViolations,
  neededChromium,
  overflow,
  picture,
  takeFirstOffer,
  settled,
  visit,
  type Person,
} from '../../../fixtures/console/chromium.js';
import { client } from '../../../fixtures/clients/client.js';
import { API, stageConsole, type ConsoleStage } from '../../../fixtures/console/consolestage.js';

/** The colours in the middle of an image, from its third eighth to its fifth. */
async function colours(shown: Page, png: Buffer): Promise<string[]> {
  const page = await shown.context().newPage();
  try {
    return await page.evaluate<string[]>(`(async () => {
      const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
      const { width, height } = image;
      const canvas = new OffscreenCanvas(width, height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      const at = [3, 4, 5].map((eighth) => Math.round((height * eighth) / 8));
      return at.map((y) => canvas.getImageData(width >> 1, y, 1, 1).data.join());
    })()`);
  } finally {
    await page.close();
  }
}

const PROJECT = `${API}/projects/web`;
const SECRETS = 'sharedsecrets.management.svc.example';
const MERGE = { 'content-type': 'application/merge-patch+json' };

(neededChromium() ? describe : describe.skip)('quotas of a project in the console', () => {
  let on: ConsoleStage;
  let owner: Person;
  let admin: Person;

  /** Ada owns the project, which has three instances; ruth may raise its limits; bob is a viewer. */
  beforeAll(async () => {
    on = await stageConsole();
    await setSpec({ members: [{ kind: 'User', name: 'bob', clusterRole: 'management-project-viewer' }] });
    owner = await on.logIn('ada');
    admin = await on.logIn('ruth');
  });

  afterAll(() => on?.remove());

  async function setSpec(spec: object): Promise<void> {
    expect((await on.admin.send('PATCH', PROJECT, { spec }, MERGE)).status).toBe(200);
  }
  /** Restores the initial limits of the project. */
  const reset = (): Promise<void> =>
    setSpec({
      quotas: {
        instances: 4,
        secretBytes: null,
        objects: { [SECRETS]: 5, configmaps: null, events: null },
      },
    });
  async function quotas(): Promise<unknown> {
    const { spec } = JSON.parse((await on.admin.send('GET', PROJECT)).text) as { spec: { quotas?: unknown } };
    return spec.quotas;
  }
  async function show({ page }: Person): Promise<Page> {
    await visit(page, '/console/projects/web');
    await page.getByRole('heading', { level: 1, name: 'web' }).waitFor();
    return page;
  }
  async function begin(page: Page): Promise<Locator> {
    await page.getByRole('button', { name: 'Change quotas' }).click();
    const dialog = page.getByRole('dialog', { name: 'Quotas of the project web' });
    await dialog.waitFor();
    return dialog;
  }
  const save = (dialog: Locator) => dialog.getByRole('button', { name: 'Save' }).click();

  test('the owner lowers a limit and adds one for a resource that is found by typing', async () => {
    await reset();
    const page = await show(owner);
    const dialog = await begin(page);
    await dialog.getByText('You may set and lower limits').waitFor();
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Spaces and virtual clusters').fill('2');
    await dialog.getByText('Already there: 3.').waitFor();
    await dialog.getByRole('button', { name: 'Limit another resource' }).click();
    await dialog.getByRole('combobox', { name: 'Resource' }).fill('config');
    await page.getByRole('option', { name: 'configmaps' }).waitFor();
    await takeFirstOffer(page);
    await dialog.getByLabel('At most').fill('7');
    await dialog.getByText('The same on the command line').click();
    await dialog.getByText('platform set quota --project web -- instances=2 configmaps=7').waitFor();
    await picture(page, 'quotas-light');
    expect(await axeViolations(page)).toEqual([]);
    await save(dialog);
    await dialog.waitFor({ state: 'detached' });
    expect(await quotas()).toEqual({ instances: 2, objects: { [SECRETS]: 5, configmaps: 7 } });
    const section = page.getByRole('region', { name: 'Quotas' });
    await section.getByText('3 of 2').waitFor();
    await section.getByText('0 of 7').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  });

  test('the server says what it refuses, at the field', async () => {
    await reset();
    const page = await show(owner);
    const dialog = await begin(page);
    const instances = dialog.getByLabel('Spaces and virtual clusters');
    await instances.fill('5');
    await save(dialog);
    await dialog.getByRole('alert').filter({ hasText: 'quotas' }).waitFor();
    await instances.fill('many');
    await dialog.getByLabel('Shared secrets').fill('4');
    await save(dialog);
    await dialog.locator('.field [aria-invalid=true]').waitFor();
    expect(await instances.getAttribute('aria-invalid')).toBe('true');
    await instances.fill('-1');
    await save(dialog);
    await dialog.getByText('must be greater than or equal to 0').first().waitFor();
    expect(await instances.getAttribute('aria-invalid')).toBe('true');
    await picture(page, 'quotafault-light');
    expect(await axeViolations(page)).toEqual([]);
    expect(await quotas()).toEqual({ instances: 4, objects: { [SECRETS]: 5 } });
  });

  test('limits are raised and removed by users with the right, and set back by undo', async () => {
    await reset();
    const page = await show(admin);
    const dialog = await begin(page);
    await dialog.getByLabel('Spaces and virtual clusters').fill('9');
    await dialog.getByLabel('Shared secrets').fill('');
    await dialog.getByText('not limited', { exact: true }).waitFor();
    await save(dialog);
    await dialog.waitFor({ state: 'detached' });
    expect(await quotas()).toMatchObject({ instances: 9 });
    expect(await quotas()).not.toHaveProperty(['objects', SECRETS]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It is as it was before.').waitFor();
    expect(await quotas()).toEqual({ instances: 4, objects: { [SECRETS]: 5 } });
  });

  test('a limit that somebody else sets meanwhile is reported, and other limits stay', async () => {
    await reset();
    const page = await show(admin);
    const dialog = await begin(page);
    await dialog.getByLabel('Spaces and virtual clusters').fill('9');
    await setSpec({ quotas: { instances: 6, secretBytes: 1000 } });
    await dialog.getByText('Somebody else changed this since you began').waitFor();
    expect(await dialog.getByLabel('Bytes of all secrets together').inputValue()).toBe('1000');
    await picture(page, 'quotameanwhile-light');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Replace it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await quotas()).toMatchObject({ instances: 9, secretBytes: 1000, objects: { [SECRETS]: 5 } });
    expect([...owner.violations, ...admin.violations]).toEqual([]);
  });

  test('the bar of a limit is filled over its whole height', async () => {
    await reset();
    await setSpec({ quotas: { instances: 3 } });
    for (const [look, options] of [
      ['light', {}],
      ['dark', { dark: true }],
      ['phone', { width: 320 }],
    ] as const) {
      const page = await show(await on.logIn('ada', options));
      const meter = page.getByRole('meter', { name: 'Spaces and virtual clusters' });
      await page.getByText('3 of 3').waitFor();
      await meter.scrollIntoViewIfNeeded();
      await settled(page);
      await picture(page, `meter-${look}`);
      const column = await colours(page, await meter.screenshot());
      expect([look, new Set(column).size]).toEqual([look, 1]);
    }
  });

  test('a viewer sees the limits and is offered nothing, and a forged change is refused', async () => {
    await reset();
    const page = await show(await on.logIn('bob'));
    await page.getByRole('region', { name: 'Quotas' }).getByText('of 5').waitFor();
    await settled(page);
    expect(await page.getByRole('button', { name: 'Change quotas' }).count()).toBe(0);
    const forged = client(on.server, on.keyOf.bob);
    expect((await forged.send('PATCH', PROJECT, { spec: { quotas: { instances: 1 } } }, MERGE)).status).toBe(
      403,
    );
  });

  test('the dialog fits, narrow and dark', async () => {
    await reset();
    const person = await on.logIn('ruth', { width: 320, dark: true });
    const page = await show(person);
    const dialog = await begin(page);
    await dialog.getByLabel('Spaces and virtual clusters').fill('2');
    await dialog.getByRole('button', { name: 'Limit another resource' }).click();
    await dialog.getByRole('combobox', { name: 'Resource' }).fill('config');
    await page.getByRole('option', { name: 'configmaps' }).click();
    await dialog.getByLabel('At most').fill('1');
    await picture(page, 'quotas-narrow-dark');
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(person.violations).toEqual([]);
    await person.context.close();
  });
});
