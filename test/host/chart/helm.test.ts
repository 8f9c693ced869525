/**
 * The chart in a real cluster, from install to uninstall. The cluster has no nodes: the containers of the Pods that its
 * controllers create run on this machine, with their flags, files and accounts.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../hack/bench/processes.js';
import { alertRules, selectorsOf, type Selector } from '../../fixtures/host/alertrules.js';
import { availability, made, untilAvailable } from '../../fixtures/host/apiservice.js';
import { CHART } from '../../fixtures/host/chart.js';
import { client } from '../../fixtures/clients/client.js';
import { noContainers, type Container } from '../../fixtures/host/container.js';
import { dashboardSelectors, metricsTold } from '../../fixtures/host/dashboard.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { helmIn, type HelmCommand } from '../../fixtures/clients/helmcommand.js';
import { HOST_RELEASES, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { inventory } from '../../fixtures/clients/inventory.js';
import { permits, type End, type NetworkPolicy } from '../../fixtures/host/networkpolicy.js';
import { ofPart, onePod, type PodObject } from '../../fixtures/host/hostpods.js';
import { podRunner, type Pod, type PodRunner } from '../../fixtures/host/podcontainers.js';
import { describeWith, execute, type Outcome } from '../../fixtures/program.js';
import { VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const NAMESPACE = 'management';
const RELEASE = 'management-apiserver';
const ETCD = `${RELEASE}-etcd`;
const TEST = `${RELEASE}-test`;
const GROUP = { group: 'management.svc.example', version: 'v1', plural: 'sharedsecrets' };
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const KINDS = '/apis/management.svc.example/v1';
const SERVICE = `/api/v1/namespaces/${NAMESPACE}/services/${RELEASE}`;
const MERGE = { 'content-type': 'application/merge-patch+json' };
/** The Service of the cluster's API server, and its endpoint, which is no Pod. */
const SERVICE_OF_HOST = { address: '10.0.0.1', port: 443 };
const ENDPOINT_OF_HOST = '192.0.2.1';
/** The labels that Prometheus adds to every series. */
const OF_SCRAPING = ['job', 'namespace'];

