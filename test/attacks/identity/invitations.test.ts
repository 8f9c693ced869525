/** Links of invitations: replayed, guessed, used by two at once, expired, revoked, and of creators and users who are gone. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { accessKeys, API, bodyOf, KEYS, parsed, type AccessKeys } from '../../fixtures/clients/accesskeys.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import {
  ACCEPT,
  INVITATIONS,
  invitations,
  userOfSession,
  type InvitationClient,
} from '../../fixtures/console/invitations.js';
import { createBrowser } from '../../fixtures/console/browser.js';
import { startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import {
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { eventually } from '../../fixtures/wait.js';

const OVER = 'this invitation was used before, was revoked, or is too old: ask for another one';
const KEY = { accessKeyTTL: 3600 };
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let provider: IdentityProvider;
let server: ServerFixture;
let admin: Client;
let keys: AccessKeys;
let invited: InvitationClient;
let count = 0;
const directory = mkdtempSync(join(tmpdir(), 'invitations-'));

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  provider = await startIdentityProvider();
  server = await startServer({
    flags: [loginFlag(directory, provider, { linkVerifiedEmail: true }), '--v=4'],
  });
  await provider.serve(server.url);
  admin = client(server);
  keys = accessKeys(server);
  invited = invitations(server);
});
afterAll(async () => {
  await server?.remove();
  provider?.stop();
  rmSync(directory, { recursive: true });
});

/** A new User, by a name that no other test has. */
async function newUser(spec: object = {}): Promise<string> {
  const name = `person-${(count += 1)}`;
  await keys.createUser(name, spec);
  return name;
}
const account = (claims: object = {}): string => {
  const subject = `sub-${(count += 1)}`;
  provider.accounts.set(subject, { preferred_username: subject, name: subject, ...claims });
  return subject;
};
const specOf = async (name: string): Promise<{ subject?: string; email?: string }> =>
  parsed<{ spec: { subject?: string } }>(await admin.send('GET', `${API}/users/${name}`)).spec;
const keysOf = async (user: string): Promise<number> =>
  parsed<{ items: object[] }>(await admin.send('GET', `${KEYS}?fieldSelector=spec.user=${user}`)).items
    .length;
const patch = (path: string, change: object): Promise<Answer> => admin.send('PATCH', path, change, MERGE);

/** A User with these rights at the cluster, and a client with a key of theirs. */
async function person(rules: object[]): Promise<{ name: string; key: string; as: Client; role: string }> {
  const name = await newUser();
  const metadata = { name: `role-of-${name}` };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }];
  expect((await admin.send('POST', `${RBAC}/clusterroles`, { metadata, rules })).status).toBe(201);
  const binding = { metadata, roleRef, subjects };
  expect((await admin.send('POST', `${RBAC}/clusterrolebindings`, binding)).status).toBe(201);
  const key = await keys.createKey(`key-of-${name}`, { user: name });
  const as = client(server, String(key.spec.key));
  return { name, key: key.metadata.name, as, role: `${RBAC}/clusterrolebindings/${metadata.name}` };
}
const rule = (apiGroups: string, resources: string, ...verbs: string[]): object => ({
  apiGroups: [apiGroups],
  resources: [resources],
  verbs,
});
const INVITER = [
  rule('management.svc.example', 'invitations', 'create', 'delete', 'get'),
  rule('', 'users', 'impersonate'),
  rule('management.svc.example', 'ownedaccesskeys/unlimited', 'create'),
];

describe('control', () => {
  test('a link says as whom it invites, and changes nothing', async () => {
    const name = await newUser({ displayName: 'Ada Lovelace' });
    const code = await invited.codeFor(name, KEY);
    for (let time = 0; time < 2; time += 1) {
      const { status, text } = await invited.use(code);
      expect([status, JSON.parse(text)]).toEqual([
        200,
        {
          user: name,
          displayName: 'Ada Lovelace',
          invitedBy: 'admin',
          expires: expect.stringMatching(/^\d{4}-/),
          byLogin: true,
          byAccessKey: true,
        },
      ]);
    }
    expect([await keysOf(name), (await specOf(name)).subject]).toEqual([0, undefined]);
  });

  test('a login is connected to the User of the link, after a question', async () => {
    const name = await newUser();
    const subject = account({ email: `${name}@example.com` });
    const browser = createBrowser();
    const page = await invited.logIn(await invited.codeFor(name), subject, browser);
    expect([page.status, page.text.includes(`Log in as ${name} from now on?`)]).toEqual([200, true]);
    for (const shown of [subject, `${name}@example.com`, 'admin']) expect(page.text).toContain(shown);
    expect((await specOf(name)).subject).toBeUndefined();
    expect((await browser.submit(page)).url).toBe(`${server.url}/console/`);
    expect(await userOfSession(server, browser)).toBe(name);
    expect(await specOf(name)).toMatchObject({ subject, email: `${name}@example.com` });
    expect((await admin.send('GET', `${INVITATIONS}/${name}`)).status).toBe(404);
  });

  test('a link makes a first access key, which is shown once', async () => {
    const name = await newUser();
    const { status, text } = await invited.use(await invited.codeFor(name, KEY), 'accessKey');
    const made = JSON.parse(text) as { accessKey: string; user: string; expiresInSeconds: number };
    expect([status, made.user, made.expiresInSeconds]).toEqual([201, name, 3600]);
    expect(await keys.whoIs(made.accessKey)).toEqual(expect.arrayContaining([name]));
  });
});

