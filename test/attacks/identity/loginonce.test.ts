/**
 * A login creates one key: its code, its page and its device code are valid once, at every server, even if the key was
 * deleted.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createBrowser, type Browser, type Page } from '../../fixtures/console/browser.js';
import { client } from '../../fixtures/clients/client.js';
import { startShared } from '../../fixtures/servers/engines.js';
import {
  loginFlag,
  startIdentityProvider,
  type IdentityProvider,
} from '../../fixtures/stubs/identityprovider.js';
import { fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const KEYS = '/apis/management.svc.example/v1/ownedaccesskeys';
const SELVES = '/apis/management.svc.example/v1/selves';
const COOKIE = '__Host-login';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const VERIFIER = 'verifier';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const ASK = `redirect_uri=${encodeURIComponent('http://127.0.0.1:1/')}&code_challenge=${CHALLENGE}&state=s`;

interface Exchanged {
  readonly status: number;
  readonly access_token?: string;
  readonly error?: string;
}

let provider: IdentityProvider;
let first: ServerFixture;
/** On etcd, codes are sent to another server than the one of the login. */
let servers: readonly ServerFixture[];
let remove: () => Promise<unknown>;
const directory = mkdtempSync(join(tmpdir(), 'login-once-'));

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  provider = await startIdentityProvider();
  const flags = [loginFlag(directory, provider), '--access-key-retention=1s'];
  const engine = await startShared({ flags });
  first = engine.server;
  const { etcd } = engine;
  const more = etcd === undefined ? [] : [await startServer({ flags, etcdServers: etcd })];
  servers = [first, ...more];
  remove = () => Promise.all(more.map((one) => one.remove())).then(() => engine.remove());
  await provider.serve(first.url);
  provider.accounts.set('sub-of-anna', { preferred_username: 'anna', name: 'anna', email: 'a@x.example' });
});
afterAll(async () => {
  await remove?.();
  provider?.stop();
  rmSync(directory, { recursive: true });
});

const post = async (server: ServerFixture, path: string, body: object): Promise<Exchanged> => {
  const sent = { method: 'POST', token: '', body: JSON.stringify(body) };
  const { status, text } = await fetchFrom(`${server.url}${path}`, sent);
  return { status, ...(JSON.parse(text) as object) };
};
const logIn = async (browser: Browser, url: string): Promise<Page> => {
  const form = await browser.open(url);
  return browser.submit(form, { login: 'sub-of-anna', password: 'any' });
};
const nameOf = async (key: string): Promise<string> => {
  const answer = await client(first, key).send('POST', SELVES, { spec: {} });
  return (JSON.parse(answer.text) as { status: { accessKey: string } }).status.accessKey;
};
const keys = async (): Promise<string[]> => {
  const { items } = JSON.parse((await client(first).send('GET', KEYS)).text) as {
    items: { metadata: { name: string }; spec: { user?: string } }[];
  };
  return items.filter(({ spec }) => spec.user === 'anna').map(({ metadata }) => metadata.name);
};
const patch = async (name: string, spec: object): Promise<void> => {
  expect((await client(first).send('PATCH', `${KEYS}/${name}`, { spec }, MERGE)).status).toBe(200);
};
const isGone = async (name: string): Promise<boolean> => !(await keys()).includes(name);
const deleted = async (name: string): Promise<void> => {
  expect((await client(first).send('DELETE', `${KEYS}/${name}`)).status).toBe(200);
  await eventually('the key goes', () => isGone(name));
};
const FATES: readonly (readonly [string, (name: string, key: string) => Promise<void>])[] = [
  ['is in use', () => Promise.resolve()],
  ['was deleted', deleted],
  ['was disabled', (name) => patch(name, { disabled: true })],
  ['was rotated', (name) => patch(name, { key: randomBytes(30).toString('hex') })],
  ['was given to somebody else', (name) => patch(name, { user: 'admin' })],
  [
    'ended and was removed',
    async (name) => {
      await patch(name, { ttl: 1 });
      await eventually('the key ends', () => isGone(name));
    },
  ],
  [
    'deleted itself',
    async (name, key) => {
      const answer = await client(first, key).send('DELETE', `${KEYS}/${name}`);
      expect(answer.status).toBe(200);
      await eventually('the key goes', () => isGone(name));
    },
  ],
  [
    'went with its user',
    async (name) => {
      await client(first).send('DELETE', '/apis/management.svc.example/v1/users/anna');
      await client(first).send('DELETE', `${KEYS}/${name}`);
      await eventually('the key goes', () => isGone(name));
    },
  ],
];

