/**
 * What docs/single-sign-on.md says of each provider: logins with the settings of its section, at an issuer that answers in the
 * form that the provider documents.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { parse } from 'yaml';
import type { User } from '../../api/management.svc.example/v1/user.js';
import { client } from '../fixtures/clients/client.js';
import { createBrowser, type Page } from '../fixtures/console/browser.js';
import { teamsOf } from '../fixtures/console/providerlogin.js';
import { fetchFrom, startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { startDocumentedProvider, type DocumentedProvider } from '../fixtures/stubs/documentedprovider.js';
import { loginFlag } from '../fixtures/stubs/identityprovider.js';
import {
  ENTRA_OVERAGE,
  GITHUB_ACTIONS,
  PROVIDERS,
  type ProviderDocument,
} from '../fixtures/stubs/providerdocuments.js';
import { readPage } from './page.js';

const API = '/apis/management.svc.example/v1';
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const PAGE = readPage('docs/single-sign-on.md');
const yamlIn = (text: string): string[] =>
  [...text.matchAll(/```yaml\n([^]*?)```/g)].map(([, yaml = '']) => yaml);
/** The blocks of the section of a provider, in order. */
const yamlOf = (provider: string): string[] =>
  yamlIn(PAGE.split(/^## /m).find((one) => one.startsWith(`${provider}\n`)) ?? '');

interface Settings {
  readonly issuer: string;
  readonly clientID: string;
  readonly clientSecretFile: string;
}

interface Realm {
  readonly server: ServerFixture;
  readonly provider: DocumentedProvider;
  logIn(claims?: object): Promise<Page>;
  remove(): Promise<void>;
}

const keyIn = ({ text }: Page): string => {
  const [, key] = /<code id="key">(mk_[0-9A-Za-z]{46})<\/code>/.exec(text) ?? [];
  if (key === undefined) throw new Error(text);
  return key;
};

/** A server with the settings of the page, and the rules of the page for teams of the same names. */
async function startRealm(
  yaml: string,
  published: ProviderDocument,
  rules: Readonly<Record<string, object>>,
): Promise<Realm> {
  const directory = mkdtempSync(join(tmpdir(), 'singlesignon-'));
  const { issuer, clientSecretFile, ...settings } = parse(yaml) as Settings;
  expect([issuer, clientSecretFile]).toEqual([published.discovery.issuer, 'client-secret']);
  const provider = await startDocumentedProvider(published, settings.clientID);
  const server = await startServer({ flags: [loginFlag(directory, provider, settings)] });
  const admin = client(server);
  for (const [team, rule] of Object.entries(rules)) {
    await admin.send('POST', `${API}/teams`, { metadata: { name: team } });
    const spec = { ...rule, team };
    const { status } = await admin.send('POST', `${API}/grouprules`, { metadata: { name: team }, spec });
    expect(status).toBe(201);
  }
  return {
    server,
    provider,
    logIn(claims = {}) {
      provider.claims = claims;
      return createBrowser().open(`${server.url}/auth/login`);
    },
    async remove() {
      await server.remove();
      provider.stop();
      rmSync(directory, { recursive: true });
    },
  };
}

interface Case {
  /** Where its settings are: the section, and the number of the block there. */
  readonly block?: readonly [string, number];
  /** As the page has them. */
  readonly rules: Readonly<Record<string, { readonly claim?: string; readonly values: string[] }>>;
  /** The name of the User. */
  readonly user: string;
}

const CASES: Readonly<Record<keyof typeof PROVIDERS, Case>> = {
  Keycloak: {
    rules: { web: { values: ['/acme/web'] }, leads: { claim: 'realm_access.roles', values: ['lead'] } },
    user: 'anna',
  },
  'Entra ID': {
    rules: {
      web: { values: ['5f0c1c3e-0000-4000-8000-000000000001'] },
      users: { claim: 'roles', values: ['web.user'] },
    },
    user: 'anna-example.com',
  },
  Okta: { rules: { web: { values: ['acme-web-*'] } }, user: 'anna-example.com' },
  'Okta custom': {
    block: ['Okta', 1],
    rules: { web: { values: ['acme-web-*'] } },
    user: 'anna-example.com',
  },
  Google: { rules: { everybody: { claim: 'hd', values: ['example.com'] } }, user: 'anna-example.com' },
  GitHub: { rules: { web: { values: ['acme:web'] } }, user: 'anna' },
};

beforeAll(() => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
});

describe.each(Object.entries(PROVIDERS))('%s', (name, published) => {
  const { block: [section, at] = [name, 0], rules, user } = CASES[name as keyof typeof PROVIDERS];
  const yaml = yamlOf(section)[at] ?? '';
  let on: Realm;
  beforeAll(async () => {
    on = await startRealm(yaml, published, rules);
  });
  afterAll(() => on?.remove());

  const loginOf = async (): Promise<NonNullable<User['status']>['login']> =>
    (JSON.parse((await client(on.server).send('GET', `${API}/users/${user}`)).text) as User).status?.login;

  test('a login gets a name, and what the rules of the page give', async () => {
    for (const { claim = 'groups', values } of Object.values(rules))
      for (const text of [claim, ...values]) expect(PAGE).toContain(text);
    const key = keyIn(await on.logIn());
    expect((await teamsOf(on.server, key)).sort()).toEqual(Object.keys(rules).sort());
    expect(await loginOf()).toMatchObject({ issuer: on.provider.issuer });
    expect((await loginOf())?.notes).toBeUndefined();
  });

  if (name === 'Entra ID')
    test('too many groups give nothing, with a note', async () => {
      const key = keyIn(await on.logIn({ ...ENTRA_OVERAGE, roles: undefined }));
      expect(await teamsOf(on.server, key)).toEqual([]);
      expect((await loginOf())?.notes).toEqual([expect.stringContaining('the provider sends no list')]);
    });

  if (name === 'Google')
    test.each([undefined, 'other.example'])('an account of the domain %p is refused', async (hd) => {
      const { status, text } = await on.logIn({ hd, sub: '2', email: 'eve@other.example' });
      expect([status, text]).toEqual([403, expect.stringContaining('lacks the claim')]);
    });
});

test('an authorization server of Okta without the scope groups refuses it', async () => {
  const yaml = (yamlOf('Okta')[0] ?? '').replace('.okta.com', '.okta.com/oauth2/default');
  const on = await startRealm(yaml, PROVIDERS['Okta custom'], {});
  try {
    const { status, text } = await on.logIn();
    expect([status, text]).toEqual([400, expect.stringContaining('refuses the login: invalid_scope')]);
  } finally {
    await on.remove();
  }
});

test('tokens of GitHub Actions are no logins of people, and give the key of the rule of their workflow', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'actions-'));
  const yaml =
    yamlIn(readPage('docs/tokens-and-login.md')).find((one) => one.includes('WorkloadIdentity')) ?? '';
  const { issuers, ...file } = parse(yaml) as { issuers: { issuer: string; audience: string }[] };
  const [github = { issuer: '', audience: '' }] = issuers;
  expect(github.issuer).toBe(GITHUB_ACTIONS.discovery.issuer);
  const actions = await startDocumentedProvider(GITHUB_ACTIONS, '');
  const issuer = { ...github, issuer: actions.issuer, caFile: 'provider.pem' };
  writeFileSync(join(directory, 'workload.yaml'), JSON.stringify({ ...file, issuers: [issuer] }));
  const flags = [
    loginFlag(directory, actions, {}),
    `--workload-identity-config=${join(directory, 'workload.yaml')}`,
  ];
  const server = await startServer({ flags });
  try {
    const { status, text } = await createBrowser().open(`${server.url}/auth/login`);
    expect([status, text]).toEqual([502, expect.stringContaining('no login for people')]);
    await client(server).send('POST', `${API}/users`, { metadata: { name: 'ci-web' } });
    const exchanged = async (claims: object): Promise<unknown> => {
      const token = await actions.sign({ aud: github.audience, ...claims });
      const body = JSON.stringify({
        grant_type: GRANT,
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      });
      const sent = { method: 'POST', token: '', body };
      return JSON.parse((await fetchFrom(`${server.url}/auth/workload/token`, sent)).text);
    };
    expect(await exchanged({})).toMatchObject({ user: 'ci-web', access_token: expect.any(String) });
    expect(await exchanged({ repository: 'eve/web' })).toMatchObject({ error: 'access_denied' });
  } finally {
    await server.remove();
    actions.stop();
    rmSync(directory, { recursive: true });
  }
});