test('the audit log has each acceptance, and no code', async () => {
  const [one, other] = [await newUser(), await newUser()];
  const codes = [await invited.codeFor(one, KEY), await invited.codeFor(other)];
  const { name } = JSON.parse((await invited.use(codes[0] ?? '', 'accessKey')).text) as { name: string };
  await invited.accept(codes[1] ?? '', account());
  const directory = join(server.directory, 'data', 'audit');
  const logged = (): string =>
    readdirSync(directory)
      .map((file) => readFileSync(join(directory, file), 'utf8'))
      .join('');
  for (const user of [one, other])
    await eventually('the acceptance', async () => logged().includes(`/invitation-user":"${user}"`));
  for (const said of [`creator":"admin"`, `key":"${name}"`, `key":"login-${other}-`, `uid":"`])
    expect(logged()).toContain(`"management.svc.example/invitation-${said}`);
  for (const code of codes) expect(logged()).not.toContain(code);
});

describe('a link works once', () => {
  test('also for many at a time, in every spelling, by every way', async () => {
    const name = await newUser();
    const code = await invited.codeFor(name, KEY);
    const answers = await Promise.all(Array.from({ length: 12 }, () => invited.use(code, 'accessKey')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(11).fill(401)]);
    expect(await keysOf(name)).toBe(1);
    for (const again of [code, `${code}=`, `${code}!`])
      for (const way of [undefined, 'login', 'accessKey'] as const) {
        const { status, text } = await invited.use(again, way);
        expect([status, text]).toEqual([401, expect.stringContaining(OVER)]);
      }
  });

  test('two people who have both logged in: one becomes the User', async () => {
    const name = await newUser();
    const code = await invited.codeFor(name);
    const people = [account(), account()];
    const browsers = people.map(() => createBrowser());
    const asked: Awaited<ReturnType<InvitationClient['logIn']>>[] = [];
    for (const [at, browser] of browsers.entries())
      asked.push(await invited.logIn(code, people[at] ?? '', browser));
    const ends = await Promise.all(browsers.map((browser, at) => browser.submit(asked[at] as never)));
    expect(ends.map(({ status }) => status).sort()).toEqual([200, 403]);
    const winner = ends.findIndex(({ status }) => status === 200);
    expect((await specOf(name)).subject).toBe(people[winner]);
    expect(ends[1 - winner]?.text).toMatch(/was used before|was changed at the same time|has another login/);
    expect(await userOfSession(server, browsers[1 - winner] as never)).toBeNull();
  });

  test('and whoever does not accept it leaves it open', async () => {
    const name = await newUser();
    const code = await invited.codeFor(name);
    const browser = createBrowser();
    const page = await invited.logIn(code, account(), browser);
    expect((await browser.submit(page, { decision: 'deny' })).text).toContain('Nothing was changed');
    expect((await invited.use(code)).status).toBe(200);
  });
});

