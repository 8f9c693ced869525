/** docs/recipes/cert-manager.md: the chart's server goes over to certificates of cert-manager, and takes up their renewals. */
import type { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { blocksOf } from '../docs/page.js';
import { helmIn } from '../fixtures/clients/helmcommand.js';
import { type Kubectl, kubectl } from '../fixtures/clients/kubectl.js';
import { shownCertificate } from '../fixtures/clients/shown.js';
import { recipe } from '../fixtures/docs/recipes.js';
import { made, untilAvailable } from '../fixtures/host/apiservice.js';
import {
  type CertManager,
  type Issued,
  issued,
  renew,
  startCertManager,
} from '../fixtures/recipes/certmanager.js';
import { CHART } from '../fixtures/host/chart.js';
import { noContainers } from '../fixtures/host/container.js';
import { ROOT } from '../fixtures/host/containerimage.js';
import { endpointAddress } from '../fixtures/host/endpoints.js';
import { type HostCluster, NEWEST_HOST, startHost } from '../fixtures/host/hostcluster.js';
import { type PodNode, startPodNode } from '../fixtures/host/podnode.js';
import { describeWith, execute } from '../fixtures/program.js';
import { type EtcdFixture, findProgram, startEtcd } from '../fixtures/stores/etcd.js';
import { eventually } from '../fixtures/wait.js';

const PAGE = recipe('cert-manager');
const NAMESPACE = 'management';
const RELEASE = 'management-apiserver';
const SERVING = `${RELEASE}-serving`;
const SECRET = { namespace: NAMESPACE, name: SERVING };
const GROUP = { group: 'management.svc.example', version: 'v1', plural: 'sharedsecrets' };
const API_SERVICE = '/apis/apiregistration.k8s.io/v1/apiservices/v1.management.svc.example';

const address = endpointAddress();
const hindrance = noContainers() ?? (address === undefined ? 'there is no address for endpoints' : undefined);
if (hindrance !== undefined)
  console.warn(`the recipe of cert-manager for the chart is NOT TRIED: ${hindrance}`);
const suite =
  hindrance === undefined
    ? describeWith('cert-manager', 'helm', 'kubectl', NEWEST_HOST.apiserver)
    : describe.skip;

suite('cert-manager, for the chart', () => {
  let host: HostCluster;
  let etcd: EtcdFixture;
  let node: PodNode;
  let admin: Kubectl;
  let certManager: CertManager;

  beforeAll(async () => {
    etcd = await startEtcd();
    host = await startHost(NEWEST_HOST, () => ['--enable-aggregator-routing']);
    admin = kubectl({ kubeconfig: host.kubeconfig, directory: host.directory });
    certManager = await startCertManager(host, admin);
    await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    const service = { namespace: NAMESPACE, name: RELEASE };
    const selector = 'app.kubernetes.io/component=server';
    node = await startPodNode({ host, service, selector, address: address as string });
    const values = ['replicas=1', 'etcd.enabled=false', `externalEtcd.servers={${etcd.endpoint}}`];
    const set = [...values, 'server.stopDelaySeconds=2'].flatMap((value) => ['--set', value]);
    const { code, err } = await helmIn(host, NAMESPACE)('install', RELEASE, CHART, ...set);
    expect([code, err]).toEqual([0, expect.anything()]);
    await untilAvailable(host.api, GROUP);
  });
  afterAll(async () => {
    await node?.stop();
    await certManager?.stop();
    await host?.stop();
    await etcd?.stop();
  });

  /** What the servers show, one where they are done with an upgrade; undefined while they are not. */
  const shown = async (): Promise<X509Certificate | undefined> => {
    const [url, ...others] = node.urls();
    return url === undefined || others.length > 0 ? undefined : shownCertificate(url);
  };
  /** Resolves when the server shows what cert-manager has put into the Secret, whose volume is brought up to date. */
  async function served(wanted: (found: Issued) => boolean): Promise<void> {
    const { 'tls.crt': certificate } = await issued(host, SECRET, wanted);
    await node.refresh();
    const shows = async (): Promise<boolean> => (await shown())?.toString() === certificate;
    await eventually('the certificate of the Secret', shows);
  }
  /** cainjector keeps the authorities that were there before. */
  const trusts = (authority: string): Promise<boolean> =>
    eventually('the authority in the APIService', async () => {
      const { text } = await host.api.send('GET', API_SERVICE);
      const { caBundle = '' } = (JSON.parse(text) as { spec: { caBundle?: string } }).spec;
      return Buffer.from(caBundle, 'base64').toString().includes(authority);
    });

  test('signs for the server by the issuer of the page, and the cluster trusts it', async () => {
    const block = blocksOf(PAGE).find(({ text }) => text.startsWith('helm upgrade'));
    const env = { KUBECONFIG: host.kubeconfig, HOME: host.directory };
    const script = `cd '${ROOT}'; helm() { '${findProgram('helm')}' "$@"; }; ${block?.text}`;
    expect(execute('bash', ['-euc', script], { env })).toMatchObject({ code: 0, err: '' });
    await trusts(certManager.authority);
    await served((found) => found['ca.crt'] === certManager.authority);
    await untilAvailable(host.api, GROUP);
    await eventually('the end of the former server', () => Promise.resolve(node.codes().length === 1));
  });

  test('renews it, and the server shows the next one without a restart', async () => {
    const before = { urls: node.urls(), codes: node.codes().length };
    const former = (await issued(host, SECRET, () => true))['tls.crt'];
    renew(admin, NAMESPACE, SERVING);
    await served((found) => found['tls.crt'] !== former);
    await untilAvailable(host.api, GROUP);
    expect(node.urls()).toEqual(before.urls);
    expect(node.codes()).toHaveLength(before.codes);
  });

  test('signs by the authority of the chart where no issuer is named', async () => {
    const values = ['issuerRef.name=', 'issuerRef.kind=Issuer'];
    const set = values.flatMap((value) => ['--set', `certificates.certManager.${value}`]);
    const upgrade = ['upgrade', RELEASE, CHART, '--reset-then-reuse-values', ...set];
    const { code, err } = await helmIn(host, NAMESPACE)(...upgrade);
    expect([code, err]).toEqual([0, expect.anything()]);
    const own = { namespace: NAMESPACE, name: `${RELEASE}-authority` };
    const { 'tls.crt': authority } = await issued(host, own, () => true);
    await trusts(authority);
    await served((found) => found['ca.crt'] === authority);
    await untilAvailable(host.api, GROUP);
  });
});
