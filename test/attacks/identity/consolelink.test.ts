/** Links that log a browser in to the console: used twice, forged, of keys that ended, and asked for without a key. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accessKeys, type AccessKeys, type Key } from '../../fixtures/clients/accesskeys.js';
import { client } from '../../fixtures/clients/client.js';
import { consoleClient, type ConsoleClient } from '../../fixtures/console/consoleclient.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom, type Answer } from '../../fixtures/servers/server.js';

const LINK = '/console/session/link';
const KEYS = '/apis/management.svc.example/v1/ownedaccesskeys';

describe('links to the console', () => {
  let on: EngineServer;
  let browser: ConsoleClient;
  let keys: AccessKeys;
  let count = 0;

  const keyOf = (user: string, spec: object = {}): Promise<Key> =>
    keys.createKey(`link-${(count += 1)}`, { user, ...spec });
  const asking = (token: string): Promise<Answer> =>
    fetchFrom(on.server.url + LINK, { method: 'POST', token });
  async function codeOf({ spec }: Key): Promise<string> {
    const { status, text } = await asking(String(spec.key));
    expect(status).toBe(201);
    const { path, lifeSeconds } = JSON.parse(text) as { path: string; lifeSeconds: number };
    expect(lifeSeconds).toBe(60);
    return path.replace('/console/#login=', '');
  }
  const patched = (name: string, change: object): Promise<unknown> =>
    client(on.server).send('PATCH', `${KEYS}/${name}`, change, {
      'content-type': 'application/merge-patch+json',
    });
  const using = (link: string): Promise<Answer> =>
    browser.send('POST', '/console/session', { body: { link } });

  beforeAll(async () => {
    on = await startEmbedded();
    browser = consoleClient(on.server);
    keys = accessKeys(on.server);
    await keys.createUser('ada');
  });
  afterAll(() => on.remove());

  test('control: a link logs in as the bearer of its key', async () => {
    const answer = await using(await codeOf(await keyOf('ada')));
    expect([answer.status, JSON.parse(answer.text)]).toEqual([201, expect.objectContaining({ user: 'ada' })]);
  });

  test('a link works once, also for two browsers at a time, and in another spelling', async () => {
    const code = await codeOf(await keyOf('ada'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => using(code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(401)]);
    for (const again of [code, `${code}=`, `${code}!`]) expect((await using(again)).status).toBe(401);
  });

  test.each([
    ['is rotated', ({ metadata }: Key) => patched(metadata.name, { spec: { key: 'r'.repeat(40) } })],
    ['is deleted', ({ metadata }: Key) => client(on.server).send('DELETE', `${KEYS}/${metadata.name}`)],
  ])('a link ends when its key %s', async (_, end) => {
    const key = await keyOf('ada');
    const code = await codeOf(key);
    await end(key);
    expect((await using(code)).status).toBe(401);
  });

  test('the session of a key with a scope has that scope', async () => {
    const answer = await using(await codeOf(await keyOf('ada', { scope: {} })));
    expect(answer.status).toBe(201);
    const told = JSON.parse(answer.text) as { csrfToken: string; accessKey: string };
    const [cookie = ''] = [answer.headers['set-cookie'] ?? []].flat();
    const session = { ...told, cookie: cookie.split(';')[0] ?? '', answer };
    const { status } = await browser.as(session)('GET', '/console/api/api/v1/namespaces');
    expect(status).toBe(403);
  });

  test('nobody gets a link without a key, or with a session alone', async () => {
    const key = await keyOf('ada');
    for (const token of ['', 'mk_nothing', 'x']) expect((await asking(token)).status).toBe(401);
    const session = await browser.logIn(String(key.spec.key));
    expect((await browser.as(session)('POST', LINK)).status).toBe(401);
    expect((await browser.send('POST', LINK, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(
      403,
    );
    expect((await browser.send('GET', LINK)).status).toBe(405);
  });

  test.each(['', 'a', 'x'.repeat(4000), 'é'])('the link %j logs nobody in', async (link) => {
    expect([400, 401]).toContain((await using(link)).status);
  });
});