/** Whether the metrics contain a series with these labels; Prometheus itself creates `up`. */
const isTold = (text: string, { name, labels }: Selector): boolean =>
  name === 'up' ||
  text.split('\n').some(
    (line) =>
      new RegExp(`^${name}[{ ]`).test(line) &&
      Object.entries(labels)
        .filter(([label]) => !OF_SCRAPING.includes(label))
        .every(([label, value]) => line.includes(`${label}="${value === undefined ? '' : `${value}"`}`)),
  );

const hindrance = noContainers();
if (hindrance !== undefined) console.warn(`the chart's Pods are NOT RUN: ${hindrance}`);
describeWith('etcd');
describeWith('helm');
for (const release of HOST_RELEASES) {
  (hindrance === undefined ? describeWith(release.apiserver) : describe.skip)(
    `the chart in Kubernetes ${release.release}`,
    () => {
      let host: HostCluster;
      let helm: HelmCommand;
      let port = 0;
      let pods: PodRunner;
      let before: string[];
      let server: Container;
      let ports: Record<number, number>;
      const running: Container[] = [];

      beforeAll(async () => {
        host = await plainHost(release);
        helm = helmIn(host, NAMESPACE);
        const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
        await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE, labels } });
        const account = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`;
        await eventually('an account', async () => (await host.api.send('GET', account)).status === 200);
        await made(host.api, '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
          metadata: { name: 'kubernetes', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
          addressType: 'IPv4',
          endpoints: [{ addresses: [ENDPOINT_OF_HOST] }],
          ports: [{ name: 'https', port: Number(new URL(host.url).port), protocol: 'TCP' }],
        });
        before = await things();
        port = await freePort();
        ports = { 2379: await freePort(), 2380: await freePort(), 2381: await freePort() };
        pods = podRunner(host, { names: { [`${ETCD}-0.${ETCD}.${NAMESPACE}.svc`]: '127.0.0.1' }, ports });
      });
      afterAll(async () => {
        for (const container of running.reverse()) await container.stop();
        await host?.stop();
      });

      /** All objects except events, which expire, and those that the host creates in every namespace. */
      const things = async (): Promise<string[]> =>
        (await inventory(host.api)).filter(
          (line) => !/\/events |\/kube-root-ca\.crt$|\/serviceaccounts .*\/default$/.test(line),
        );
      const env = () => ({ HOME: host.directory, HELM_CACHE_HOME: join(host.directory, 'helm') });
      const values = (...more: string[]): string[] =>
        ['etcd.replicas=1', `server.port=${port}`, `service.port=${port}`, ...more].flatMap((value) => [
          '--set',
          value,
        ]);

      const kubectl = (...args: string[]): Outcome =>
        execute(findProgram('kubectl') as string, [`--kubeconfig=${host.kubeconfig}`, ...args], {
          env: env(),
        });

      const podOf = (what: string, wanted: (pod: PodObject) => boolean): Promise<Pod> =>
        onePod(host.api, NAMESPACE, what, wanted);
      const testPod = (): Promise<Pod> => podOf('the test', ({ metadata }) => metadata.name === TEST);
      async function endAs(phase: 'Succeeded' | 'Failed', { name }: Pod): Promise<void> {
        const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/status`;
        const { status } = await host.api.send('PATCH', path, { status: { phase } }, MERGE);
        expect(status).toBe(200);
      }

      /** Runs a Pod to its end, as a node would, and returns its result. */
      async function finish(pod: Pod): Promise<string> {
        const container = await pods.start(pod);
        const code = await container.ended;
        await endAs(code === 0 ? 'Succeeded' : 'Failed', pod);
        expect([code, container.log()]).toEqual([0, expect.anything()]);
        return container.log();
      }

      /** Endpoints must not have addresses of this machine, but may have a name that resolves to it. */
      async function pointHere(): Promise<void> {
        const spec = { type: 'ExternalName', externalName: 'localhost', clusterIP: null, clusterIPs: null };
        const { status, text } = await host.api.send('PATCH', SERVICE, { spec }, MERGE);
        expect([status, text]).toEqual([200, expect.anything()]);
      }

      async function startServer(): Promise<void> {
        server = await pods.start(await podOf('the server', ofPart('server')));
        running.push(server);
      }

      test('is installed, and says what to do next', async () => {
        const { code, out, err } = await helm('install', RELEASE, CHART, ...values());
        expect([code, err]).toEqual([0, expect.anything()]);
        expect(out).toContain('kubectl get sharedsecrets -A');
        expect(out).toContain('keeps what was stored');
      });

      test('its Pods start side by side, and the API is available', async () => {
        await pointHere();
        const starting = startServer();
        running.push(await pods.start(await podOf('etcd', ofPart('etcd'))));
        await starting;
        await untilAvailable(host.api, GROUP).catch((error: unknown) => {
          throw new Error(`${String(error)}: ${running.map((each) => each.log()).join('\n')}`);
        });
        const { out } = kubectl('get', 'sharedsecrets', '-A');
        expect(out).toBe('');
      });

      test('the series that its alerts and its dashboard ask for are there', async () => {
        const { status, text } = await client({ url: `https://127.0.0.1:${port}` }).send('GET', '/metrics');
        expect(status).toBe(200);
        const rules = alertRules();
        expect(rules.length).toBeGreaterThan(4);
        for (const rule of rules) {
          const selectors = selectorsOf(rule);
          expect([rule.alert, selectors.length]).not.toEqual([rule.alert, 0]);
          expect([rule.alert, selectors.filter((one) => !isTold(text, one))]).toEqual([rule.alert, []]);
        }
        const told = metricsTold(text);
        expect(dashboardSelectors().filter(({ name }) => !told.has(name))).toEqual([]);
      });

      describe('its network policies', () => {
        let policies: NetworkPolicy[];
        const ends = new Map<string, End>();
        const end = (name: string): End => ends.get(name) as End;
        const link = { address: '169.254.169.254' };

        beforeAll(async () => {
          const { text } = await host.api.send(
            'GET',
            `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies`,
          );
          policies = (JSON.parse(text) as { items: NetworkPolicy[] }).items;
          const all = JSON.parse(
            (await host.api.send('GET', `/api/v1/namespaces/${NAMESPACE}/pods`)).text,
          ) as {
            items: PodObject[];
          };
          for (const part of ['server', 'etcd']) {
            const { metadata, spec } = all.items.find(ofPart(part)) as PodObject;
            const named = spec.containers.flatMap((container) => container.ports ?? []);
            ends.set(part, {
              address: part === 'etcd' ? '10.1.0.3' : '10.1.0.2',
              pod: {
                namespace: NAMESPACE,
                labels: metadata.labels,
                ports: Object.fromEntries(named.map(({ name, containerPort }) => [name, containerPort])),
              },
            });
          }
        });

        /** The endpoint in a cluster to which a connection on this machine corresponds. */
        function meant(connection: string): { to: End; port: number }[] {
          const [, at = ''] = connection.split(' ');
          if (Number(at) === ports[2379]) return [{ to: end('etcd'), port: 2379 }];
          expect([connection, at]).toEqual([connection, new URL(host.url).port]);
          const { address, port: service } = SERVICE_OF_HOST;
          return [
            { to: { address }, port: service },
            { to: { address: ENDPOINT_OF_HOST }, port: Number(at) },
          ];
        }

        test.each([
          ['server', 3],
          ['etcd', 2],
        ])('permit every connection that was made by %s', async (part, count) => {
          const asked = pods.connections(await podOf(part, ofPart(part))).flatMap(meant);
          expect(new Set(asked.map(({ to }) => to.address)).size).toBe(count);
          const from = end(part);
          expect(asked.filter(({ to, port: at }) => !permits(policies, { from, to, port: at }))).toEqual([]);
        });

        test.each<[string, string, () => End, number, boolean]>([
          ['the server', 'a connected cluster', () => ({ address: '203.0.113.7' }), 6443, true],
          ['the server', 'where clouds tell machines who they are', () => link, 80, false],
          ['the server', 'that over TLS', () => link, 443, false],
          ['the server', 'the etcd of the cluster', () => ({ address: ENDPOINT_OF_HOST }), 2379, false],
          ['the server', 'a kubelet', () => ({ address: '192.0.2.9' }), 10_250, false],
          ['the server', 'peers of etcd', () => end('etcd'), 2380, false],
          ['etcd', 'its peers', () => end('etcd'), 2380, true],
          ['etcd', 'a database', () => ({ address: '10.1.0.9' }), 5432, false],
        ])('of %s to %s', (from, _what, to, at, expected) => {
          const part = from === 'etcd' ? 'etcd' : 'server';
          expect(permits(policies, { from: end(part), to: to(), port: at })).toBe(expected);
        });

        test('allow no other Pods to connect to etcd, whatever their labels in other namespaces', () => {
          const { pod } = end('server');
          const asks = (namespace: string, labels = pod?.labels ?? {}): boolean =>
            permits(policies, {
              from: { address: '10.1.0.8', pod: { namespace, labels, ports: {} } },
              to: end('etcd'),
              port: 2379,
            });
          expect(asks(NAMESPACE)).toBe(true);
          expect(asks('elsewhere')).toBe(false);
          expect(asks(NAMESPACE, { app: 'other' })).toBe(false);
        });
      });

      test('kubectl makes and reads objects, and a user without rights sees nothing', async () => {
        const manifest = {
          apiVersion: 'management.svc.example/v1',
          kind: 'SharedSecret',
          metadata: { name: 'registry', namespace: 'default' },
          spec: { displayName: 'Registry' },
        };
        const path = `${KINDS}/namespaces/default/sharedsecrets`;
        await made(host.api, path, manifest);
        expect(kubectl('get', 'ss', 'registry').out).toContain('Registry');
        const viewer = client(host, VIEWER_TOKEN);
        const { status, text } = await viewer.send('GET', path);
        expect([status, (JSON.parse(text) as { items: unknown }).items]).toEqual([200, []]);
        expect((await viewer.send('GET', `${path}/registry`)).status).toBe(403);
      });

      test('a second release is refused, and changes nothing', async () => {
        await made(host.api, '/api/v1/namespaces', { metadata: { name: 'other' } });
        const account = '/api/v1/namespaces/other/serviceaccounts/default';
        await eventually('an account', async () => (await host.api.send('GET', account)).status === 200);
        const there = await things();
        const { code, err } = await helmIn(host, 'other')('install', 'second', CHART, ...values());
        expect([code, err]).toEqual([
          1,
          expect.stringMatching(/exists and cannot be imported into the current release/),
        ]);
        expect(await things()).toEqual(there);
        expect(kubectl('get', 'sharedsecrets', '-A').code).toBe(0);
        await host.api.send('DELETE', '/api/v1/namespaces/other');
      });

      test('`helm test` goes the whole way', async () => {
        const testing = helm('test', RELEASE, '--timeout=90s');
        expect(await finish(await testPod())).toMatch(
          /kubectl finds its kinds[^]*sharedsecrets can be listed/,
        );
        expect(await testing).toMatchObject({ code: 0 });
        expect(kubectl('get', 'pods', '-n', NAMESPACE, '-o', 'name').out).not.toContain(TEST);
      });

      test('a failed test stays, for its log', async () => {
        const testing = helm('test', RELEASE, '--timeout=90s');
        await endAs('Failed', await testPod());
        expect((await testing).code).not.toBe(0);
        expect(kubectl('get', 'pods', '-n', NAMESPACE, '-o', 'name').out).toContain(TEST);
      });

      test('is upgraded: certificates, trust and data stay', async () => {
        const trust = async (): Promise<unknown> => {
          const { text } = await host.api.send(
            'GET',
            '/apis/apiregistration.k8s.io/v1/apiservices/v1.management.svc.example',
          );
          return (JSON.parse(text) as { spec: { caBundle?: string } }).spec.caBundle;
        };
        const bundle = await trust();
        expect(bundle).toBeDefined();
        const audited = ['audit.policy.rules[0].level=Request', 'audit.log=file'];
        const more = values('replicas=3', 'server.flags={--v=1}', ...audited);
        const { code, err } = await helm('upgrade', RELEASE, CHART, '--force-conflicts', ...more);
        expect([code, err]).toEqual([0, expect.anything()]);
        expect(await trust()).toBe(bundle);
        await pointHere();
        expect(await server.stop()).toBe(0);
        const next = await podOf(
          'the server with the new flag',
          (pod) => ofPart('server')(pod) && pod.spec.containers[0]?.args?.includes('--v=1') === true,
        );
        server = await pods.start(next);
        running.push(server);
        await untilAvailable(host.api, GROUP);
        const served = `${KINDS}/namespaces/default/sharedsecrets/registry`;
        await eventually('the object', async () => (await host.api.send('GET', served)).status === 200);
        expect(await trust()).toBe(bundle);
        await eventually('the line of it in the file', async () =>
          pods
            .read(next, 'audit-log', `${next.name}.log`)
            .split('\n')
            .some((line) => line.includes('"level":"Request"') && line.includes('sharedsecrets/registry')),
        );
      });

      test('is uninstalled: the API goes first, and only the stored data are left', async () => {
        const path = `${KINDS}/namespaces/default/sharedsecrets/registry`;
        expect((await host.api.send('DELETE', path)).status).toBe(200);
        const uninstalling = helm('uninstall', RELEASE, '--timeout=90s');
        const removal = await podOf('the hook', ({ metadata }) =>
          metadata.name.startsWith(`${RELEASE}-remove-apiservice-`),
        );
        expect(await availability(host.api, GROUP)).toMatchObject({ status: 'True' });
        expect(await finish(removal)).toMatch(/v1\.management\.svc\.example is gone[^]*test is gone/);
        expect(await uninstalling).toMatchObject({ code: 0 });
        expect(await server.stop()).toBe(0);
        const kept = [
          `/api/v1/persistentvolumeclaims ${NAMESPACE}/data-${ETCD}-0`,
          `/api/v1/secrets ${NAMESPACE}/${RELEASE}-encryption`,
          ...['admin', 'user', 'viewer'].map((role) => `${RBAC}/clusterroles /management-project-${role}`),
        ];
        await eventually('that nothing is left', async () => {
          const after = await things();
          return after.filter((line) => !before.includes(line) && !kept.includes(line)).length === 0 && after;
        }).catch(async () => undefined);
        const after = await things();
        expect(after.filter((line) => !before.includes(line))).toEqual(kept);
        expect(before.filter((line) => !after.includes(line))).toEqual([]);
      });

      test('namespaces still come and go', async () => {
        await made(host.api, '/api/v1/namespaces', { metadata: { name: 'passing' } });
        expect((await host.api.send('DELETE', '/api/v1/namespaces/passing')).status).toBe(200);
        const gone = async (): Promise<boolean> =>
          (await host.api.send('GET', '/api/v1/namespaces/passing')).status === 404;
        await eventually('the end of a namespace', gone);
      });
    },
  );
}
