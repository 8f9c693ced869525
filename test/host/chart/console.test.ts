/**
 * The console of a server behind kube-apiserver, with tokens of that cluster: of ServiceAccounts, and of its OIDC
 * provider; in Chromium.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { allow } from '../../fixtures/clients/impersonation.js';
import { startOwnAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import {
  axeViolations,
  launchChromium,
  neededChromium,
  openPerson,
  picture,
  type Person,
} from '../../fixtures/console/chromium.js';
import { client } from '../../fixtures/clients/client.js';
import { consoleClient } from '../../fixtures/console/consoleclient.js';
import { HOST_RELEASES } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { startTlsProxy } from '../../fixtures/servers/tlsproxy.js';
import { eventually } from '../../fixtures/wait.js';
import { startWorkloadIssuer, type WorkloadIssuerFixture } from '../../fixtures/stubs/workloadissuer.js';

const GROUP = 'management.svc.example';
const TEAM = `/apis/${GROUP}/v1/namespaces/team`;
const ACCOUNTS = '/api/v1/namespaces/team/serviceaccounts';
const userOf = (account: string): string => `system:serviceaccount:team:${account}`;
// The requests of a login to the host are the same for each release.
const [release] = HOST_RELEASES.slice(-1) as [(typeof HOST_RELEASES)[number]];

if (neededChromium())
  describeWith(release.apiserver)(`the console behind Kubernetes ${release.release}`, () => {
    let on: AggregatedHost;
    let browser: Browser;
    /** The provider whose ID tokens the host accepts. */
    let provider: WorkloadIssuerFixture;

    beforeAll(async () => {
      provider = await startWorkloadIssuer();
      on = await startOwnAggregated(release, ours(), ({ directory }) => {
        const file = join(directory, 'provider.crt');
        writeFileSync(file, provider.authority);
        return [
          `--oidc-issuer-url=${provider.issuer}`,
          `--oidc-ca-file=${file}`,
          '--oidc-client-id=kubernetes',
          '--oidc-username-claim=sub',
          '--oidc-username-prefix=oidc:',
        ];
      });
      browser = await launchChromium();
      await made(on.host.api, '/api/v1/namespaces', { metadata: { name: 'team' } });
      for (const name of ['writer', 'stranger', 'leaver'])
        await made(on.host.api, ACCOUNTS, { metadata: { name } });
      const secrets = { apiGroups: [GROUP], resources: ['sharedsecrets'], verbs: ['*'] };
      await allow(on.host, userOf('writer'), 'team', secrets);
      await allow(on.host, userOf('leaver'), 'team', secrets);
      await allow(on.host, 'oidc:ada', 'team', secrets);
      for (const name of ['database', 'queue'])
        await made(on.host.api, `${TEAM}/sharedsecrets`, {
          metadata: { name },
          spec: { data: { a: 'YQ==' } },
        });
    });

    afterAll(async () => {
      await browser?.close();
      await on?.stop();
      provider?.stop();
    });

    async function tokenOf(account: string): Promise<string> {
      const { text } = await client(on.host).send('POST', `${ACCOUNTS}/${account}/token`, {
        spec: { expirationSeconds: 3600 },
      });
      return (JSON.parse(text) as { status: { token: string } }).status.token;
    }
    async function logIn(account: string): Promise<Person> {
      const person = await openPerson(browser, on);
      await person.page.goto('/console/');
      await person.page.getByLabel('Access key or token of the cluster').fill(await tokenOf(account));
      await person.page.keyboard.press('Enter');
      await person.page.getByRole('heading', { name: `Hello, ${userOf(account)}` }).waitFor();
      return person;
    }
    const sessionKeys = async (account: string): Promise<object[]> => {
      const { text } = await client(on.host).send('GET', `/apis/${GROUP}/v1/ownedaccesskeys`);
      const { items } = JSON.parse(text) as { items: { spec: { subject?: string } }[] };
      return items.map(({ spec }) => spec).filter(({ subject }) => subject === `host:${userOf(account)}`);
    };

    test('a ServiceAccount does what it may at the host, live', async () => {
      const { page, context, violations } = await logIn('writer');
      await page.goto('/console/secrets');
      await page.getByRole('link', { name: 'queue' }).waitFor();
      await picture(page, 'host-light');
      expect(await axeViolations(page)).toEqual([]);
      await made(on.host.api, `${TEAM}/sharedsecrets`, { metadata: { name: 'fresh' }, spec: {} });
      await page.getByRole('link', { name: 'fresh' }).click();
      await page.getByRole('button', { name: 'Add an entry' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Entry' }).fill('token');
      await dialog.getByRole('button', { name: 'Generate' }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Reveal token' }).waitFor();
      const [cookie] = await context.cookies();
      expect(cookie).toMatchObject({ name: '__Host-console', httpOnly: true, sameSite: 'Strict' });
      expect(violations).toEqual([]);
      expect(await sessionKeys('writer')).toMatchObject([
        { type: 'Login', scope: {}, ttl: expect.anything() },
      ]);
      await page.getByRole('button', { name: `Account: ${userOf('writer')}` }).click();
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
      expect(await sessionKeys('writer')).toEqual([]);
    });

    test('an ID token of the provider of the cluster logs in, at an Ingress at which TLS ends', async () => {
      const token = await provider.token({ sub: 'ada', aud: 'kubernetes' });
      const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
      await eventually(
        'the host has the keys of the provider',
        async () => (await client(on.host, token).send('POST', reviews, review)).status === 201,
      );
      const proxy = await startTlsProxy({ target: on.url, host: 'kept' });
      try {
        const { page, context, violations } = await openPerson(browser, proxy);
        await page.goto('/console/');
        await page.getByLabel('Access key or token of the cluster').fill(token);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Hello, oidc:ada' }).waitFor();
        await page.goto('/console/secrets');
        await page.getByRole('link', { name: 'queue' }).waitFor();
        await made(on.host.api, `${TEAM}/sharedsecrets`, { metadata: { name: 'later' }, spec: {} });
        await page.getByRole('link', { name: 'later' }).waitFor();
        expect(violations).toEqual([]);
        await context.close();
      } finally {
        await proxy.stop();
      }
    });

    test('one without rights sees nothing, and is refused what is forged', async () => {
      const { page } = await logIn('stranger');
      await page.goto('/console/secrets');
      await page.getByRole('heading', { name: 'Secrets' }).waitFor();
      await page.waitForTimeout(500);
      expect(await page.getByRole('link', { name: 'queue' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'New secret' }).count()).toBe(0);
      const direct = consoleClient(on);
      const session = await direct.logIn(await tokenOf('stranger'));
      const path = `/console/api${TEAM}/sharedsecrets/queue`;
      expect((await direct.as(session)('GET', path)).status).toBe(403);
      expect((await direct.as(session)('DELETE', path)).status).toBe(403);
    });

    test('the session ends with the ServiceAccount', async () => {
      const direct = consoleClient(on);
      const session = await direct.logIn(await tokenOf('leaver'));
      const read = async (): Promise<number> =>
        (await direct.as(session)('GET', `/console/api${TEAM}/sharedsecrets`)).status;
      expect(await read()).toBe(200);
      await client(on.host).send('DELETE', `${ACCOUNTS}/leaver`);
      await eventually('the token counts no more', async () => (await read()) === 401);
      const told = await direct.as(session)('GET', '/console/session');
      expect(JSON.parse(told.text)).toMatchObject({ user: null, tokenLogin: true });
    });

    test.each([
      ['what the host does not know', 'made-up', /neither an access key/],
      ['a token that no cookie holds', `a.${'x'.repeat(4000)}.b`, /at most 2600 bytes/],
      ['an access key that is none', `mk_${'x'.repeat(40)}`, /access key/],
    ])('refuses %s', async (_what, credential, why) => {
      const body = { accessKey: credential };
      const { status, text } = await consoleClient(on).send('POST', '/console/session', { body });
      expect([status, text]).toEqual([401, expect.stringMatching(why)]);
    });
  });
else test.skip('the console behind a cluster: there is no Chromium', () => undefined);
