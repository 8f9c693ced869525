/** Secrets and access keys in the console, for users with different rights; in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  axeViolations,
  neededChromium,
  pasteYaml,
  picture,
  tabTo,
  takeFirstOffer,
  yamlText,
  settled,
  visit,
} from '../../fixtures/console/chromium.js';
import { client } from '../../fixtures/clients/client.js';
import { API, VALUE, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';

(neededChromium() ? describe : describe.skip)('secrets and keys in the console', () => {
  let on: ConsoleStage;

  beforeAll(async () => {
    on = await stageConsole();
  });

  afterAll(() => on.remove());

  test('a value is seen for half a minute, copied unseen, and is nowhere else', async () => {
    const { page, said, context } = await on.logIn('ada');
    await page.clock.install();
    await visit(page, '/console/secrets/default/database');
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
  });

  test('a secret is shared in three clicks, and whoever gets it sees it at once', async () => {
    const [ada, bob] = [await on.logIn('ada'), await on.logIn('bob')];
    await visit(bob.page, '/console/secrets');
    await bob.page.getByText('There is nothing here yet that you may see.').waitFor();
    await visit(ada.page, '/console/secrets/default/database');
    await ada.page.getByRole('button', { name: 'Share' }).click();
    await ada.page.getByRole('combobox', { name: 'Users' }).fill('bob');
    const dialog = ada.page.getByRole('dialog');
    await dialog.getByText('User bob', { exact: true }).waitFor();
    await picture(ada.page, 'share-light');
    expect(await axeViolations(ada.page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Share' }).click();
    await dialog.waitFor({ state: 'detached' });
    await bob.page.getByRole('link', { name: 'database' }).click();
    await bob.page.getByRole('heading', { name: 'The database' }).waitFor();
    // A user who may only read is offered no other action.
    await bob.page.getByRole('button', { name: 'Reveal password' }).waitFor();
    await settled(bob.page);
    for (const name of ['Share', 'Delete', 'Add an entry', 'Change password', 'Remove password'])
      expect([name, await bob.page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
    await ada.page.getByRole('button', { name: 'Remove the rights of User bob' }).click();
    await bob.page.getByText('You may not see this.').first().waitFor();
  });

  test('a secret is made, filled and deleted with the keyboard alone', async () => {
    const { page } = await on.logIn('ada');
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('Secrets');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Secrets' }).waitFor();
    await page.getByRole('button', { name: 'New secret' }).waitFor();
    await tabTo(page, 'New secret');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('By typing');
    await page.keyboard.press('Tab');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('by-typing');
    await page.keyboard.type('Bad Name');
    await page.getByText('Lower-case letters, digits, - and . only.').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('typed');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'By typing' }).waitFor();
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
    expect((await on.admin.send('GET', `${API}/namespaces/default/sharedsecrets/typed`)).status).toBe(404);
  });

  test('an entry is read from a file', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, '/console/secrets/default/database');
    await page.getByRole('button', { name: 'Add an entry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Entry' }).fill('tls.crt');
    const asked = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Read from a file' }).click();
    const buffer = Buffer.from([0, 1, 2, 255]);
    await (await asked).setFiles({ name: 'site.crt', mimeType: 'application/octet-stream', buffer });
    await dialog.getByText('site.crt').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('4 bytes').waitFor();
    const { text } = await on.admin.send('GET', `${API}/namespaces/default/sharedsecrets/database`);
    expect(JSON.parse(text)).toMatchObject({ spec: { data: { 'tls.crt': buffer.toString('base64') } } });
  });

  test('a key is made with a scope that is said in a sentence, and asked what it may', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, '/console/accesskeys');
    await page.getByRole('button', { name: 'New access key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('CI');
    await dialog.getByLabel('Only this').check();
    await dialog.getByRole('combobox', { name: 'Projects' }).fill('web');
    await page.keyboard.press('Tab');
    await dialog.getByText('It may use the project web with everything in it').waitFor();
    await dialog.getByLabel('Also the reads').check();
    await picture(page, 'newkey-light');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('This is shown only now.').waitFor();
    await dialog.getByRole('button', { name: 'Copy Access key' }).click();
    const key = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(key).toMatch(/^mk_/);
    on.keys.planted.push(key);
    await dialog.getByRole('button', { name: 'Ask' }).click();
    await dialog.getByText('No, it may not.').waitFor();
    await dialog.getByLabel('Namespace').fill('loft-p-web');
    await dialog.getByRole('button', { name: 'Ask' }).click();
    await dialog.getByText('Yes, it may.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'CI', exact: true }).waitFor();
    const used = await client(on.server, key).send('GET', `${API}/namespaces/loft-p-web/sharedsecrets`);
    expect(used.status).toBe(200);
  });

  test('a key for a pipeline reads one secret and no other, and is tried before it is used', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, '/console/accesskeys');
    await page.getByRole('button', { name: 'New access key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Display name').fill('Pipeline');
    await dialog.getByLabel('Only this').check();
    const secrets = dialog.getByRole('combobox', { name: 'Secrets to read' });
    await secrets.fill('datab');
    await page.getByRole('option', { name: 'default/database' }).waitFor();
    await takeFirstOffer(page);
    expect(await secrets.inputValue()).toBe('default/database');
    await page.keyboard.press('Tab');
    await dialog.getByText('It may use the secret default/database, to read it').waitFor();
    await picture(page, 'newkeysecret-light');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('button', { name: 'Copy Access key' }).click();
    const key = await page.evaluate<string>('navigator.clipboard.readText()');
    on.keys.planted.push(key);
    const ask = dialog.getByRole('button', { name: 'Ask' });
    await ask.click();
    await dialog.getByText('Yes, it may.').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('hostile');
    await ask.click();
    await dialog.getByText('No, it may not.').waitFor();
    // If the key may not create access reviews, the page must not report that writes are allowed.
    await dialog.getByLabel('What it does').selectOption('update');
    await ask.click();
    await dialog.getByText('This key may not ask').waitFor();
    const used = client(on.server, key);
    const path = `${API}/namespaces/default/sharedsecrets`;
    const answers = [
      await used.send('GET', `${path}/database`),
      await used.send('GET', `${path}/hostile`),
      await used.send('DELETE', `${path}/database`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403]);
  });

  test('YAML is changed after it was seen what would change, without values of secrets', async () => {
    const { page } = await on.logIn('ada');
    await visit(page, '/console/secrets/default/database');
    await page.getByRole('link', { name: 'YAML' }).click();
    await page.getByRole('textbox', { name: 'YAML' }).waitFor();
    expect(await yamlText(page)).toContain('password: (hidden)');
    const base64 = Buffer.from(VALUE).toString('base64');
    expect(await page.content()).not.toContain(base64);
    const show = page.getByRole('button', { name: 'Show what would change' });
    const edit = async (from: string, to: string): Promise<void> => {
      await pasteYaml(page, (await yamlText(page)).replace(from, to));
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
    await picture(page, 'yamldiff-light');
    expect(await axeViolations(page)).toEqual([]);
    const path = `${API}/namespaces/default/sharedsecrets/database`;
    const read = async (): Promise<unknown> => JSON.parse((await on.admin.send('GET', path)).text);
    expect(await read()).toMatchObject({ spec: { description: 'Of the shop.' } });
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('That is how it is now.').waitFor();
    expect(await read()).toMatchObject({
      spec: { description: 'Of all shops.', data: { password: base64 } },
    });
    // Another client changes the secret first.
    await on.admin.send(
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
    expect(await yamlText(page)).toContain('description: Other');
  });

  test('a secret tells which projects have a copy of it, to those who may see that', async () => {
    const [ada, bob] = [await on.logIn('ada'), await on.logIn('bob')];
    const shared = object(
      'SharedSecret',
      { name: 'copied' },
      { owner: { user: 'ada' }, access: [{ verbs: ['get'], users: ['bob'] }] },
    );
    expect((await on.send('/namespaces/default/sharedsecrets', shared)).status).toBe(201);
    await visit(ada.page, '/console/secrets/default/copied');
    const used = ada.page.getByRole('region', { name: 'Used by' });
    await used.getByText('No project that you may see has a copy of it.').waitFor();
    const labels = {
      'management.svc.example/sharedsecret-name': 'copied',
      'management.svc.example/sharedsecret-namespace': 'default',
    };
    const mirror = object('ProjectSecret', { name: 'copy', labels }, {});
    expect((await on.send('/namespaces/loft-p-web/projectsecrets', mirror)).status).toBe(201);
    const link = used.getByRole('link', { name: 'Project secret copy in loft-p-web' });
    await link.waitFor();
    expect(await axeViolations(ada.page)).toEqual([]);
    await visit(bob.page, '/console/secrets/default/copied');
    await bob.page.getByRole('heading', { name: 'copied' }).first().waitFor();
    await bob.page.getByText('No project that you may see has a copy of it.').waitFor();
    expect(await bob.page.getByText('loft-p-web').count()).toBe(0);
    await link.click();
    await ada.page.getByRole('heading', { level: 1, name: 'copy' }).waitFor();
  });
});
