/**
 * The audit log behind the API server of a cluster, which forwards requests of all users: whom it names, from where they came,
 * and who may search it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { allow, sendingTo } from '../../fixtures/clients/impersonation.js';
import { kubectl } from '../../fixtures/clients/kubectl.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { ours } from '../../fixtures/host/backends.js';
import { ONE_RELEASE } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const SEARCHES = `/apis/${GROUP}/v1/auditsearches`;
const SECRETS = `/apis/${GROUP}/v1/namespaces/default/sharedsecrets`;
/** An address of this machine that the cluster's API server does not forward from. */
const CLIENT = '127.0.0.2';

interface Event {
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly sourceIPs: readonly string[];
  readonly responseStatus: { readonly code: number };
}
interface Search {
  readonly status: {
    readonly log: string;
    readonly events: readonly Event[];
  };
}

for (const release of ONE_RELEASE)
  describeWith(release.apiserver)(`the audit log behind Kubernetes ${release.release}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'aggregated-audit-'));
    let aggregated: AggregatedHost;

    beforeAll(async () => {
      aggregated = await startAggregated(release, ours([`--audit-log-path=${join(folder, 'audit.log')}`]));
    });
    afterAll(async () => {
      await aggregated?.stop();
      rmSync(folder, { recursive: true });
    });

    const send = sendingTo(() => aggregated.host);
    const search = (user: string | undefined, spec: object) =>
      send<Search>(user, 'POST', SEARCHES, { kind: 'AuditSearch', apiVersion: `${GROUP}/v1`, spec });

    test('is searched by administrators of the cluster, and by users whom its RBAC allows it', async () => {
      expect((await search('nobody', {})).status).toBe(403);
      const { status, body } = await search(undefined, { user: 'nobody', code: '403' });
      expect([status, body.status.log]).toEqual([201, 'File']);
      expect(body.status.events).toMatchObject([{ user: { username: 'nobody' } }]);
      await allow(aggregated.host, 'reader', '', {
        apiGroups: [GROUP],
        resources: ['sharedsecrets', 'projects'],
        verbs: ['*'],
      });
      expect((await search('reader', {})).status).toBe(403);
      const rule = { apiGroups: [GROUP], resources: ['auditsearches'], verbs: ['create'] };
      await allow(aggregated.host, 'auditor', '', rule);
      await eventually('the right', async () => (await search('auditor', {})).status === 201);
      const found = await search('auditor', { user: 'reader' });
      expect([found.status, found.body.status.events.length]).toEqual([201, 1]);
    });

    const events = async (spec: object): Promise<readonly Event[]> =>
      (await search(undefined, spec)).body.status.events;

    test('names the address of the client that the cluster forwards, whatever the client says it is', async () => {
      const agent = new Agent({ localAddress: CLIENT });
      const from = async (url: string, name: string, forwarded: string): Promise<readonly string[]> => {
        const headers = {
          'x-forwarded-for': forwarded,
          'x-real-ip': forwarded,
          forwarded: `for=${forwarded}`,
        };
        expect((await fetchFrom(`${url}${SECRETS}/${name}`, { agent, headers })).status).toBe(404);
        return (await events({ name }))[0]?.sourceIPs ?? [];
      };
      const { host, url } = aggregated;
      expect(await from(host.url, 'forged', '203.0.113.9')).toEqual([CLIENT, '127.0.0.1']);
      expect(await from(host.url, 'forged-list', '203.0.113.9, 127.0.0.1')).toEqual([CLIENT, '127.0.0.1']);
      // Who asks the server itself is nobody's front proxy.
      expect(await from(url, 'direct', '203.0.113.9')).toEqual([CLIENT]);
    });

    const rule = { apiGroups: [GROUP], resources: ['sharedsecrets'], verbs: ['get', 'create'] };
    const as = (user: string, ...more: readonly string[]) =>
      kubectl({ kubeconfig: aggregated.host.kubeconfig, directory: aggregated.directory, as: user }).attempt(
        ['create', '--raw', SECRETS, '-f', '-', ...more],
        { input: JSON.stringify({ metadata: { generateName: 'written-' }, spec: { data: {} } }) },
      );

    test('names a user whose name is not ASCII as it was written', async () => {
      await allow(aggregated.host, 'jörg', 'default', rule);
      expect(as('jörg')).toMatchObject({ code: 0 });
      expect(await events({ user: 'jörg' })).toMatchObject([{ responseStatus: { code: 201 } }]);
    });

    test('serves nobody as another whose name begins or ends with a blank', async () => {
      await allow(aggregated.host, 'x', 'default', rule);
      for (const name of ['x ', ' x']) {
        const { code, err } = as(name);
        expect([name, code, err]).toEqual([
          name,
          1,
          expect.stringContaining('a value neither begins nor ends with a blank'),
        ]);
      }
      expect(as('x', '--as-group=system:masters ').code).toBe(1);
      expect(await events({ user: 'x' })).toEqual([]);
    });

    test.each([
      ['the user', { 'impersonate-user': 'x\xff' }],
      ['a group', { 'impersonate-user': 'x', 'impersonate-group': 'a\xff' }],
      ['a value', { 'impersonate-user': 'x', 'impersonate-extra-a': 'b\xff' }],
      ['a key', { 'impersonate-user': 'x', 'impersonate-extra-%ff': 'b' }],
    ])('refuses a request of which %s is not UTF-8', async (what, headers) => {
      const name = `of-${what.replace(' ', '-')}`;
      const { status } = await fetchFrom(`${aggregated.host.url}${SECRETS}/${name}`, { headers });
      expect(status).toBe(401);
      // Refused before anybody is known.
      expect(await events({ name })).toEqual([expect.objectContaining({ user: {} })]);
    });
  });
