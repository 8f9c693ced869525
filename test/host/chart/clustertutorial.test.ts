/**
 * Runs docs/tutorials/behind-your-cluster.md command by command, and compares the output with the page. The cluster has
 * no nodes: the containers of its Pods run on this machine.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../hack/bench/processes.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { patternOf, stepsOf } from '../../fixtures/docs/docssteps.js';
import { made } from '../../fixtures/host/apiservice.js';
import { CHART } from '../../fixtures/host/chart.js';
import { noContainers, type Container } from '../../fixtures/host/container.js';
import { ONE_RELEASE, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { ofPart, onePod } from '../../fixtures/host/hostpods.js';
import { podRunner, type Pod, type PodRunner } from '../../fixtures/host/podcontainers.js';
import { describeWith, execute, printedBy } from '../../fixtures/program.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { eventually } from '../../fixtures/wait.js';

const PAGE = fileURLToPath(new URL('../../../docs/tutorials/behind-your-cluster.md', import.meta.url));
const NAMESPACE = 'management';
const RELEASE = 'management-apiserver';
const ETCD = `${RELEASE}-etcd`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const MERGE = { 'content-type': 'application/merge-patch+json' };
/** The endpoint of kube-apiserver that the chart's policies allow. It is not an address of this machine. */
const ENDPOINT_OF_HOST = '192.0.2.1';

const hindrance = noContainers();
if (hindrance !== undefined) console.warn(`the tutorial's Pods are NOT RUN: ${hindrance}`);
describeWith('etcd', 'kubectl');
describeWith('helm');
for (const release of ONE_RELEASE) {
  (hindrance === undefined ? describeWith(release.apiserver) : describe.skip)(
    `the tutorial in Kubernetes ${release.release}`,
    () => {
      let host: HostCluster;
      let pods: PodRunner;
      let home: string;
      const running: Container[] = [];
      beforeAll(async () => {
        host = await plainHost(release);
        home = join(host.directory, 'home');
        await tellEndpoint(host);
        installPrograms(home, await freePort());
        const ports = { 2379: await freePort(), 2380: await freePort(), 2381: await freePort() };
        pods = podRunner(host, { names: { [`${ETCD}-0.${ETCD}.${NAMESPACE}.svc`]: '127.0.0.1' }, ports });
      });
      afterAll(async () => {
        for (const container of running.reverse()) await container.stop();
        await host?.stop();
      });

      async function start(part: string): Promise<void> {
        const pod = await onePod(host.api, NAMESPACE, part, ofPart(part));
        running.push(await pods.start(pod));
        await report(host, pod, 'Running');
      }
      async function startPods(): Promise<void> {
        await pointHere(host);
        await Promise.all([start('server'), start('etcd')]);
        for (const path of [`deployments/${RELEASE}`, `statefulsets/${ETCD}`]) await untilReady(host, path);
      }
      /** Runs the hook of the chart that deletes the APIService. */
      async function runHook(): Promise<void> {
        const hook = await onePod(host.api, NAMESPACE, 'the hook', ({ metadata }) =>
          metadata.name.startsWith(`${RELEASE}-remove-apiservice-`),
        );
        const container = await pods.start(hook);
        expect([await container.ended, container.log()]).toEqual([0, expect.anything()]);
        await report(host, hook, 'Succeeded');
      }
      /** What a node does during a command, by the beginning of the command. */
      const NODE: Readonly<Record<string, () => Promise<void>>> = {
        'kubectl wait': startPods,
        'helm uninstall': runHook,
      };

      test('every command prints what the page says', async () => {
        const steps = stepsOf(readFileSync(PAGE, 'utf8'));
        expect(steps.length).toBeGreaterThan(15);
        const left = new Set(Object.keys(NODE));
        for (const { command, output } of steps) {
          const beginning = [...left].find((one) => command.startsWith(one)) ?? '';
          left.delete(beginning);
          const [text] = await Promise.all([textOf(command, host, home), NODE[beginning]?.()]);
          expect({ command, text }).toEqual({ command, text: expect.stringMatching(patternOf(output)) });
        }
        expect([...left]).toEqual([]);
      });

      test('nothing is left', async () => {
        for (const path of [
          `/api/v1/namespaces/${NAMESPACE}`,
          '/apis/apiregistration.k8s.io/v1/apiservices/v1.management.svc.example',
          '/apis/rbac.authorization.k8s.io/v1/clusterroles/management:host:requests:all',
          '/apis/rbac.authorization.k8s.io/v1/clusterroles/management-project-admin',
        ])
          expect([path, (await host.api.send('GET', path)).status]).toEqual([path, 404]);
      });
    },
  );
}

