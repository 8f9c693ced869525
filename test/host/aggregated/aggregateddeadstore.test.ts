/** Without the etcd of this server, the host and its other functions work as before. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKey } from '../../../pkg/management/accesskeys/accesskey.js';
import { impersonating } from '../../fixtures/clients/impersonation.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { availability, made, untilAvailable } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { client } from '../../fixtures/clients/client.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { kubectl } from '../../fixtures/clients/kubectl.js';
import { describeWith, execute } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const SECRETS = `${API}/namespaces/team/sharedsecrets`;
/** Paths that must be served within a second, on both ports. */
const ANSWERED = [
  API,
  '/apis',
  '/openapi/v2',
  `/openapi/v3/apis/${GROUP}/v1`,
  '/version',
  '/statusz',
  '/flagz',
  '/readyz',
  '/livez',
];
const SECOND_MS = 1000;
/** The host checks APIServices twice a minute. */
const TWO_CHECKS_MS = 65_000;

interface Namespace {
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly { readonly status: string; readonly message: string }[];
  };
}

describeWith('helm');
describeWith(NEWEST_HOST.apiserver)('without its etcd', () => {
  let aggregated: AggregatedHost;
  /** Conditions of the APIService other than available. */
  const unavailable: unknown[] = [];
  /** The time at which the store was first stopped. */
  let begun = 0;
  let watching = true;

  beforeAll(async () => {
    aggregated = await startAggregated(NEWEST_HOST, ours());
    for (const name of ['team', 'doomed'])
      await made(aggregated.host.api, '/api/v1/namespaces', { metadata: { name } });
    for (const namespace of ['team', 'doomed'])
      await made(aggregated.host.api, `${API}/namespaces/${namespace}/sharedsecrets`, {
        metadata: { name: 'kept' },
        spec: { data: { a: 'YQ==' } },
      });
    // The host fetches the documents after it discovers the APIService, and builds its own at the first request.
    await eventually('all documents', async () => (await answers()).length === 0);
    void watchAvailability();
  });
  afterAll(async () => {
    watching = false;
    await aggregated?.stop();
  });

  async function watchAvailability(): Promise<void> {
    while (watching) {
      const found = await availability(aggregated.host.api, ours()).catch(() => undefined);
      if (watching && found !== undefined && found.status !== 'True') unavailable.push(found);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
  const admin = () => impersonating(aggregated.host);
  /** The status codes, and the requests that took longer than a second. */
  async function answers(): Promise<unknown[]> {
    const slow: unknown[] = [];
    for (const server of [aggregated.host, aggregated])
      for (const path of ANSWERED) {
        const begun = performance.now();
        // The server's own port cannot verify the tokens of the host's file, and sends a TokenReview to the host.
        const { status } = await client(server).send('GET', path);
        const took = performance.now() - begun;
        if (status !== 200 || took > SECOND_MS) slow.push([server.url, path, status, took]);
      }
    return slow;
  }
  const namespaceOf = async (name: string): Promise<Namespace | undefined> => {
    const { status, body } = await admin().send<Namespace>('GET', `/api/v1/namespaces/${name}`);
    return status === 404 ? undefined : body;
  };

  const whileAway = (): void => {
    test('discovery, openapi and health answer within a second', async () => {
      expect(await answers()).toEqual([]);
    });

    test('requests that need the store get an answer that they may be retried', async () => {
      for (const server of [aggregated.host, aggregated])
        for (const [method, path, body] of [
          ['POST', SECRETS, { metadata: { name: 'x' }, spec: {} }],
          ['PATCH', `${SECRETS}/kept`, { spec: { displayName: 'x' } }],
          ['DELETE', `${SECRETS}/kept`, undefined],
        ] as const) {
          const type = {
            'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
          };
          const { status, headers } = await client(server).send(method, path, body, type);
          expect([
            method,
            [500, 503, 504].includes(status),
            status !== 500 || headers['retry-after'],
          ]).toEqual([method, true, expect.anything()]);
        }
    });

    test('the server is ready, and reports the store at other endpoints', async () => {
      const own = client(aggregated);
      expect((await own.send('GET', '/readyz')).status).toBe(200);
      await eventually(
        '/readyz/etcd fails',
        async () => (await own.send('GET', '/readyz/etcd')).status === 500,
      );
      await eventually('the metric', async () =>
        /^management_apiserver_store_up 0$/m.test((await own.send('GET', '/metrics')).text),
      );
    });

    test('kubectl lists all kinds', () => {
      const { directory, host } = aggregated;
      const fresh = join(directory, `kubectl-${performance.now()}`);
      mkdirSync(fresh);
      const resources = kubectl({ kubeconfig: host.kubeconfig, directory: fresh }).attempt(['api-resources']);
      expect(resources).toMatchObject({ code: 0, err: '' });
      expect(resources.out).toContain('sharedsecrets');
      expect(resources.out).toContain('configmaps');
    });

    test('Helm installs, upgrades and removes', () => {
      const { directory, host } = aggregated;
      const chart = chartIn(directory);
      for (const args of [
        ['install', 'app', chart],
        ['upgrade', 'app', chart, '--set=value=2'],
        ['uninstall', 'app', '--wait'],
      ]) {
        const env = { HOME: directory };
        const flags = [`--kubeconfig=${host.kubeconfig}`, '--namespace=default'];
        const { code, err } = execute(findProgram('helm') ?? 'helm', [...args, ...flags], { env });
        expect([args[0], code, err]).toEqual([args[0], 0, expect.anything()]);
      }
    });

    test("the host's collector goes on", async () => {
      const maps = '/api/v1/namespaces/default/configmaps';
      const { metadata } = await made(aggregated.host.api, maps, { metadata: { name: 'owner' } });
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid }];
      await made(aggregated.host.api, maps, { metadata: { name: 'dependent', ownerReferences } });
      await admin().send('DELETE', `${maps}/owner`);
      const gone = async (): Promise<boolean> =>
        (await admin().send('GET', `${maps}/dependent`)).status === 404;
      await eventually('the end of the dependent', gone);
    });
  };

  describe('with an etcd that hangs', () => {
    beforeAll(() => {
      begun = performance.now();
      aggregated.etcd.pause();
    });
    afterAll(async () => {
      aggregated.etcd.continue();
      await eventually(
        'the store',
        async () => (await admin().send('GET', `${SECRETS}/kept`)).status === 200,
      );
    });
    whileAway();
  });

  describe('with an etcd that is stopped', () => {
    beforeAll(async () => {
      await aggregated.etcd.kill();
      expect((await admin().send('DELETE', '/api/v1/namespaces/doomed')).status).toBe(200);
    });
    whileAway();

    test('a namespace that is deleted stays, and says that it waits for our group', async () => {
      let said = '';
      await eventually('the condition', async () => {
        const conditions = (await namespaceOf('doomed'))?.status.conditions ?? [];
        said = JSON.stringify(conditions);
        return conditions.some(({ status, message }) => status === 'True' && message.includes(GROUP));
      }).catch(() => expect(said).toContain(GROUP));
      expect((await namespaceOf('doomed'))?.status.phase).toBe('Terminating');
    });

    test("the APIService stays available for longer than the host's interval of checks", async () => {
      await eventually('two checks', () => Promise.resolve(performance.now() - begun > TWO_CHECKS_MS));
      expect(unavailable).toEqual([]);
    });
  });

  describe('with an etcd that is still stopped when the server is started again', () => {
    beforeAll(async () => {
      expect(await aggregated.server.stop()).toBe(0);
      await aggregated.server.start();
      await untilAvailable(aggregated.host.api, { ...ours(), plural: '' });
      unavailable.length = 0;
    });
    whileAway();

    test('a request with an access key gets a retryable error', async () => {
      const { status, headers } = await client(aggregated, generateKey()).send('GET', SECRETS);
      expect([status, headers['retry-after']]).toEqual([503, '1']);
    });

    test('the APIService stays available', () => expect(unavailable).toEqual([]));
  });

  test('the store is back: everything is there, and the namespace ends within half a minute', async () => {
    expect(await namespaceOf('doomed')).toMatchObject({ status: { phase: 'Terminating' } });
    await aggregated.etcd.restart();
    await eventually('the end of the namespace', async () => (await namespaceOf('doomed')) === undefined);
    const { status } = await admin().send('PATCH', `${SECRETS}/kept`, { spec: { displayName: 'Back' } });
    expect(status).toBe(200);
    expect((await client(aggregated).send('GET', '/readyz/etcd')).status).toBe(200);
  });
});

/** Writes a chart with one ConfigMap. Returns its folder. */
function chartIn(directory: string): string {
  const chart = join(directory, 'chart');
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: app\nversion: 1.0.0\n');
  writeFileSync(join(chart, 'values.yaml'), 'value: "1"\n');
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app' } };
  const template = JSON.stringify({ ...map, data: { value: '{{ .Values.value }}' } });
  writeFileSync(join(chart, 'templates', 'map.yaml'), template);
  return chart;
}
