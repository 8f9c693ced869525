/**
 * Two servers of the chart while clients of the cluster send requests: their certificates are rotated, and Helm
 * replaces the servers. The clients use client-go, with its default retries only.
 */
import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { made, untilAvailable } from '../../fixtures/host/apiservice.js';
import { CHART } from '../../fixtures/host/chart.js';
import { CLIENT_LOAD, startLoad, STEADY, type ClientLoad } from '../../fixtures/clients/clientload.js';
import { shownCertificate } from '../../fixtures/clients/shown.js';
import { noContainers } from '../../fixtures/host/container.js';
import { endpointAddress } from '../../fixtures/host/endpoints.js';
import { startEtcd, type EtcdFixture } from '../../fixtures/stores/etcd.js';
import { helmIn } from '../../fixtures/clients/helmcommand.js';
import { NEWEST_HOST, startHost, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { startPodNode, type PodNode } from '../../fixtures/host/podnode.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const NAMESPACE = 'management';
const RELEASE = 'management-apiserver';
const GROUP = { group: 'management.svc.example', version: 'v1', plural: 'sharedsecrets' };
const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/${RELEASE}-serving`;
const API_SERVICE = '/apis/apiregistration.k8s.io/v1/apiservices/v1.management.svc.example';
const SERVERS = 2;
const MINUTES_3 = 180_000;

const address = endpointAddress();
const hindrance = noContainers() ?? (address === undefined ? 'there is no address for endpoints' : undefined);
if (hindrance !== undefined) console.warn(`the chart's servers are NOT RUN: ${hindrance}`);
const suite =
  hindrance === undefined ? describeWith('helm', NEWEST_HOST.apiserver, CLIENT_LOAD) : describe.skip;

suite('two servers of the chart, under load', () => {
  let host: HostCluster;
  let etcd: EtcdFixture;
  let node: PodNode;
  const loads: ClientLoad[] = [];

  /** Resolves when all servers are replaced and ready. */
  async function helm(verb: string, ...values: readonly string[]): Promise<void> {
    const all = [
      'etcd.enabled=false',
      `externalEtcd.servers={${etcd.endpoint}}`,
      'externalEtcd.tlsSecretName=etcd-client',
      'server.stopDelaySeconds=2',
      'certificates.certificateLife=30s',
      'certificates.authorityLife=90s',
      ...values,
    ].flatMap((value) => ['--set', value]);
    const { code, err } = await helmIn(host, NAMESPACE)(
      verb,
      RELEASE,
      CHART,
      '--wait',
      '--timeout=150s',
      ...all,
    );
    if (code !== 0) throw new Error(`helm ${verb}: ${err}: ${node.log()}`);
  }

  beforeAll(async () => {
    etcd = await startEtcd({ tls: true });
    host = await startHost(NEWEST_HOST, () => ['--enable-aggregator-routing']);
    await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    const { caFile, clientCertFile, clientKeyFile } = etcd.certificates!;
    const files = { 'ca.crt': caFile, 'tls.crt': clientCertFile, 'tls.key': clientKeyFile };
    await made(host.api, `/api/v1/namespaces/${NAMESPACE}/secrets`, {
      metadata: { name: 'etcd-client' },
      data: Object.fromEntries(
        Object.entries(files).map(([key, file]) => [key, readFileSync(file).toString('base64')]),
      ),
    });
    const service = { namespace: NAMESPACE, name: RELEASE };
    const selector = 'app.kubernetes.io/component=server';
    node = await startPodNode({ host, service, selector, address: address as string });
    await helm('install');
    await untilAvailable(host.api, GROUP);
  }, MINUTES_3);
  afterEach(() => {
    for (const load of loads.splice(0)) load.kill();
  });
  afterAll(async () => {
    await node?.stop();
    await host?.stop();
    await etcd?.stop();
  });

  async function begin(): Promise<ClientLoad> {
    const load = await startLoad(host.kubeconfig, STEADY);
    loads.push(load);
    return load;
  }
  async function finish(load: ClientLoad): Promise<void> {
    const summary = await load.finish();
    expect(load.failures).toEqual([]);
    expect(summary.objects).toBeGreaterThan(10);
  }

  /** The certificate of each server. */
  const shown = (): Promise<X509Certificate[]> =>
    Promise.all(node.urls().map((url) => shownCertificate(url)));
  /** Runs an action, then waits until every server has another certificate. */
  async function another(
    what: string,
    told: (certificate: X509Certificate) => string,
    act: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    const before = (await shown()).map(told);
    expect(before).toHaveLength(SERVERS);
    await act();
    await eventually(what, async () =>
      (await shown()).every((certificate) => !before.includes(told(certificate))),
    );
  }
  const trusted = async (): Promise<string> => {
    const { text } = await host.api.send('GET', API_SERVICE);
    return (JSON.parse(text) as { spec: { caBundle: string } }).spec.caBundle;
  };

  test(
    'their certificate and its authority change, and no request fails',
    async () => {
      const load = await begin();
      await another('another certificate in time', ({ serialNumber }) => serialNumber);
      const before = await trusted();
      const lose = async (): Promise<void> =>
        expect((await host.api.send('DELETE', SECRET)).status).toBe(200);
      await another('another authority', ({ issuer }) => issuer, lose);
      expect(await trusted()).not.toBe(before);
      await finish(load);
    },
    MINUTES_3,
  );

  test(
    'Helm replaces them by ones with another flag, and no request fails',
    async () => {
      const before = node.urls();
      expect(before).toHaveLength(SERVERS);
      const load = await begin();
      await helm('upgrade', 'server.flags={--v=1}');
      await eventually('the end of the former', () => Promise.resolve(node.codes().length === SERVERS));
      await finish(load);
      await eventually('the readiness of both', () => Promise.resolve(node.urls().length >= SERVERS));
      expect(node.urls().filter((url) => before.includes(url))).toEqual([]);
      expect(node.urls()).toHaveLength(SERVERS);
      expect(node.codes()).toEqual([0, 0]);
    },
    MINUTES_3,
  );
});