describe('a link ends', () => {
  const ENDS: readonly (readonly [string, (name: string) => Promise<unknown>])[] = [
    ['it is revoked', (name) => admin.send('DELETE', `${INVITATIONS}/${name}`)],
    [
      'another one is made',
      async (name) => {
        await admin.send('DELETE', `${INVITATIONS}/${name}`);
        await invited.codeFor(name, KEY);
      },
    ],
    ['its user is disabled', (name) => patch(`${API}/users/${name}`, { spec: { disabled: true } })],
    ['its user is deleted', (name) => admin.send('DELETE', `${API}/users/${name}`)],
    [
      'its user is deleted and made again',
      async (name) => {
        await admin.send('DELETE', `${API}/users/${name}`);
        await eventually(
          'the user goes',
          async () => (await admin.send('GET', `${API}/users/${name}`)).status === 404,
        );
        await keys.createUser(name);
      },
    ],
  ];

  test.each(ENDS)('when %s', async (_what, end) => {
    const name = await newUser();
    const code = await invited.codeFor(name, KEY);
    await end(name);
    for (const way of [undefined, 'login', 'accessKey'] as const)
      expect([way, (await invited.use(code, way)).status]).toEqual([way, 401]);
    expect(await keysOf(name)).toBe(0);
  });

  test('also when it ends between the login and the answer', async () => {
    const name = await newUser();
    const subject = account();
    const browser = createBrowser();
    const page = await invited.logIn(await invited.codeFor(name), subject, browser);
    await admin.send('DELETE', `${INVITATIONS}/${name}`);
    expect((await browser.submit(page)).status).toBe(403);
    expect((await specOf(name)).subject).toBeUndefined();
  });

  const CREATORS: readonly (readonly [
    string,
    (creator: Awaited<ReturnType<typeof person>>) => Promise<unknown>,
  ])[] = [
    ['loses the right', ({ role }) => admin.send('DELETE', role)],
    ['is disabled', ({ name }) => patch(`${API}/users/${name}`, { spec: { disabled: true } })],
    ['is deleted', ({ name }) => admin.send('DELETE', `${API}/users/${name}`)],
    ['loses the access key', ({ key }) => admin.send('DELETE', `${KEYS}/${key}`)],
    [
      'may not invite any more',
      ({ role }) => patch(role.replace('clusterrolebindings', 'clusterroles'), { rules: INVITER.slice(1) }),
    ],
  ];

  test.each(CREATORS)('when its creator %s', async (_what, end) => {
    const creator = await person(INVITER);
    const name = await newUser();
    const code = await invited.codeFor(name, KEY, creator.as);
    expect((await invited.use(code)).status).toBe(200);
    await end(creator);
    await eventually('the link ends', async () => (await invited.use(code)).status === 401);
    expect((await invited.use(code, 'accessKey')).status).toBe(401);
  });

  test('with its time, and its record goes', async () => {
    const name = await newUser();
    for (const ttl of [0, -1, 299, 604_801]) expect((await invited.create(name, { ttl })).status).toBe(422);
    const code = await invited.codeFor(name, { ttl: 300 });
    const { expires } = JSON.parse((await invited.use(code)).text) as { expires: string };
    expect(Date.parse(expires) - Date.now()).toBeLessThanOrEqual(300_000);
  });
});

describe('nobody invites', () => {
  test.each<[string, object[], object]>([
    ['without a right', [], {}],
    ['who may not impersonate', [rule('management.svc.example', 'invitations', '*')], {}],
    ['with a key, who may not make unlimited ones', INVITER.slice(0, 2), KEY],
  ])('%s', async (_what, rules, spec) => {
    const { as } = await person(rules);
    const name = await newUser();
    for (const target of [name, 'admin', 'nobody-of-this-name'])
      expect([403, 404]).toContain((await invited.create(target, spec, as)).status);
    expect((await admin.send('GET', `${INVITATIONS}/${name}`)).status).toBe(404);
  });

  test('with a key that has a scope', async () => {
    const { name, as } = await person(INVITER);
    const scope = { rules: [{ verbs: ['*'], resources: [{ group: '*', resources: ['*'] }] }] };
    const key = await keys.createKey(`scoped-${name}`, { user: name, scope });
    const { status } = await invited.create(await newUser(), {}, client(server, String(key.spec.key)));
    expect([status, (await invited.create(await newUser(), {}, as)).status]).toEqual([403, 201]);
  });

  test('a flood without a right leaves nothing, and one with it a record for each user', async () => {
    const name = await newUser();
    const { as } = await person([]);
    const refused = await Promise.all(Array.from({ length: 50 }, () => invited.create(name, {}, as)));
    // A server that is busy turns some away.
    for (const { status } of refused) expect([403, 429]).toContain(status);
    const made = await Promise.all(Array.from({ length: 20 }, () => invited.create(name)));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of made) expect([201, 409, 429]).toContain(status);
  });

  test('a user who has a login, or none at all', async () => {
    const name = await newUser({ subject: account() });
    const { status, text } = await invited.create(name);
    expect([status, text]).toEqual([403, expect.stringContaining('has a login already')]);
    expect((await invited.create('nobody-of-this-name')).status).toBe(404);
    expect((await invited.create('')).status).toBe(422);
  });

  test('a dry run makes no link', async () => {
    const name = await newUser();
    const { status, text } = await admin.send(
      'POST',
      `${INVITATIONS}?dryRun=All`,
      bodyOf('Invitation', name),
    );
    expect([status, text.includes('#invitation=')]).toEqual([201, false]);
    expect((await admin.send('GET', `${INVITATIONS}/${name}`)).status).toBe(404);
  });
});

