/**
 * kubectl exec, port-forward and logs, and Helm, through the agent: real API servers forward the requests of kubectl to
 * a stub of a kubelet, at the agent's port and through its tunnel.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { helmGoesThrough } from '../../fixtures/agents/helmthrough.js';
import { begin, echoedThrough, end, line, preparePod, run } from '../../fixtures/agents/kubectlstreams.js';
import { HOST_RELEASES, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { startStubKubelet, type StubKubelet } from '../../fixtures/stubs/kubelet/stubkubelet.js';
import { describeWith } from '../../fixtures/program.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import {
  agentUser,
  peopleAndClusters,
  startDialingAgent,
  tokenOf,
  untilConnected,
} from '../../fixtures/agents/tunnel.js';
import { eventually } from '../../fixtures/wait.js';

const BYTES = 'x'.repeat(300_000);

describeWith('kubectl', 'helm')('streams through the agent', () => {
  let server: ServerFixture;
  let key = '';
  let token = '';

  beforeAll(async () => {
    server = await startServer();
    const { anna } = await peopleAndClusters(server);
    [key, token] = [await agentUser(server, 'east'), await tokenOf(server, anna)];
  });
  afterAll(() => server?.remove());

  for (const release of HOST_RELEASES)
    describeWith(release.apiserver)(`Kubernetes ${release.release}`, () => {
      let host: HostCluster;
      let kubelet: StubKubelet;
      let agent: AgentProcess;

      beforeAll(async () => {
        [host, kubelet] = await Promise.all([plainHost(release), startStubKubelet()]);
        await host.api.send('POST', '/api/v1/namespaces', { metadata: { name: 'own' } });
        await preparePod(host, kubelet, 'own');
        agent = await startDialingAgent(server, { cluster: 'east', key, kubeconfig: host.kubeconfig });
        await untilConnected(server, token);
      });
      afterAll(async () => {
        await agent?.stop();
        await kubelet?.close();
        await host?.stop();
      });

      describe.each<[string, () => string]>([
        ['at the port of the agent', () => `${agent.url}/kubernetes/cluster`],
        ['through its tunnel', () => `${server.url}/kubernetes/cluster/east`],
      ])('%s', (_way, url) => {
        const flags = (): string[] => [
          `--server=${url()}`,
          `--token=${token}`,
          '--insecure-skip-tls-verify',
          '--namespace=own',
          '--kubeconfig=/dev/null',
          `--cache-dir=${host.directory}/kubectl-cache`,
        ];

        test('exec passes what is typed, what is printed, and the exit code', async () => {
          const echoed = await run([...flags(), 'exec', '-i', 'web', '--', 'cat'], BYTES);
          expect({ code: echoed.code, whole: echoed.out === BYTES }).toEqual({ code: 0, whole: true });
          const failed = await run([...flags(), 'exec', 'web', '--', 'nothing']);
          expect(failed).toMatchObject({ code: 3, out: '' });
          expect(failed.err).toContain('there is no such program');
          expect(kubelet.seen).toContainEqual(expect.stringMatching(/^\/exec\/own\/web\/main\?command=cat&/));
        });

        test('port-forward passes bytes both ways, over several connections', async () => {
          const echoed = await echoedThrough(flags(), BYTES, 3);
          expect(echoed.map((one) => one === BYTES)).toEqual([true, true, true]);
        });

        test('Helm installs a chart, upgrades it, rolls it back and removes it', async () => {
          const read = async (name: string): Promise<object | undefined> => {
            const path = `/api/v1/namespaces/own/configmaps/${name}`;
            const { status, text } = await host.api.send('GET', path);
            return status === 200 ? (JSON.parse(text) as object) : undefined;
          };
          const { directory } = host;
          await helmGoesThrough({ url: url(), token, namespace: 'own', directory, read });
        });

        test('logs are passed, and followed', async () => {
          expect(await run([...flags(), 'logs', 'web'])).toMatchObject({ code: 0, out: 'begun\n' });
          const child = begin([...flags(), 'logs', '--follow', 'web']);
          try {
            const printed = line(child, /^begun\n(later)$/m);
            let settled = false;
            const settle = (): void => void (settled = true);
            printed.then(settle, settle);
            await eventually('the line arrives', () => {
              kubelet.log('later');
              return Promise.resolve(settled);
            });
            expect(await printed).toBe('later');
          } finally {
            await end(child);
          }
        });
      });
    });
});
