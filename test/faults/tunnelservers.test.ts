/**
 * Two servers on one store, and two agents: each server forwards requests, and one server or one agent may be killed
 * under load.
 */
import { eventually } from '../fixtures/wait.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AgentProcess } from '../fixtures/agents/agentprocess.js';
import { etcdIsThere } from '../fixtures/stores/etcd.js';
import { balance, type LoadBalancer } from '../fixtures/servers/loadbalancer.js';
import { fetchFrom, type ServerFixture } from '../fixtures/servers/server.js';
import { startTwoOnEtcd, type ServersOnEtcd } from '../fixtures/servers/serversonetcd.js';
import { startStubCluster, type StubCluster } from '../fixtures/stubs/stubcluster.js';
import {
  agentUser,
  peopleAndClusters,
  startDialingAgent,
  tokenOf,
  untilConnected,
} from '../fixtures/agents/tunnel.js';

const POD = '/kubernetes/cluster/east/api/v1/namespaces/own/pods/a';

(etcdIsThere() ? describe : describe.skip)('two servers, two agents', () => {
  let together: ServersOnEtcd;
  let balancer: LoadBalancer;
  let stub: StubCluster;
  const agents: AgentProcess[] = [];
  let token = '';
  let agentsKey = '';

  beforeAll(async () => {
    together = await startTwoOnEtcd();
    const [first] = together.servers;
    balancer = await balance(together.servers.map(({ port }) => port));
    stub = await startStubCluster(first.directory);
    const { anna } = await peopleAndClusters(first);
    agentsKey = await agentUser(first, 'east');
    token = await tokenOf(first, anna);
    for (let count = 0; count < 2; count += 1) agents.push(await dial());
  });
  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.kill()));
    await stub?.close();
    await balancer?.stop();
    await together?.stop();
  });

  const dial = (): Promise<AgentProcess> =>
    startDialingAgent(together.servers[0], {
      cluster: 'east',
      key: agentsKey,
      kubeconfig: stub.kubeconfig,
      through: balancer.url.slice('https://'.length),
    });
  const get = (server: ServerFixture): Promise<number> =>
    fetchFrom(`${server.url}${POD}`, { token }).then(
      ({ status }) => status,
      () => 0,
    );

  test('each server reaches the cluster, although agents dial whichever answers', async () => {
    for (const server of together.servers) await untilConnected(server, token);
    for (const { metricsUrl } of agents)
      await eventually('an agent has a tunnel to each server', async () =>
        (await (await fetch(metricsUrl)).text()).includes('management_agent_tunnels 2\n'),
      );
  });

  test('when an agent is killed under load, the other one serves requests of both servers', async () => {
    const load = running(together.servers);
    await agents[0]?.kill();
    const after = timed('both servers answered after a SIGKILL of an agent');
    expect(await Promise.all(together.servers.map((server) => get(server)))).toEqual([200, 200]);
    after();
    const codes = await load.stop();
    // Requests that the killed process was serving may fail.
    expect(codes.filter((code) => code === 200).length).toBeGreaterThan(codes.length * 0.9);
    agents[0] = await dial();
  });

  test('when a server is killed under load, the other one serves, and the first one recovers', async () => {
    const [first, second] = together.servers;
    const load = running([second]);
    await first.kill();
    expect(await get(second)).toBe(200);
    await first.restart();
    const back = timed('a server that was killed reached the cluster, once it was started again,');
    await untilConnected(first, token);
    back();
    const codes = await load.stop();
    expect(new Set(codes)).toEqual(new Set([200]));
  });

  /** Returns a function that prints the time since the call. */
  function timed(what: string): () => void {
    const began = performance.now();
    return () => void process.stdout.write(`${what} in ${(performance.now() - began).toFixed(0)} ms\n`);
  }

  /** Sends requests one after another, four at a time. */
  function running(servers: readonly ServerFixture[]): { stop(): Promise<readonly number[]> } {
    const codes: number[] = [];
    let going = true;
    const loops = Array.from({ length: 4 }, async (_unused, at) => {
      while (going) codes.push(await get(servers[at % servers.length] as ServerFixture));
    });
    return {
      async stop() {
        going = false;
        await Promise.all(loops);
        return codes;
      },
    };
  }
});
