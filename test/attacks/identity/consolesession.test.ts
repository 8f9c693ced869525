/** Attacks on console sessions: forged cookies, session fixation, use of a session elsewhere, and use after its end. */
import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accessKeys, KEYS, type AccessKeys, type Key } from '../../fixtures/clients/accesskeys.js';
import { client } from '../../fixtures/clients/client.js';
import { readWatch } from '../../fixtures/clients/watchreader.js';
import {
  consoleClient,
  type ConsoleClient,
  type ConsoleSession,
} from '../../fixtures/console/consoleclient.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { ADMIN_TOKEN } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const SECRETS = `${API}/namespaces/default/sharedsecrets`;
const IN_CONSOLE = '/console/api';
const secret = (name: string) => ({
  kind: 'SharedSecret',
  apiVersion: 'management.svc.example/v1',
  metadata: { name },
  spec: { data: { password: 'aHVudGVyMg==' } },
});

describe('the session of the console', () => {
  let on: EngineServer;
  let browser: ConsoleClient;
  let keys: AccessKeys;
  let adas: Key;
  let ada: ConsoleSession;
  let count = 0;

  const keyOf = (user: string, spec: object = {}): Promise<Key> =>
    keys.createKey(`key-${(count += 1)}`, { user, ...spec });
  const text = ({ spec }: Key): string => spec.key as string;
  const login = async (user: string, spec?: object): Promise<ConsoleSession> =>
    browser.logIn(text(await keyOf(user, spec)));
  const admin = () => client(on.server);
  const reads = async (session: ConsoleSession): Promise<number> =>
    (await browser.as(session)('GET', IN_CONSOLE + SECRETS)).status;

  beforeAll(async () => {
    on = await startEmbedded();
    browser = consoleClient(on.server);
    keys = accessKeys(on.server);
    const role = {
      kind: 'ClusterRole',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'people' },
      rules: [
        {
          apiGroups: ['management.svc.example'],
          resources: ['sharedsecrets', 'ownedaccesskeys'],
          verbs: ['*'],
        },
      ],
    };
    const binding = {
      kind: 'ClusterRoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'people' },
      roleRef: { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name: 'people' },
      subjects: ['ada', 'bob', 'eve'].map((name) => ({
        kind: 'User',
        apiGroup: 'rbac.authorization.k8s.io',
        name,
      })),
    };
    await admin().send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', role);
    await admin().send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding);
    for (const user of ['ada', 'bob', 'eve']) await keys.createUser(user);
    adas = await keyOf('ada');
    ada = await browser.logIn(text(adas));
  });
  afterAll(() => on.remove());

  test('control: a login with a key reads and writes as its owner', async () => {
    const send = browser.as(ada);
    expect((await send('POST', IN_CONSOLE + SECRETS, { body: secret('control') })).status).toBe(201);
    expect((await send('GET', `${IN_CONSOLE}${SECRETS}/control`)).text).toContain('"user":"ada"');
    expect((await send('DELETE', `${IN_CONSOLE}${SECRETS}/control`)).status).toBe(200);
    const told = JSON.parse((await send('GET', '/console/session')).text) as object;
    expect(told).toMatchObject({ user: 'ada', csrfToken: ada.csrfToken, accessKey: ada.accessKey });
  });

  test('the browser gets no key, and the session is a Login key with an end', async () => {
    const [cookie = ''] = [ada.answer.headers['set-cookie'] ?? []].flat();
    expect(cookie).toMatch(/; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    expect(ada.answer.text + cookie).not.toMatch(/mk_/);
    expect(ada.answer.headers['cache-control']).toBe('no-store');
    const { spec } = await keys.read(ada.accessKey);
    expect(spec).toMatchObject({ user: 'ada', type: 'Login', ttl: 8 * 3600 });
    expect(spec).not.toHaveProperty('key');
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['without a CSRF token', { 'x-csrf-token': '' }],
    ['with a made-up one', { 'x-csrf-token': 'x'.repeat(43) }],
    ['by another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['by a sibling host', { 'sec-fetch-site': 'same-site' }],
    [
      'by a form of another site, in an old browser',
      { origin: 'https://evil.example', 'sec-fetch-site': '' },
    ],
    ['by a sandboxed frame', { origin: 'null', 'sec-fetch-site': '' }],
    ['as a navigation', { 'sec-fetch-dest': 'document' }],
    ['with somebody’s Authorization besides', { authorization: `Bearer ${ADMIN_TOKEN}` }],
  ])('refuses a write that is sent %s', async (_how, headers) => {
    const send = browser.as(ada);
    for (const [method, path] of [
      ['POST', IN_CONSOLE + SECRETS],
      ['PATCH', `${IN_CONSOLE}${SECRETS}/forged`],
      ['PUT', `${IN_CONSOLE}${SECRETS}/forged`],
      ['DELETE', `${IN_CONSOLE}${SECRETS}`],
    ] as const)
      expect([method, (await send(method, path, { body: secret('forged'), headers })).status]).toEqual([
        method,
        401,
      ]);
    expect((await admin().send('GET', `${SECRETS}/forged`)).status).toBe(404);
  });

  test('a WebSocket is refused, as browsers let other sites open one', async () => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-fetch-dest': 'websocket',
    };
    const path = `${IN_CONSOLE}${SECRETS}?watch=1`;
    for (const site of ['same-origin', 'cross-site', ''])
      expect(
        (
          await browser.as(ada)('GET', path, {
            headers: { ...headers, 'sec-fetch-site': site, 'sec-fetch-dest': '' },
          })
        ).status,
      ).toBe(401);
    expect((await browser.as(ada)('GET', path, { headers })).status).toBe(401);
  });

  test('a key that is made in a session lives as long as one made with the key', async () => {
    const body = {
      kind: 'OwnedAccessKey',
      apiVersion: 'management.svc.example/v1',
      metadata: { generateName: 'long-' },
      spec: { ttl: 365 * 86_400 },
    };
    expect((await browser.as(ada)('POST', IN_CONSOLE + KEYS, { body })).status).toBe(201);
    const bounded = await login('bob', { ttl: 3600 });
    expect((await browser.as(bounded)('POST', IN_CONSOLE + KEYS, { body })).status).toBe(422);
  });

  test('the CSRF token of another session counts for nothing', async () => {
    const eve = await login('eve');
    const headers = { 'x-csrf-token': eve.csrfToken };
    const answer = await browser.as(ada)('POST', IN_CONSOLE + SECRETS, { body: secret('forged'), headers });
    expect([answer.status, answer.text]).toEqual([401, expect.stringContaining('CSRF')]);
  });

  test('a login is not sent by another site, nor by a form', async () => {
    const body = { accessKey: text(adas) };
    const sent = (headers: Record<string, string>) =>
      browser.send('POST', '/console/session', { body, headers });
    const answers = [
      await sent({ 'sec-fetch-site': 'cross-site' }),
      await sent({ origin: 'https://evil.example', 'sec-fetch-site': '' }),
      await sent({ 'content-type': 'text/plain' }),
      await sent({ 'content-type': 'application/x-www-form-urlencoded' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 415, 415]);
    expect(answers.filter(({ headers }) => headers['set-cookie'] !== undefined)).toEqual([]);
  });

  test('a logout is not forged', async () => {
    const victim = await login('bob');
    const sent = (headers: Record<string, string>) =>
      browser.as(victim)('DELETE', '/console/session', { headers });
    expect((await sent({ 'x-csrf-token': '' })).status).toBe(403);
    expect((await sent({ 'x-csrf-token': ada.csrfToken })).status).toBe(403);
    expect((await sent({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(await reads(victim)).toBe(200);
  });

  test('the cookie counts at no other path', async () => {
    const { cookie, csrfToken } = ada;
    const headers = { cookie, 'x-csrf-token': csrfToken };
    const codes: [string, number][] = [];
    for (const path of [SECRETS, `/kubernetes/management${SECRETS}`, '/metrics', '/debug/controllers'])
      codes.push([path, (await browser.send('GET', path, { headers })).status]);
    expect(codes.filter(([, code]) => ![401, 403, 404].includes(code))).toEqual([]);
    expect((await browser.send('POST', SECRETS, { headers, body: secret('elsewhere') })).status).toBe(403);
    for (const path of ['/console/api/metrics', '/console/api/auth/login', '/console/api/console/session'])
      expect([path, (await browser.send('GET', path, { headers })).status]).toEqual([path, 403]);
  });

  test('a session is not fixed: a login takes no cookie over, and ends the session that was there', async () => {
    const eve = await login('eve');
    const key = await keyOf('bob');
    const made = await browser.logIn(text(key), { cookie: '__Host-console=chosen' });
    expect(made.cookie).not.toContain('chosen');
    const victim = await browser.logIn(text(key), { cookie: eve.cookie });
    expect(victim.cookie).not.toBe(eve.cookie);
    expect([await reads(eve), await reads(victim)]).toEqual([401, 200]);
    const both = { headers: { cookie: `${eve.cookie}; ${victim.cookie}` } };
    expect((await browser.as(victim)('GET', IN_CONSOLE + SECRETS, both)).status).toBe(401);
  });

  test('a logout ends every copy of the session, and its open requests', async () => {
    const session = await login('bob');
    const headers = { cookie: session.cookie, 'sec-fetch-site': 'same-origin' };
    const watch = await readWatch(
      `${browser.origin}${IN_CONSOLE}${SECRETS}?watch=1`,
      headers,
      () => undefined,
    );
    expect(watch.status).toBe(200);
    expect((await browser.as(session)('DELETE', '/console/session')).status).toBe(200);
    expect(await reads(session)).toBe(401);
    await watch.ended;
    expect((await admin().send('GET', `${KEYS}/${session.accessKey}`)).status).toBe(404);
  });

  test.each<[string, (key: Key) => Promise<unknown>]>([
    ['is deleted', ({ metadata }) => admin().send('DELETE', `${KEYS}/${metadata.name}`)],
    ['is switched off', ({ metadata }) => patchKey(metadata.name, { disabled: true })],
    ['is rotated', ({ metadata }) => patchKey(metadata.name, { key: 'r'.repeat(40) })],
  ])('ends when the key that was logged in with %s', async (_how, end) => {
    const key = await keyOf('bob');
    const session = await browser.logIn(text(key));
    const made = await browser.as(session)('POST', IN_CONSOLE + KEYS, {
      body: {
        kind: 'OwnedAccessKey',
        apiVersion: 'management.svc.example/v1',
        metadata: { generateName: 'made-' },
      },
    });
    expect(made.status).toBe(201);
    const { key: inside } = (JSON.parse(made.text) as Key).spec as { key: string };
    keys.planted.push(inside);
    expect(await keys.whoIs(inside)).toContain('bob');
    await end(key);
    await eventually('the end of the session', async () => (await reads(session)) === 401);
    // A session cannot be used to outlive its key: keys that were created in it end, too.
    expect(await keys.whoIs(inside)).toEqual([401, expect.anything()]);
  });

  const patchKey = (name: string, spec: object) =>
    admin().send('PATCH', `${KEYS}/${name}`, { spec }, { 'content-type': 'application/merge-patch+json' });

  test('is narrowed with the key, and no wider than it', async () => {
    const key = await keyOf('bob', { scope: { projects: [{ project: 'none' }] } });
    const session = await browser.logIn(text(key));
    const create = () => browser.as(session)('POST', IN_CONSOLE + SECRETS, { body: secret('narrow') });
    expect((await create()).status).toBe(403);
    const wide = await keyOf('bob');
    const other = await browser.logIn(text(wide));
    expect((await browser.as(other)('POST', IN_CONSOLE + SECRETS, { body: secret('wide') })).status).toBe(
      201,
    );
    await patchKey(wide.metadata.name, { scope: { projects: [{ project: 'none' }] } });
    const read = () => browser.as(other)('GET', `${IN_CONSOLE}${SECRETS}/wide`);
    await eventually('the narrower scope', async () => (await read()).status === 403);
  });

  test('ends no later than the key', async () => {
    const session = await login('bob', { ttl: 60 });
    expect((await keys.read(session.accessKey)).spec.ttl as number).toBeLessThanOrEqual(60);
  });

  test.each<[string, () => string | Promise<string>]>([
    ['a token of a file', () => ADMIN_TOKEN],
    ['no key', () => `mk_${'0'.repeat(46)}`],
    ['a key that is switched off', async () => text(await keyOf('bob', { disabled: true }))],
    ['a key of another type', async () => text(await keyOf('bob', { type: 'Reset' }))],
  ])('a login is refused with %s', async (_what, key) => {
    const answer = await browser.send('POST', '/console/session', { body: { accessKey: await key() } });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
  });

  test.each([{}, { accessKey: 1 }, { accessKey: '' }, [], null, 'text'])(
    'a login of %j is a 400',
    async (body) => {
      expect((await browser.send('POST', '/console/session', { body })).status).toBe(400);
    },
  );

  test('pages are not framed, and only files of the console are served', async () => {
    const page = await browser.send('GET', '/console/');
    expect(page.status).toBe(200);
    expect(page.headers['x-frame-options']).toBe('DENY');
    const policy = page.headers['content-security-policy'] as string;
    for (const part of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "script-src 'self'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
    expect(page.text).not.toMatch(/<script(?![^>]*src=)/);
    for (const path of [
      '/console/assets/..%2f..%2fcmd/apiserver/main.js',
      '/console/assets/..%5c..%5cpackage.json',
      '/console/assets/none.js',
    ])
      expect([path, (await browser.send('GET', path)).text]).toEqual([path, '404 page not found\n']);
  });

  test.each([
    ['GET', '/console/', false],
    ['GET', '/console/secrets', false],
    ['GET', '/console/session', false],
    ['POST', '/console/session', true],
    ['GET', '/console/session/login', true],
    ['GET', IN_CONSOLE + SECRETS, true],
  ] as const)('%s %s by a stranger ends the HTTP/2 connection: %s', async (method, path, ends) => {
    const http2 = connect(on.server.url, { rejectUnauthorized: false });
    let told = false;
    http2.on('goaway', () => (told = true)).on('error', () => undefined);
    const stream = http2.request({ ':method': method, ':path': path });
    stream.resume().end();
    await once(stream, 'close');
    // The server sends in order: the response to a ping comes after everything before it.
    if (!http2.closed && !http2.destroyed)
      await new Promise<void>((resolve) => {
        http2.once('close', resolve);
        if (!http2.ping(() => resolve())) resolve();
      });
    http2.destroy();
    expect(told).toBe(ends);
  });

  test('no key is in the log', () => {
    for (const key of keys.planted) expect(on.server.log()).not.toContain(key);
  });
});
