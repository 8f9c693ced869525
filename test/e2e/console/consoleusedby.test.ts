/**
 * The uses of a secret, in Chromium: ProjectSecrets with a copy of it, and Secrets in spaces that are filled from it. A
 * second server of this project acts as the clusters; an agent connects one of them.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { base64, fromShared, SecretSteps } from '../../fixtures/agents/secretsteps.js';
import { agentUser, keyOf, startDialingAgent } from '../../fixtures/agents/tunnel.js';
import { allow, impersonating, type Actor } from '../../fixtures/clients/impersonation.js';
import {
  axeViolations,
  launchChromium,
  logInPerson,
  neededChromium,
  overflow,
  picture,
  tabTo,
  visit,
  type Person,
  type PersonOptions,
} from '../../fixtures/console/chromium.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const SPACES = `${API}/namespaces/loft-p-web/spaceinstances`;
const MIRROR = `${API}/namespaces/loft-p-web/projectsecrets/copy`;
const PAGE = '/console/secrets/default/db';
const VALUE = 'never-in-a-search';
const SEARCH = 'Look in spaces and virtual clusters';
const FOUND = '2 Secrets found. 1 of 3 places answered.';

(neededChromium() ? describe : describe.skip)('what uses a secret, in the console', () => {
  let server: ServerFixture;
  let connected: ServerFixture;
  let admin: Actor;
  let east: Actor;
  let agent: AgentProcess;
  let browser: Browser;
  let accessKey = '';
  const steps = new SecretSteps(() => ({ admin, connected: east }));

  beforeAll(async () => {
    [server, connected] = await Promise.all([
      startServer({ controllers: '*' }),
      startServer({ controllers: 'namespace-controller' }),
    ]);
    [admin, east] = [impersonating(server), impersonating(connected)];
    const data = { config: readFileSync(connected.kubeconfig).toString('base64') };
    await steps.create(admin, `${API}/users`, { metadata: { name: 'ada' } });
    accessKey = await keyOf(server, 'ada');
    await steps.create(admin, '/api/v1/namespaces/management-system/secrets', {
      metadata: { name: 'east' },
      data,
    });
    for (const name of ['east', 'west'])
      await steps.create(admin, `${API}/clusters`, {
        metadata: { name },
        spec: { config: { secretName: 'east' }, access: [{ verbs: ['use'], users: ['ada'] }] },
      });
    const spec = { owner: { user: 'ada' }, allowedClusters: [{ name: '*' }] };
    await steps.create(admin, `${API}/projects`, { metadata: { name: 'web' }, spec });
    const key = await agentUser(server, 'east');
    agent = await startDialingAgent(server, { cluster: 'east', key, kubeconfig: connected.kubeconfig });
    await plantSecrets();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await agent?.kill();
    await Promise.all([server?.remove(), connected?.remove()]);
  });

  /** Creates a space with the Secret, one without a right in its cluster, and one in a cluster without an agent. */
  async function plantSecrets(): Promise<void> {
    const access = [{ verbs: ['sync'], users: ['ada'] }];
    const spec = { owner: { user: 'ada' }, data: { password: base64(VALUE) }, access };
    await steps.create(admin, `${API}/namespaces/default/sharedsecrets`, { metadata: { name: 'db' }, spec });
    const namespace = await steps.createSpace('staging', 'ada', { tier: 'web' });
    // The server gives nobody a right in a namespace that was there before.
    for (const [name, cluster] of [
      ['closed', 'east'],
      ['far', 'west'],
    ]) {
      await steps.create(east, '/api/v1/namespaces', { metadata: { name } });
      const clusterRef = { cluster, namespace: name };
      await steps.create(admin, SPACES, { metadata: { name }, spec: { clusterRef, owner: { user: 'ada' } } });
    }
    const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['list'] };
    await allow(connected, 'management:ada', namespace, secrets);
    await steps.createLabelled(namespace, 'login', fromShared('db'));
    await steps.waitForStatus(namespace, 'login', 'Synced');
    await steps.create(admin, MIRROR.replace(/\/copy$/, ''), {
      metadata: { name: 'copy', labels: fromShared('db') },
      spec: {
        owner: { user: 'ada' },
        access: [{ verbs: ['sync'], users: ['ada'] }],
        sync: { spaceSelector: { matchLabels: { tier: 'web' } }, name: 'copied' },
      },
    });
    await steps.waitForStatus(namespace, 'copied', 'Synced');
    await eventually('the copy says that it is in step', async () => {
      const { body } = await admin.send<{ status?: { conditions?: { type: string; status: string }[] } }>(
        'GET',
        MIRROR,
      );
      return body.status?.conditions?.some((one) => one.type === 'TargetsSynced' && one.status === 'True');
    });
  }

  const open = async (options?: PersonOptions): Promise<Person> => {
    const person = await logInPerson(browser, server, { user: 'ada', accessKey }, options);
    await visit(person.page, PAGE);
    return person;
  };

  /** Looks again, as its user would, while a place did not answer in its time. */
  async function waitForFound({ page }: Person, text: string, again: string): Promise<void> {
    const button = page.getByRole('button', { name: again });
    await eventually(text, async () => {
      if ((await page.getByText(text).count()) > 0) return true;
      if ((await button.count()) > 0) await button.click();
      return false;
    });
  }

  test('places are asked by the keyboard, and those that cannot be asked say why', async () => {
    const person = await open();
    const { page, said, context, violations } = person;
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    const used = page.getByRole('region', { name: 'Used by' });
    const mirror = used.getByRole('listitem').filter({ hasText: 'Project secret copy in loft-p-web' });
    await mirror.getByText('In step').waitFor();
    await page.getByRole('button', { name: SEARCH }).waitFor();
    await tabTo(page, SEARCH);
    await page.keyboard.press('Enter');
    const found = page.getByRole('region', { name: 'In spaces and virtual clusters' });
    await waitForFound(person, FOUND, 'Look again');
    const lines = found.getByRole('listitem').filter({ hasText: 'Space web/staging' });
    await lines.filter({ hasText: 'Secret login in' }).getByText('In step').waitFor();
    await lines.filter({ hasText: 'through the project secret copy' }).getByText('In step').waitFor();
    await found.getByText(/You may not list Secrets in these places in the cluster west/).waitFor();
    await found.getByRole('link', { name: 'Space web/far' }).waitFor();
    await found.getByText(/You may not list Secrets in these places in the cluster east/).waitFor();
    await found.getByRole('link', { name: 'Space web/closed' }).waitFor();
    await picture(page, 'usedby-light');
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.content()).not.toContain(VALUE);
    // The token for the cluster is only in the headers of requests.
    expect(urls.filter((url) => url.includes('/kubernetes/')).length).toBeGreaterThan(2);
    const kept = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage, document.title, location.href])',
    );
    expect([...urls, ...said, kept, JSON.stringify(await context.storageState())].join()).not.toMatch(
      /eyJ|never-in-a-search/,
    );
    expect(violations).toEqual([]);
    await lines.first().getByRole('link').click();
    await page.getByRole('heading', { name: 'staging' }).waitFor();
    await context.close();
  });

  test('a search is stopped, and begun again', async () => {
    const person = await open();
    const { page, context } = person;
    await page.route('**/kubernetes/**', () => undefined);
    await page.getByRole('button', { name: SEARCH }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped before all were asked.').waitFor();
    await page.unroute('**/kubernetes/**');
    await page.getByRole('button', { name: 'Look again' }).click();
    await waitForFound(person, FOUND, 'Look again');
    await context.close();
  });

  test('on a phone, in the dark, in German', async () => {
    const person = await open({ dark: true, german: true, width: 320 });
    const { page, context } = person;
    await page.getByRole('button', { name: 'In Spaces und virtuellen Clustern suchen' }).click();
    await waitForFound(person, '2 Secrets gefunden. Antworten: 1 von 3 Orten.', 'Noch einmal suchen');
    await picture(page, 'usedby-german-dark-320');
    expect(await axeViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await context.close();
  });
});
