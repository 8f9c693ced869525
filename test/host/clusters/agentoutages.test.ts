/**
 * API servers are killed while users send requests through the agent: that of the connected cluster, and the host of
 * the management API. No request hangs, watches end so that clients restart them, and everything recovers by itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startAgent, type AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { startOwnAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { allow } from '../../fixtures/clients/impersonation.js';
import { ours } from '../../fixtures/host/backends.js';
import { client } from '../../fixtures/clients/client.js';
import { loadOf, type ClusterLoad } from '../../fixtures/agents/clusterload.js';
import { NEWEST_HOST, OLDEST_HOST, startHost, type OwnHost } from '../../fixtures/host/hostcluster.js';
import { writeKubeconfig } from '../../fixtures/host/hostfiles.js';
import { describeWith } from '../../fixtures/program.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { API, agentUser, peopleAndClusters, tokenOf, untilConnected } from '../../fixtures/agents/tunnel.js';
import { eventually } from '../../fixtures/wait.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** Longer than any response may take, on a busy machine: what takes as long hangs. */
const LONGEST_MS = 60_000;

describeWith(NEWEST_HOST.apiserver, OLDEST_HOST.apiserver)('API servers that are killed', () => {
  let aggregated: AggregatedHost<OwnHost>;
  let connected: OwnHost;
  let agent: AgentProcess;
  let anna = '';
  let token = '';
  const loads: Record<string, ClusterLoad> = {};

  beforeAll(async () => {
    [aggregated, connected] = await Promise.all([
      startOwnAggregated(NEWEST_HOST, ours()),
      startHost(OLDEST_HOST),
    ]);
    const { host, directory, url, certificates } = aggregated;
    ({ anna } = await peopleAndClusters(host));
    const key = await agentUser(host, 'east');
    await allow(connected, 'management:anna', 'default', {
      apiGroups: [''],
      resources: ['configmaps'],
      verbs: ['get', 'list', 'watch'],
    });
    const managementKubeconfig = writeKubeconfig(directory, url, certificates.caFile, key, 'agent');
    const { kubeconfig } = connected;
    agent = await startAgent({ cluster: 'east', managementKubeconfig, kubeconfig, flags: ['--tunnel'] });
    token = await tokenOf(aggregated, anna);
    await untilConnected(aggregated, token);
    loads.direct = loadOf(`${agent.url}/kubernetes/cluster${CONFIGMAPS}`, token);
    loads.tunnel = loadOf(`${url}/kubernetes/cluster/east${CONFIGMAPS}`, token);
    await eventually('both watch', () => Promise.resolve(Object.values(loads).every(isWatching)));
  });
  afterAll(async () => {
    await Promise.all(Object.values(loads).map((load) => load.stop()));
    await agent?.kill();
    await aggregated?.stop();
    await connected?.stop();
  });

  const isWatching = ({ watches }: ClusterLoad): boolean => watches.at(-1)?.is === 'open';
  /** The status codes of the requests since then, at least eight. */
  const codesSince = ({ seen }: ClusterLoad, since: number): Promise<number[]> =>
    eventually('eight answers', () => {
      const codes = seen.filter(({ at }) => at >= since).map(({ code }) => code);
      return Promise.resolve(codes.length >= 8 && [...new Set(codes)]);
    });
  /** Prints how long it takes until users are served again on each path. Also waits for their watches. */
  async function backAfter(what: string, since: number): Promise<void> {
    for (const [way, load] of Object.entries(loads)) {
      const first = await eventually(`it answers, ${way}`, () =>
        Promise.resolve(load.seen.find(({ at, code }) => at >= since && code === 200)),
      );
      await eventually(`it is watched, ${way}`, () => Promise.resolve(isWatching(load)));
      const ms = first.at + first.ms - since;
      process.stdout.write(`${what}: users are answered after ${ms.toFixed(0)} ms, ${way}\n`);
    }
  }

  test('of the cluster: requests get 503 and watches end at once, until it is back', async () => {
    const killed = performance.now();
    await connected.stopApiserver();
    for (const [way, load] of Object.entries(loads)) {
      await eventually(`its watch ends, ${way}`, () =>
        Promise.resolve(load.watches.some(({ at, is }) => at > killed && is === 'ended')),
      );
      const refused = await eventually(`503, ${way}`, () =>
        Promise.resolve(load.seen.find(({ at, code }) => at > killed && code === 503)),
      );
      expect(refused.retryAfter).toBe('1');
    }
    const settled = performance.now();
    for (const load of Object.values(loads)) expect(await codesSince(load, settled)).toEqual([503]);
    await connected.startApiserver();
    await backAfter("the cluster's API server is killed and ready again", performance.now());
  });

  test('of the management API: users are served all the time, and tokens are issued and revoked again when it is back', async () => {
    const killed = performance.now();
    await aggregated.host.stopApiserver();
    // Longer than the management API caches the rights of agents without its host.
    await sleep(8_000);
    for (const load of Object.values(loads)) {
      expect(await codesSince(load, killed)).toEqual([200]);
      expect(load.watches.filter(({ at }) => at >= killed)).toEqual([]);
    }
    await aggregated.host.startApiserver();
    const back = performance.now();
    const later = await eventually('a token is issued', () =>
      tokenOf(aggregated, anna).catch(() => undefined),
    );
    const get = async (): Promise<number> =>
      (await fetchFrom(`${agent.url}/kubernetes/cluster${CONFIGMAPS}`, { token: later })).status;
    await eventually('it is good', async () => (await get()) === 200);
    const { jti } = JSON.parse(Buffer.from(later.split('.')[1] ?? '', 'base64url').toString()) as {
      jti: string;
    };
    const path = `${API}/directclusterendpointtokens/${jti}`;
    expect((await client(aggregated, anna).send('DELETE', path)).status).toBe(200);
    await eventually('it is revoked', async () => (await get()) === 401);
    const ms = performance.now() - back;
    process.stdout.write(
      `the management API's host is ready: a token is issued and revoked ${ms.toFixed(0)} ms later\n`,
    );
  });

  test('no request hung meanwhile', () => {
    for (const [way, { seen }] of Object.entries(loads)) {
      const longest = Math.max(...seen.map(({ ms }) => ms));
      process.stdout.write(`${way}: ${seen.length} requests, the longest ${longest.toFixed(0)} ms\n`);
      expect(longest).toBeLessThan(LONGEST_MS);
    }
  });
});
