/** What one user can do with tokens for connected clusters: create too many, hide them, and revoke them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import type { Answer } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const TOKENS = `${API}/directclusterendpointtokens`;
const REVOCATIONS = `${API}/directclusterendpointtokenrevocations`;
const MERGE = { 'content-type': 'application/merge-patch+json' };
const LIMIT = 1000;
const AT_A_TIME = 20;

const parsed = <T>({ text }: Answer): T => JSON.parse(text) as T;

let engine: EngineServer;
let admin: Client;
let mallory: Client;
let anna: Client;

async function person(name: string): Promise<Client> {
  const body = { metadata: { name }, spec: { user: name } };
  expect((await admin.send('POST', `${API}/users`, { metadata: { name } })).status).toBe(201);
  const { spec } = parsed<{ spec: { key: string } }>(
    await admin.send('POST', `${API}/ownedaccesskeys`, body),
  );
  return client(engine.server, spec.key);
}
const ask = (by: Client): Promise<Answer> => by.send('POST', TOKENS, { spec: {} });
async function idsOf(by: Client): Promise<string[]> {
  const { items } = parsed<{ items: { metadata: { name: string } }[] }>(await by.send('GET', TOKENS));
  return items.map(({ metadata }) => metadata.name);
}
/** Requests tokens until the response is not 201. Returns the number of tokens, and that response. */
async function flood(by: Client): Promise<{ issued: number; refused: Answer }> {
  let issued = 0;
  for (;;) {
    const answers = await Promise.all(Array.from({ length: AT_A_TIME }, () => ask(by)));
    issued += answers.filter(({ status }) => status === 201).length;
    const refused = answers.find(({ status }) => status !== 201);
    if (refused !== undefined) return { issued, refused };
  }
}

beforeAll(async () => {
  engine = await startEmbedded();
  admin = client(engine.server);
  [mallory, anna] = [await person('mallory'), await person('anna')];
});
afterAll(() => engine.remove());

test('a flood of tokens is bounded by user, and revoking them makes no room for more', async () => {
  const { issued, refused } = await flood(mallory);
  expect(issued).toBeGreaterThanOrEqual(LIMIT);
  expect(issued).toBeLessThan(LIMIT + AT_A_TIME);
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('the limit is 1000')]);
  expect((await ask(anna)).status).toBe(201);
  expect((await mallory.send('DELETE', TOKENS)).status).toBe(200);
  expect([await idsOf(mallory), (await ask(mallory)).status]).toEqual([[], 403]);
  const { items } = parsed<{ items: object[] }>(await admin.send('GET', REVOCATIONS));
  expect(items).toHaveLength(issued);
  // Tokens of an earlier generation have ended.
  await admin.send('PATCH', `${API}/users/mallory`, { spec: { tokenGeneration: 1 } }, MERGE);
  expect((await ask(mallory)).status).toBe(201);
});

test("another's records are neither seen nor revoked, by whatever way", async () => {
  const [id = ''] = await idsOf(anna);
  const patch = { metadata: { finalizers: ['example.com/hold'] } };
  const tries: Promise<Answer>[] = [
    mallory.send('GET', `${TOKENS}/${id}`),
    mallory.send('DELETE', `${TOKENS}/${id}`),
    mallory.send('PATCH', `${TOKENS}/${id}`, patch, MERGE),
    mallory.send('GET', `${TOKENS}/${id}/status`),
    mallory.send('GET', `${REVOCATIONS}/${id}`),
    mallory.send('GET', `${REVOCATIONS}?watch=true`),
    mallory.send('DELETE', `${TOKENS}/${id}`, undefined, { 'impersonate-user': 'anna' }),
  ];
  for (const { status, text } of await Promise.all(tries)) {
    expect([403, 404, 405]).toContain(status);
    expect(text).not.toContain('expirationTimestamp');
  }
  for (const query of [
    '?fieldSelector=status.user%3Danna',
    `?fieldSelector=metadata.name%3D${id}`,
    '?resourceVersion=0',
  ]) {
    // A list with a field selector for one name is authorized as a request for that object.
    const { text } = await mallory.send('GET', TOKENS + query);
    expect(text).not.toContain(id === '' ? 'anna' : `"name":"${id}"`);
    await mallory.send('DELETE', TOKENS + query);
  }
  expect(await idsOf(anna)).toEqual([id]);
});

test('an unknown id is 403 for users and 404 for administrators', async () => {
  for (const id of ['none', '..%2f', 'a'.repeat(253), '%00']) {
    const [own, all] = [
      await mallory.send('DELETE', `${TOKENS}/${id}`),
      await admin.send('DELETE', `${TOKENS}/${id}`),
    ];
    expect([400, 403, 404]).toContain(own.status);
    expect([400, 404]).toContain(all.status);
  }
  expect(
    parsed<{ items: object[] }>(await admin.send('GET', `${REVOCATIONS}?fieldSelector=spec.user%3Danna`))
      .items,
  ).toEqual([]);
});