describe('a link is nowhere', () => {
  test('but in the answer to its creator', async () => {
    const name = await newUser();
    const code = await invited.codeFor(name, KEY);
    const used = await invited.codeFor(await newUser(), KEY);
    const made = JSON.parse((await invited.use(used, 'accessKey')).text) as { accessKey: string };
    const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const answers = [
      await admin.send('GET', `${INVITATIONS}/${name}`),
      await admin.send('GET', INVITATIONS),
      await admin.send('GET', INVITATIONS, undefined, table),
      await admin.send('GET', '/metrics'),
    ];
    for (const secret of [code, used, made.accessKey]) {
      for (const { text } of answers) expect(text).not.toContain(secret);
      expect(server.log()).not.toContain(secret);
    }
  });

  test.each(['', 'a', 'x'.repeat(4000), 'é', 'null', '../users'])(
    'the code %j opens nothing',
    async (code) => {
      expect([400, 401]).toContain((await invited.use(code)).status);
      expect([400, 401]).toContain((await invited.use(code, 'accessKey')).status);
    },
  );

  test('other sites, other methods and other texts get nothing', async () => {
    const code = await invited.codeFor(await newUser(), KEY);
    const body = { invitation: code, accept: 'accessKey' };
    const from = (headers: Record<string, string>, sent: unknown = body): Promise<Answer> =>
      invited.send('POST', ACCEPT, { body: sent, headers });
    expect((await from({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await from({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await from({ 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect((await from({}, { invitation: 'x'.repeat(20_000) })).status).toBe(413);
    for (const sent of [{}, [], { invitation: 5 }, { invitation: code, accept: 'all' }])
      expect((await from({}, sent)).status).toBe(400);
    expect((await invited.send('GET', ACCEPT)).status).toBe(405);
    expect((await invited.use(code)).status).toBe(200);
  });

  test('a link to the console is no invitation, and an invitation no link to the console', async () => {
    const code = await invited.codeFor(await newUser());
    expect((await invited.send('POST', '/console/session', { body: { link: code } })).status).toBe(401);
    const made = await admin.send('POST', '/console/session/link');
    const { key } = (await keys.createKey(`linking-${count}`, { user: await newUser() })).spec;
    const { text } = await client(server, String(key)).send('POST', '/console/session/link');
    expect(made.status).toBe(401);
    const { path } = JSON.parse(text) as { path: string };
    expect((await invited.use(path.replace('/console/#login=', ''))).status).toBe(401);
  });
});

describe('a login', () => {
  test('of another user accepts nothing, and stays with its user', async () => {
    const subject = account();
    const own = await newUser({ subject });
    const name = await newUser();
    const page = await invited.logIn(await invited.codeFor(name), subject);
    expect([page.status, page.text.includes(`belongs to the user &quot;${own}&quot; already`)]).toEqual([
      403,
      true,
    ]);
    expect((await specOf(name)).subject).toBeUndefined();
  });

  test('has one user: a second one cannot take its subject', async () => {
    const subject = account();
    const own = await newUser({ subject });
    const name = await newUser();
    const { status, text } = await patch(`${API}/users/${name}`, { spec: { subject } });
    expect([status, text]).toEqual([422, expect.stringContaining(`is the subject of the user \\"${own}\\"`)]);
    expect((await patch(`${API}/users/${own}`, { spec: { displayName: 'Same' } })).status).toBe(200);
  });

  test('of another provider is none, even with the subject of a person of this one', async () => {
    const subject = account();
    const other = await startIdentityProvider();
    try {
      await other.serve(server.url);
      other.accounts.set(subject, { preferred_username: subject });
      const name = await newUser();
      const code = await invited.codeFor(name);
      const begun = await invited.use(code, 'login');
      const [, cookie = ''] = /^__Host-login=([^;]*)/.exec(String(begun.headers['set-cookie'])) ?? [];
      const { location } = JSON.parse(begun.text) as { location: string };
      const browser = createBrowser();
      browser.setCookie(server.url, '__Host-login', cookie);
      const form = await browser.open(location.replace(provider.issuer, other.issuer));
      const page = await browser.submit(form, { login: subject, password: 'any' });
      expect([page.url.startsWith(`${server.url}/auth/callback`), page.status]).toEqual([true, 400]);
      expect([(await specOf(name)).subject, (await invited.use(code)).status]).toEqual([undefined, 200]);
    } finally {
      other.stop();
    }
  });

  test('is not that of another browser: the question needs the cookie of its page', async () => {
    const name = await newUser();
    const page = await invited.logIn(await invited.codeFor(name), account());
    expect((await createBrowser().submit(page)).status).toBe(400);
    expect((await specOf(name)).subject).toBeUndefined();
  });
});

describe('a verified address', () => {
  const loggingIn = async (subject: string): Promise<{ status: number; text: string }> => {
    const browser = createBrowser();
    const form = await browser.open(`${server.url}/auth/login`);
    return browser.submit(form, { login: subject, password: 'any' });
  };

  test('connects the login to the one User with it', async () => {
    const email = `match-${count}@example.com`;
    const name = await newUser({ email });
    const subject = account({ email, email_verified: true });
    expect((await loggingIn(subject)).status).toBe(200);
    expect((await specOf(name)).subject).toBe(subject);
  });

  test.each<[string, string, object]>([
    ['not verified', 'a1@example.com', { email: 'a1@example.com', email_verified: false }],
    ['verified as a text', 'a2@example.com', { email: 'a2@example.com', email_verified: 'true' }],
    ['of which nothing is said', 'a3@example.com', { email: 'a3@example.com' }],
    ['in other case', 'Ada4@example.com', { email: 'ada4@example.com', email_verified: true }],
    [
      'of other signs that look alike',
      'ada5@example.com',
      { email: '\u0430da5@example.com', email_verified: true },
    ],
    [
      'composed in another way',
      '\u00e96@example.com',
      { email: 'e\u03016@example.com', email_verified: true },
    ],
    ['with a space', 'a7@example.com', { email: 'a7@example.com ', email_verified: true }],
    ['that is empty', '', { email: '', email_verified: true }],
    ['in a list', 'a8@example.com', { email: ['a8@example.com'], email_verified: true }],
  ])('%s connects nothing', async (_what, email, claims) => {
    const name = await newUser(email === '' ? {} : { email });
    const subject = account(claims);
    expect((await loggingIn(subject)).status).toBe(200);
    expect((await specOf(name)).subject).toBeUndefined();
    expect((await specOf(subject)).subject).toBe(subject);
  });

  test('of several users connects nothing, and says so', async () => {
    const email = `several-${count}@example.com`;
    const names = [await newUser({ email }), await newUser({ email })];
    const page = await loggingIn(account({ email, email_verified: true }));
    expect([
      page.status,
      page.text.includes('Several users without a login have your e-mail address.'),
    ]).toEqual([403, true]);
    for (const name of names) expect((await specOf(name)).subject).toBeUndefined();
  });

  test('of an administrator, or of a disabled user, connects nothing', async () => {
    const email = `boss-${count}@example.com`;
    const boss = await newUser({ email, groups: ['management:admins'] });
    const page = await loggingIn(account({ email, email_verified: true }));
    expect([page.status, page.text.includes('the rights of an administrator')]).toEqual([403, true]);
    expect((await specOf(boss)).subject).toBeUndefined();
    const gone = await newUser({ email: `gone-${email}`, disabled: true });
    expect((await loggingIn(account({ email: `gone-${email}`, email_verified: true }))).status).toBe(403);
    expect((await specOf(gone)).subject).toBeUndefined();
  });

  test('cannot be given to a user by somebody who may not act as them', async () => {
    const { as } = await person([rule('management.svc.example', 'users', '*')]);
    const name = await newUser();
    const change = { spec: { email: 'mine@example.com' } };
    expect((await as.send('PATCH', `${API}/users/${name}`, change, MERGE)).status).toBe(403);
    expect((await as.send('POST', `${API}/users`, bodyOf('User', 'trap', change.spec))).status).toBe(403);
    expect(
      (await as.send('PATCH', `${API}/users/${name}`, { spec: { displayName: 'x' } }, MERGE)).status,
    ).toBe(200);
  });

  test('says what an administrator must do where a name is taken', async () => {
    const name = await newUser();
    const subject = account({ preferred_username: name });
    const page = await loggingIn(subject);
    expect(page.status).toBe(403);
    expect(page.text).toContain(`platform invite ${name}`);
    expect(page.text).toContain(`platform link user ${name} --subject ${subject}`);
  });
});
