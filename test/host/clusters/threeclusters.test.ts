/**
 * Three Kubernetes clusters: the management API behind one, and two connected clusters with agents. `east` is reached
 * at the port of its agent and through its tunnel; `west`, of the oldest release, only through its tunnel.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startAgent, type AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { base64, fromShared, SecretSteps } from '../../fixtures/agents/secretsteps.js';
import { helmGoesThrough } from '../../fixtures/agents/helmthrough.js';
import { echoedThrough, preparePod, run } from '../../fixtures/agents/kubectlstreams.js';
import { API, agentUser, create, keyOf, tokenOf, untilConnected } from '../../fixtures/agents/tunnel.js';
import { impersonating } from '../../fixtures/clients/impersonation.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import {
  NEWEST_HOST,
  OLDEST_HOST,
  type HostCluster,
  type HostRelease,
} from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { writeKubeconfig } from '../../fixtures/host/hostfiles.js';
import { describeWith } from '../../fixtures/program.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { startStubKubelet, type StubKubelet } from '../../fixtures/stubs/kubelet/stubkubelet.js';

const MANAGEMENT = 'management-system';
const VALUES = [`clusterSecretNamespaces={${MANAGEMENT}}`];
const FLAGS = ['--allow-cluster-networks=127.0.0.0/8'];
/** An address that nothing listens on. */
const NOWHERE = 'https://127.0.0.1:1';
const BY_TUNNEL = { 'management.svc.example/api-server-tunnel': 'true' };
const BYTES = 'x'.repeat(300_000);

interface Connected {
  readonly name: string;
  readonly cluster: HostCluster;
  readonly kubelet: StubKubelet;
  readonly agent: AgentProcess;
  /** The token of anna for this cluster. */
  readonly token: string;
  readonly steps: SecretSteps;
  /** The namespace of the space `home`. */
  readonly namespace: string;
}

