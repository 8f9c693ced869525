/** Records of tokens for connected clusters: who can see them, what deleting one ends, and their limits. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import type { Answer } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';
import { watching } from '../../fixtures/clients/watchevents.js';

const API = '/apis/management.svc.example/v1';
const TOKENS = `${API}/directclusterendpointtokens`;
const REVOCATIONS = `${API}/directclusterendpointtokenrevocations`;
const AUDIENCE = 'management-direct-endpoint';

interface Record {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly ttl: number; readonly cluster?: string; readonly scope?: object };
  readonly status: { readonly [member: string]: unknown };
}
const parsed = <T>({ text }: Answer): T => JSON.parse(text) as T;

let engine: EngineServer;
let admin: Client;
let anna: Client & { readonly key: string };
let ben: Client & { readonly key: string };

async function created(plural: string, name: string, spec: object): Promise<{ spec: { key: string } }> {
  const answer = await admin.send('POST', `${API}/${plural}`, { metadata: { name }, spec });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return parsed(answer);
}
async function person(name: string): Promise<Client & { readonly key: string }> {
  await created('users', name, {});
  const { key } = (await created('ownedaccesskeys', `${name}-key`, { user: name })).spec;
  return { ...client(engine.server, key), key };
}
async function tokenOf(by: Client, spec: object = {}): Promise<{ token: string; id: string }> {
  const answer = await by.send('POST', TOKENS, { spec });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  const { token } = parsed<{ status: { token: string } }>(answer).status;
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return { token, id: (JSON.parse(payload) as { jti: string }).jti };
}
const listed = async (by: Client, query = ''): Promise<Record[]> =>
  parsed<{ items: Record[] }>(await by.send('GET', `${TOKENS}${query}`)).items;
const ids = async (by: Client, query = ''): Promise<string[]> =>
  (await listed(by, query)).map(({ metadata }) => metadata.name);
async function isGood(token: string, audience = AUDIENCE): Promise<boolean> {
  const spec = { token, audiences: [audience] };
  const answer = await admin.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec });
  return parsed<{ status: { authenticated?: boolean } }>(answer).status.authenticated === true;
}

beforeAll(async () => {
  engine = await startEmbedded({
    controllers: 'garbage-collector-controller,reaper-controller',
  });
  admin = client(engine.server);
  [anna, ben] = [await person('anna'), await person('ben')];
  await created('clusters', 'east', { access: [{ verbs: ['get'], users: ['anna'] }] });
});
afterAll(() => engine.remove());

test('a record says what the token is, and has no token', async () => {
  const scope = { spaces: [{ project: 'web', space: 'dev' }] };
  const { token, id } = await tokenOf(anna, { ttl: 600, cluster: 'east', scope });
  const answer = await anna.send('GET', `${TOKENS}/${id}`);
  expect(answer.status).toBe(200);
  const record = parsed<Record>(answer);
  expect(record).toMatchObject({
    metadata: { name: id },
    spec: { ttl: 600, cluster: 'east', scope },
    status: {
      user: 'anna',
      tokenGeneration: 0,
      scoped: true,
      accessKey: 'anna-key',
      sourceAddress: expect.stringMatching(/127\.0\.0\.1$/),
      expirationTimestamp: expect.stringMatching(/Z$/),
    },
  });
  expect(record.status.token).toBeUndefined();
  for (const path of [TOKENS, `${TOKENS}/${id}`])
    for (const accept of [
      'application/json',
      'application/yaml',
      'application/json;as=Table;v=v1;g=meta.k8s.io',
    ])
      expect((await admin.send('GET', path, undefined, { accept })).text).not.toContain(token.split('.')[2]);
});

test('a large scope restricts the token, and is not in its record', async () => {
  const spaces = (count: number): object => ({
    spaces: Array.from({ length: count }, (_each, index) => ({ project: 'web', space: `dev-${index}` })),
  });
  for (const [scope, recorded] of [
    [spaces(50), true],
    [spaces(60), false],
  ] as const) {
    expect(JSON.stringify(scope).length > 2048).toBe(!recorded);
    const { token, id } = await tokenOf(anna, { scope });
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    expect(payload).toContain(JSON.stringify(scope));
    const record = parsed<Record>(await anna.send('GET', `${TOKENS}/${id}`));
    expect([record.spec.scope, record.status.scoped]).toEqual([recorded ? scope : undefined, true]);
  }
  const { id } = await tokenOf(anna);
  expect(parsed<Record>(await anna.send('GET', `${TOKENS}/${id}`)).status.scoped).toBeUndefined();
});

test('people see their own records, administrators all', async () => {
  const [one, other] = [await tokenOf(anna), await tokenOf(ben)];
  expect(await ids(anna)).toContain(one.id);
  expect(await ids(anna)).not.toContain(other.id);
  expect(await ids(ben)).toEqual([other.id]);
  expect(await ids(admin)).toEqual(expect.arrayContaining([one.id, other.id]));
  expect(await ids(admin, '?fieldSelector=status.user%3Dben')).toEqual([other.id]);
  expect((await ben.send('GET', `${TOKENS}/${one.id}`)).status).toBe(403);
  expect((await ben.send('GET', REVOCATIONS)).status).toBe(403);
});

test("a watch shows one's own as they come and go", async () => {
  const version = parsed<{ metadata: { resourceVersion: string } }>(await ben.send('GET', TOKENS)).metadata;
  const path = `${TOKENS}?watch=true&resourceVersion=${version.resourceVersion}`;
  const watch = await watching(engine.server, path, { authorization: `Bearer ${ben.key}` });
  const { id } = await tokenOf(ben);
  await tokenOf(anna);
  expect((await ben.send('DELETE', `${TOKENS}/${id}`)).status).toBe(200);
  await watch.until(2);
  expect(watch.said()).toEqual([`ADDED ${id}`, `DELETED ${id}`]);
  watch.stop();
});

test('deleting a record revokes that token at once, and no other', async () => {
  const [one, other] = [await tokenOf(anna), await tokenOf(anna)];
  expect([await isGood(one.token), await isGood(other.token)]).toEqual([true, true]);
  expect((await ben.send('DELETE', `${TOKENS}/${one.id}`)).status).toBe(403);
  expect(await isGood(one.token)).toBe(true);
  expect((await anna.send('DELETE', `${TOKENS}/${one.id}`)).status).toBe(200);
  expect([await isGood(one.token), await isGood(other.token)]).toEqual([false, true]);
  expect((await anna.send('DELETE', `${TOKENS}/${one.id}`)).status).toBe(403);
  expect(parsed(await admin.send('GET', `${REVOCATIONS}/${one.id}`))).toMatchObject({
    spec: { user: 'anna', expirationTimestamp: expect.any(String) },
  });
  expect((await admin.send('DELETE', `${TOKENS}/${one.id}`)).status).toBe(404);
});

test('a deletion that waits for a finalizer revokes at once', async () => {
  const { token, id } = await tokenOf(anna);
  const body = { propagationPolicy: 'Foreground' };
  expect((await anna.send('DELETE', `${TOKENS}/${id}`, body)).status).toBe(200);
  expect(await isGood(token)).toBe(false);
  await eventually('it is gone', async () => !(await ids(admin)).includes(id));
  expect(await isGood(token)).toBe(false);
});

test('a deletecollection revokes the tokens that the caller may see, and no others', async () => {
  const [one, two, other] = [
    await tokenOf(anna),
    await tokenOf(anna, { cluster: 'east' }),
    await tokenOf(ben),
  ];
  expect((await anna.send('DELETE', `${TOKENS}?fieldSelector=spec.cluster%3Deast`)).status).toBe(200);
  expect([await isGood(one.token), await isGood(two.token, `${AUDIENCE}/east`)]).toEqual([true, false]);
  expect((await anna.send('DELETE', TOKENS)).status).toBe(200);
  expect([await isGood(one.token), await isGood(other.token)]).toEqual([false, true]);
  expect(await ids(anna)).toEqual([]);
});

test('clients cannot write a record or a revocation', async () => {
  const { id } = await tokenOf(ben);
  const patch = { 'content-type': 'application/merge-patch+json' };
  for (const by of [ben, admin]) {
    expect((await by.send('PUT', `${TOKENS}/${id}`, {})).status).not.toBe(200);
    expect((await by.send('PATCH', `${TOKENS}/${id}`, { status: { user: 'anna' } }, patch)).status).not.toBe(
      200,
    );
    for (const [method, path] of [
      ['POST', REVOCATIONS],
      ['DELETE', REVOCATIONS],
      ['DELETE', `${REVOCATIONS}/${id}`],
    ])
      expect([403, 405]).toContain((await by.send(method as string, path as string, {})).status);
  }
  // The record does not contain what a client claims about itself.
  const forged = {
    metadata: { name: 'forged', finalizers: ['a/b'], labels: { a: 'b' } },
    status: { user: 'anna' },
  };
  const answer = await ben.send('POST', TOKENS, { ...forged, spec: {} });
  expect(answer.status).toBe(201);
  expect((await admin.send('GET', `${TOKENS}/forged`)).status).toBe(404);
  const records = (await listed(ben)) as unknown as {
    metadata: { labels?: object; finalizers?: object };
  }[];
  expect(records.filter(({ metadata }) => metadata.labels ?? metadata.finalizers)).toEqual([]);
  expect((await listed(ben)).filter(({ status }) => status.user !== 'ben')).toEqual([]);
});

test('a dry run records nothing, and none is revoked by one', async () => {
  const before = await ids(ben);
  const answer = await ben.send('POST', `${TOKENS}?dryRun=All`, { spec: {} });
  expect(parsed<{ status: object }>(answer).status).toEqual({});
  expect(await ids(ben)).toEqual(before);
  const { token, id } = await tokenOf(ben);
  expect((await ben.send('DELETE', `${TOKENS}/${id}?dryRun=All`)).status).toBe(200);
  expect(await isGood(token)).toBe(true);
});

test('a deleted user leaves no records', async () => {
  const carl = await person('carl');
  const { id, token } = await tokenOf(carl);
  expect((await admin.send('DELETE', `${API}/users/carl`)).status).toBe(200);
  expect(await isGood(token)).toBe(false);
  await eventually('the record is gone', async () => !(await ids(admin)).includes(id));
});

test('a scope that makes a token too long to be read is refused', async () => {
  const projects = Array.from({ length: 2000 }, (_each, at) => ({ project: `project-${at}` }));
  const answer = await ben.send('POST', TOKENS, { spec: { scope: { projects } } });
  expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('spec.scope: Too long')]);
});

test('revoked tokens stay revoked when the server starts again', async () => {
  const [one, other] = [await tokenOf(ben), await tokenOf(ben)];
  expect((await ben.send('DELETE', `${TOKENS}/${one.id}`)).status).toBe(200);
  await engine.server.restart();
  expect([await isGood(one.token), await isGood(other.token)]).toEqual([false, true]);
});

test('stored records have no token, and are encrypted', async () => {
  const { token, id } = await tokenOf(ben, { ttl: 1234 });
  await engine.server.stop();
  const files = engine.dataDirs.flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name)),
  );
  const holds = (path: string, text: string): boolean =>
    statSync(path).isFile() && readFileSync(path).includes(text);
  expect(files.filter((path) => holds(path, '"ttl":1234'))).toEqual([]);
  const store = await engine.openStore();
  const all = await store.scan({ start: '', end: '\u{10ffff}' });
  await store.close();
  const texts = all.records.map(({ value }) => value.toString());
  expect(texts.filter((text) => text.includes(id) && text.includes('"ttl":1234'))).toHaveLength(1);
  for (const part of token.split('.').slice(1))
    expect(texts.filter((text) => text.includes(part))).toEqual([]);
});