describe('the code of a waiting program', () => {
  const codeOf = async (): Promise<{ code: string; again: () => Promise<string> }> => {
    const browser = createBrowser((url) => url.protocol === 'http:');
    const page = await logIn(browser, `${first.url}/auth/login?${ASK}`);
    const cookie = browser.cookie(first.url, COOKIE) ?? '';
    const confirmed = async (): Promise<string> => {
      browser.setCookie(first.url, COOKIE, cookie);
      const { headers } = await browser.submit(page);
      return new URL(headers.location as string).searchParams.get('code') ?? '';
    };
    return { code: await confirmed(), again: confirmed };
  };
  const exchanged = (server: ServerFixture, code: string): Promise<Exchanged> =>
    post(server, '/auth/token', { code, code_verifier: VERIFIER });

  test.each(FATES)('gives nothing again where its key %s', async (_fate, befall) => {
    const { code, again } = await codeOf();
    const { status, access_token: key = '' } = await exchanged(servers.at(-1) ?? first, code);
    expect(status).toBe(200);
    await befall(await nameOf(key), key);
    const before = await keys();
    // If the same browser confirms the same page again, it is the same login.
    for (const one of [code, await again()])
      for (const server of servers)
        expect(await exchanged(server, one)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await keys()).toEqual(before);
  });

  test('gives one key to many who come at the same moment', async () => {
    const { code, again } = await codeOf();
    const codes = [code, await again(), await again()];
    const answers = await Promise.all(
      Array.from({ length: 18 }, (_one, at) =>
        exchanged(servers[at % servers.length] ?? first, codes[at % 3] ?? ''),
      ),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array(17).fill(400)]);
  });

  test('gives a key for every login', async () => {
    for (const server of servers)
      expect((await exchanged(server, (await codeOf()).code)).access_token).toMatch(/^mk_/);
  });
});

describe('a device', () => {
  interface Device {
    readonly device_code: string;
    readonly verification_uri: string;
  }
  const polled = (server: ServerFixture, { device_code }: Device): Promise<Exchanged> =>
    post(server, '/auth/device/token', { device_code });
  const confirmed = async (): Promise<{ device: Device; again: () => Promise<unknown> }> => {
    const device = (await post(first, '/auth/device', {})) as unknown as Device;
    const browser = createBrowser();
    const page = await logIn(browser, device.verification_uri);
    const cookie = browser.cookie(first.url, COOKIE) ?? '';
    const confirm = (): Promise<Page> => {
      browser.setCookie(first.url, COOKIE, cookie);
      return browser.submit(page);
    };
    await confirm();
    return { device, again: confirm };
  };

  test.each(FATES)('gets no other key where its own %s', async (_fate, befall) => {
    const { device, again } = await confirmed();
    const { status, access_token: key = '' } = await polled(servers.at(-1) ?? first, device);
    expect(status).toBe(200);
    await befall(await nameOf(key), key);
    const before = await keys();
    await again();
    // Another page for the same link is refused, too.
    const browser = createBrowser();
    await browser.submit(await logIn(browser, device.verification_uri));
    for (const server of servers) expect((await polled(server, device)).status).toBe(400);
    expect(await keys()).toEqual(before);
  });

  test('gets one key, however often and at whichever server it polls', async () => {
    const { device } = await confirmed();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_one, at) => polled(servers[at % servers.length] ?? first, device)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

test('a browser that logs in by itself gets one key for one attempt', async () => {
  const browser = createBrowser((url) => url.origin === provider.issuer);
  const { headers } = await browser.open(`${first.url}/auth/login`);
  const attempt = browser.cookie(first.url, COOKIE) ?? '';
  const following = createBrowser();
  const finished = async (): Promise<Page> => {
    following.setCookie(first.url, COOKIE, attempt);
    const page = await following.open(headers.location as string);
    return page.text.includes('name="password"')
      ? following.submit(page, { login: 'sub-of-anna', password: 'any' })
      : page;
  };
  const [, key = ''] = /<code id="key">(mk_\w+)<\/code>/.exec((await finished()).text) ?? [];
  await deleted(await nameOf(key));
  const again = await finished();
  expect([again.status, again.text.includes('mk_')]).toEqual([400, false]);
});
