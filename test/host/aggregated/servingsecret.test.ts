/**
 * Serving certificates in a Secret of a real cluster: concurrent creation, rotation under load, and changes by hand.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { servingFromSecret, type ServingSource } from '../../../cmd/apiserver/aggregated/servingsecret.js';
import { connectHost } from '../../../pkg/hostclient/connect.js';
import type { HostClient } from '../../../pkg/hostclient/interface.js';
import { decodeRecord, splitBundle, type ServingRecord } from '../../../pkg/pki/servingsecret/record.js';
import { made } from '../../fixtures/host/apiservice.js';
import { HOST_RELEASES, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { writeKubeconfig } from '../../fixtures/host/hostfiles.js';
import { bound, grant, rule, type Right } from '../../fixtures/host/hostidentity.js';
import { describeWith } from '../../fixtures/program.js';
import { VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'echo.example.com';
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAME = `v1.${GROUP}`;
const LONG = { authorityMs: 360 * 86_400_000, servingMs: 90 * 86_400_000 };
const SHORT = { authorityMs: 24_000, servingMs: 8_000 };
const NAMES = ['echo.default.svc', 'localhost'];

describeWith('etcd');
const release = HOST_RELEASES[1] as (typeof HOST_RELEASES)[number];
describeWith(release.apiserver)('the serving Secret', () => {
  let host: HostCluster;
  let client: HostClient;
  const open: (() => unknown)[] = [];
  let secret = { namespace: 'default', name: '' };
  let problems: string[] = [];

  beforeAll(async () => {
    host = await plainHost(release);
    client = await connectHost({ kubeconfig: host.kubeconfig });
  });
  afterAll(async () => {
    client?.close();
    await host?.stop();
  });
  let count = 0;
  beforeEach(() => {
    secret = { namespace: 'default', name: `serving-${(count += 1)}` };
    problems = [];
  });
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
    await host.api.send('DELETE', `${API_SERVICES}/${NAME}`);
    await host.api.send('DELETE', '/api/v1/namespaces/default/services/echo');
  });

  const source = async (
    options: { lives?: typeof LONG; apiService?: string; as?: HostClient } = {},
  ): Promise<ServingSource> => {
    const { lives = LONG, apiService, as = client } = options;
    const failed = (error: unknown): void => void problems.push(String(error));
    const certificates = await servingFromSecret(as, { secret, apiService, names: NAMES, lives }, failed);
    open.push(certificates.stop);
    return certificates;
  };
  const secretPath = (): string => `/api/v1/namespaces/default/secrets/${secret.name}`;
  const stored = async (): Promise<ServingRecord | undefined> => {
    const { text } = await host.api.send('GET', secretPath());
    return decodeRecord((JSON.parse(text) as { data?: Record<string, string> }).data);
  };
  const trusted = async (): Promise<string> => {
    const { text } = await host.api.send('GET', `${API_SERVICES}/${NAME}`);
    const { caBundle = '' } = (JSON.parse(text) as { spec: { caBundle?: string } }).spec;
    return Buffer.from(caBundle, 'base64').toString();
  };
  const register = (port: number): Promise<unknown> =>
    made(host.api, API_SERVICES, {
      metadata: { name: NAME },
      spec: {
        group: GROUP,
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { namespace: 'default', name: 'echo', port },
      },
    });

  test('is made by the first, which the others then find', async () => {
    const all = await Promise.all([source(), source(), source(), source()]);
    const certificates = new Set(all.map(({ current }) => current().certificate));
    expect(certificates.size).toBe(1);
    expect((await stored())?.serving).toEqual(all[0]?.current());
    expect(problems).toEqual([]);
  });

  test('is filled if the chart created it empty, and keeps its labels', async () => {
    const labels = { kept: 'true' };
    await made(host.api, '/api/v1/namespaces/default/secrets', { metadata: { name: secret.name, labels } });
    await source();
    const { text } = await host.api.send('GET', secretPath());
    expect(JSON.parse(text)).toMatchObject({ metadata: { labels } });
    expect(await stored()).toBeDefined();
  });

  test('is set in an APIService that comes late, and in one that somebody has changed', async () => {
    const { authorities } = await source({ apiService: NAME });
    await register(443);
    await eventually('the bundle', async () => (await trusted()) === authorities());
    const change = { spec: { caBundle: null, insecureSkipTLSVerify: true } };
    const type = { 'content-type': 'application/merge-patch+json' };
    const { status } = await host.api.send('PATCH', `${API_SERVICES}/${NAME}`, change, type);
    expect(status).toBe(200);
    await eventually('the bundle again', async () => (await trusted()) === authorities());
    const { text } = await host.api.send('GET', `${API_SERVICES}/${NAME}`);
    expect(JSON.parse(text)).not.toMatchObject({ spec: { insecureSkipTLSVerify: true } });
  });

  test('waits for rights, and says what it lacks', async () => {
    const { caFile } = host.certificates;
    const kubeconfig = writeKubeconfig(host.directory, host.url, caFile, VIEWER_TOKEN, 'viewer.kubeconfig');
    const viewer = await connectHost({ kubeconfig });
    open.push(() => viewer.close());
    const waiting = source({ as: viewer });
    await eventually('a problem', async () => problems.length > 0);
    expect(problems[0]).toContain(`Secret default/${secret.name}: the API server answered 403 (Forbidden)`);
    await grant(host, [
      {
        kind: 'Role',
        metadata: { name: secret.name, namespace: 'default' },
        rules: [rule('', ['secrets'], ['create']), rule('', ['secrets'], ['get', 'watch'], [secret.name])],
      } as Right,
      bound({ name: secret.name, namespace: 'default' }, 'Role', secret.name, {
        kind: 'User',
        name: 'viewer',
      }),
    ]);
    expect((await waiting).current()).toEqual((await stored())?.serving);
  });

  /** Serves discovery of the group with the certificate of the source, each response on a new connection. */
  async function serve(from: ServingSource): Promise<Server> {
    const tls = ({ certificate, key }: ReturnType<ServingSource['current']>) => ({ cert: certificate, key });
    const body = JSON.stringify({ kind: 'APIResourceList', groupVersion: `${GROUP}/v1`, resources: [] });
    const server = createServer(tls(from.current()), (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.end(body);
    });
    from.follow((pair) => server.setSecureContext(tls(pair)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return server;
  }

  test('rotates again and again, is deleted and damaged, and no request through the host fails', async () => {
    const first = await source({ lives: SHORT, apiService: NAME });
    await source({ lives: SHORT, apiService: NAME });
    const server = await serve(first);
    await made(host.api, '/api/v1/namespaces/default/services', {
      metadata: { name: 'echo' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await register((server.address() as AddressInfo).port);
    const ask = async (): Promise<number> => (await host.api.send('GET', `/apis/${GROUP}/v1`)).status;
    await eventually('an answer through the host', async () => (await ask()) === 200);

    const statuses = new Map<number, number>();
    let running = true;
    const load = (async () => {
      while (running) {
        const status = await ask();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await sleep(10);
      }
    })();
    const authorityNow = (): string => splitBundle(first.authorities())[0] as string;
    const begin = authorityNow();
    const leaves = new Set<string>();
    await eventually('a second authority that serves, and the end of the first', async () => {
      leaves.add(first.current().certificate);
      return !first.authorities().includes(begin);
    });
    expect(leaves.size).toBeGreaterThan(2);

    const changed = async (what: string, before: string): Promise<void> => {
      await eventually(what, async () => first.current().certificate.includes(before) === false);
    };
    const beforeDeletion = authorityNow();
    await host.api.send('DELETE', secretPath());
    await changed('another authority after the deletion', beforeDeletion);
    const beforeDamage = authorityNow();
    const damage = { data: { 'ca.key': Buffer.from('damaged').toString('base64') } };
    const type = { 'content-type': 'application/merge-patch+json' };
    expect((await host.api.send('PATCH', secretPath(), damage, type)).status).toBe(200);
    await changed('another authority after the damage', beforeDamage);
    running = false;
    await load;
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(20);
    expect(problems).toEqual([]);
  });
});