/** Installs the programs that the page uses, and the released chart, with free ports of this machine. */
function installPrograms(home: string, port: number): void {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  const helm = findProgram('helm') as string;
  const { code, out, err } = execute(helm, ['package', CHART, '--destination', home]);
  expect({ code, err }).toEqual({ code: 0, err: expect.anything() });
  const archive = /saved it to: (.*)/.exec(out)?.[1] ?? '';
  symlinkSync(archive, join(home, `${RELEASE}-chart-${SERVER_VERSION}.tgz`));
  symlinkSync(findProgram('kubectl') as string, join(bin, 'kubectl'));
  const ports = `--set=server.port=${port},service.port=${port}`;
  const script = `#!/bin/bash\nif [[ $1 == install ]]; then set -- "$@" ${ports}; fi\nexec '${helm}' "$@"\n`;
  writeFileSync(join(bin, 'helm'), script, { mode: 0o755 });
}

/** Runs a command in a new shell, in the home directory of the page's reader. */
async function textOf(command: string, host: HostCluster, home: string): Promise<string> {
  const env = {
    PATH: `${join(home, 'bin')}:/usr/bin:/bin`,
    HOME: home,
    KUBECONFIG: host.kubeconfig,
    REGISTRY: 'registry.example.com',
  };
  const child = spawn('bash', ['--norc', '-c', command], {
    cwd: home,
    env,
    timeout: 200_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return (await printedBy(child)).text;
}

const tellEndpoint = (host: HostCluster): Promise<unknown> =>
  made(host.api, '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { name: 'kubernetes', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ENDPOINT_OF_HOST] }],
    ports: [{ name: 'https', port: Number(new URL(host.url).port), protocol: 'TCP' }],
  });

/** Endpoints must not have addresses of this machine, but may have a name that resolves to it. */
async function pointHere(host: HostCluster): Promise<void> {
  const spec = { type: 'ExternalName', externalName: 'localhost', clusterIP: null, clusterIPs: null };
  const path = `/api/v1/namespaces/${NAMESPACE}/services/${RELEASE}`;
  const { status, text } = await host.api.send('PATCH', path, { spec }, MERGE);
  expect([status, text]).toEqual([200, expect.anything()]);
}

/** Resolves when the cluster reports that one of its Pods is ready. */
const untilReady = (host: HostCluster, path: string): Promise<unknown> =>
  eventually(`a ready Pod of ${path}`, async () => {
    const { text } = await host.api.send('GET', `/apis/apps/v1/namespaces/${NAMESPACE}/${path}`);
    const { status } = JSON.parse(text) as { status: { availableReplicas?: number } };
    return status.availableReplicas === 1;
  });

/** Reports the status of a Pod and of its containers, as a node does. */
async function report(host: HostCluster, pod: Pod, phase: 'Running' | 'Succeeded'): Promise<void> {
  const isRunning = phase === 'Running';
  const status = isRunning ? 'True' : 'False';
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status }));
  const containerStatuses = pod.spec.containers.map(({ name }) => ({
    name,
    ready: isRunning,
    started: isRunning,
    restartCount: 0,
    image: RELEASE,
    imageID: RELEASE,
    state: isRunning ? { running: {} } : { terminated: { exitCode: 0 } },
  }));
  const body = { status: { phase, conditions, containerStatuses } };
  const answer = await host.api.send('PATCH', `${PODS}/${pod.name}/status`, body, MERGE);
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}