describeWith(
  NEWEST_HOST.apiserver,
  OLDEST_HOST.apiserver,
  'kubectl',
  'helm',
)('a management cluster and two connected ones', () => {
  const ends: (() => Promise<unknown>)[] = [];
  let management: AggregatedHost;
  let east: Connected;
  let west: Connected;

  beforeAll(async () => {
    const started = [
      startAggregated(NEWEST_HOST, ours(FLAGS, VALUES)),
      plainHost(NEWEST_HOST),
      plainHost(OLDEST_HOST),
    ] as const;
    for (const one of started) ends.push(async () => (await one).stop());
    const [aggregated, ...clusters] = await Promise.all(started);
    management = aggregated;
    const { host } = management;
    await create(host, `${API}/users`, 'anna', {});
    await create(host, `${API}/projects`, 'web', { allowedClusters: [{ name: '*' }] });
    const anna = await keyOf(host, 'anna');
    east = await connect('east', clusters[0], anna);
    west = await connect('west', clusters[1], anna);
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  async function connect(name: 'east' | 'west', cluster: HostCluster, anna: string): Promise<Connected> {
    const { host, directory, url, certificates } = management;
    const key = await agentUser(host, name);
    await createCluster(name, cluster);
    const managementKubeconfig = writeKubeconfig(directory, url, certificates.caFile, key, `agent-${name}`);
    const flags = ['--tunnel', `--tunnel-api-server=${name === 'west'}`];
    const { kubeconfig } = cluster;
    const agent = await startAgent({ cluster: name, managementKubeconfig, kubeconfig, flags });
    ends.push(() => agent.stop());
    const kubelet = await startStubKubelet();
    ends.push(() => kubelet.close());
    const token = await tokenOf(management, anna, { cluster: name });
    await untilConnected(management, token, name);
    const clusters = { admin: impersonating(host), connected: impersonating(cluster), name };
    const steps = new SecretSteps(() => clusters);
    const namespace = await steps.createSpace(`home-${name}`, 'anna');
    await preparePod(cluster, kubelet, namespace);
    return { name, cluster, kubelet, agent, token, steps, namespace };
  }
  async function createCluster(name: string, cluster: HostCluster): Promise<void> {
    const { api } = management.host;
    const { directory, certificates, kubeconfig } = cluster;
    const away = name === 'west';
    const file = away
      ? writeKubeconfig(directory, NOWHERE, certificates.caFile, undefined, 'away')
      : kubeconfig;
    const config = { secretName: name, secretNamespace: MANAGEMENT };
    await made(api, `/api/v1/namespaces/${MANAGEMENT}/secrets`, {
      metadata: { name },
      data: { config: base64(readFileSync(file, 'utf8')) },
    });
    await made(api, `${API}/clusters`, {
      metadata: { name, ...(away && { annotations: BY_TUNNEL }) },
      spec: { config, access: [{ verbs: ['get'], users: ['anna'] }] },
    });
  }

  interface Way {
    readonly of: () => Connected;
    readonly url: () => string;
    readonly release: HostRelease;
  }
  const WAYS: readonly [string, Way][] = [
    ['east, at the port of its agent', { of: () => east, url: () => east.agent.url, release: NEWEST_HOST }],
    ['east, through its tunnel', { of: () => east, url: () => management.url, release: NEWEST_HOST }],
    ['west, through its tunnel', { of: () => west, url: () => management.url, release: OLDEST_HOST }],
  ];

  describe.each(WAYS)('%s', (way, { of, url, release }) => {
    const spaceUrl = (): string => `${url()}/kubernetes/project/web/space/home-${of().name}`;
    const clusterUrl = (): string =>
      way.endsWith('tunnel') ? `${url()}/kubernetes/cluster/${of().name}` : `${url()}/kubernetes/cluster`;
    const flagsAt = (server: string): string[] => [
      `--server=${server}`,
      `--token=${of().token}`,
      '--insecure-skip-tls-verify',
      `--namespace=${of().namespace}`,
      '--kubeconfig=/dev/null',
      `--cache-dir=${of().cluster.directory}/kubectl-cache`,
    ];

    test('kubectl reaches the cluster, and the space in it', async () => {
      const version = await run([...flagsAt(clusterUrl()), 'version', '--output=json']);
      expect(version.out).toContain(`"v${release.release}.`);
      const who = await run([...flagsAt(clusterUrl()), 'auth', 'whoami', '--output=json']);
      expect(who.out).toContain('"management:anna"');
      const inSpace = flagsAt(spaceUrl());
      const created = await run([...inSpace, 'create', 'configmap', 'seen', '--from-literal=a=b']);
      expect(created).toMatchObject({ code: 0, out: 'configmap/seen created\n' });
      const path = `/api/v1/namespaces/${of().namespace}/configmaps/seen`;
      expect((await of().cluster.api.send('GET', path)).status).toBe(200);
      expect((await run([...inSpace, 'delete', 'configmap', 'seen'])).code).toBe(0);
      const beside = await run([...inSpace, '--namespace=default', 'get', 'configmaps']);
      expect(beside.err).toContain(`reaches the namespace "${of().namespace}" alone`);
    });

    test('exec and port-forward reach the kubelet of that cluster', async () => {
      const { kubelet, namespace } = of();
      const seen = kubelet.seen.length;
      const echoed = await run([...flagsAt(spaceUrl()), 'exec', '-i', 'web', '--', 'cat'], BYTES);
      expect({ code: echoed.code, whole: echoed.out === BYTES }).toEqual({ code: 0, whole: true });
      expect((await run([...flagsAt(clusterUrl()), 'exec', 'web', '--', 'nothing'])).code).toBe(3);
      const forwarded = await echoedThrough(flagsAt(spaceUrl()), BYTES, 2);
      expect(forwarded.map((one) => one === BYTES)).toEqual([true, true]);
      const paths = kubelet.seen.slice(seen).map((path) => path.split('?', 1)[0]);
      expect(paths.filter((path) => path?.startsWith('/exec/'))).toEqual(
        Array(2).fill(`/exec/${namespace}/web/main`),
      );
      expect(paths).toContain(`/portForward/${namespace}/web`);
    });

    test('Helm installs, upgrades and removes a chart in the space', async () => {
      const { cluster, token, namespace } = of();
      const { api, directory } = cluster;
      const read = async (name: string): Promise<object | undefined> => {
        const { status, text } = await api.send('GET', `/api/v1/namespaces/${namespace}/configmaps/${name}`);
        return status === 200 ? (JSON.parse(text) as object) : undefined;
      };
      await helmGoesThrough({ url: spaceUrl(), token, namespace, directory, read });
    });
  });

  test('a secret is filled in both clusters, and emptied in both when the right is revoked', async () => {
    const both = [east, west];
    const content = { password: base64('one') };
    await east.steps.createShared('db', content, 'anna');
    for (const { steps, namespace } of both) await steps.createLabelled(namespace, 'db', fromShared('db'));
    await Promise.all(both.map(({ steps, namespace }) => steps.waitForData(namespace, 'db', content)));
    await east.steps.patchShared('db', { access: [] });
    await Promise.all(both.map(({ steps, namespace }) => steps.waitForData(namespace, 'db', {})));
  });

  test('a token of one cluster is refused at the other', async () => {
    const code = async (url: string, { token }: Connected): Promise<number> =>
      (await fetchFrom(`${url}/version`, { token })).status;
    const ports = [east, west].map(({ agent }) => `${agent.url}/kubernetes/cluster`);
    const tunnels = [east, west].map(({ name }) => `${management.url}/kubernetes/cluster/${name}`);
    const codes = (of: Connected): Promise<number[]> =>
      Promise.all([...ports, ...tunnels].map((url) => code(url, of)));
    expect(await codes(east)).toEqual([200, 401, 200, 401]);
    expect(await codes(west)).toEqual([401, 200, 401, 200]);
  });
});
