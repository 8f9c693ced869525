/** Agents on machines whose clock is wrong, and agents that cannot reach the management API for an hour. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { client } from '../../fixtures/clients/client.js';
import { fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { startStubCluster, type StubCluster } from '../../fixtures/stubs/stubcluster.js';
import {
  API,
  agentUser,
  peopleAndClusters,
  startDialingAgent,
  tokenOf,
} from '../../fixtures/agents/tunnel.js';
import { eventually } from '../../fixtures/wait.js';

const HOUR = 3_600_000;
const CLUSTER = `${API}/clusters/east`;

let server: ServerFixture;
let stub: StubCluster;
let agentsKey = '';
let anna = '';
const agents: AgentProcess[] = [];

beforeAll(async () => {
  server = await startServer();
  stub = await startStubCluster(server.directory);
  ({ anna } = await peopleAndClusters(server));
  agentsKey = await agentUser(server, 'east');
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.kill()));
});
afterAll(async () => {
  await stub?.close();
  await server?.remove();
});

async function start(clockAheadMs: number, flags: readonly string[] = []): Promise<AgentProcess> {
  const its = { cluster: 'east', key: agentsKey, kubeconfig: stub.kubeconfig, flags, clockAheadMs };
  const agent = await startDialingAgent(server, its);
  agents.push(agent);
  return agent;
}
const get = async ({ url }: AgentProcess, token: string): Promise<number> =>
  (await fetchFrom(`${url}/kubernetes/cluster/version`, { token })).status;

/** The status and the message of the condition. A change of the Cluster makes the controller check it at once. */
async function condition(): Promise<string> {
  const patch = { 'content-type': 'application/merge-patch+json' };
  await client(server).send('PATCH', CLUSTER, { spec: { displayName: `${Math.random()}` } }, patch);
  const { status } = JSON.parse((await client(server).send('GET', CLUSTER)).text) as {
    status?: { conditions?: { type: string; status: string; message: string }[] };
  };
  const found = status?.conditions?.find(({ type }) => type === 'AgentClockSynchronized');
  return found === undefined ? 'none' : `${found.status} ${found.message}`;
}

describe('an agent whose clock is wrong', () => {
  test.each([
    [-3 * HOUR, 'behind'],
    [3 * HOUR, 'ahead'],
  ])('by %d ms takes the tokens that are in force, and tells of it', async (ahead, word) => {
    const agent = await start(ahead);
    expect(await get(agent, await tokenOf(server, anna, { ttl: 3_600 }))).toBe(200);
    await eventually('its log tells', () =>
      Promise.resolve(
        new RegExp(`clock of this machine is 10(7[5-9]|8[0-4])\\d s ${word}`).test(agent.log()),
      ),
    );
    const metrics = await (await fetch(agent.metricsUrl)).text();
    const told = Number(/^management_agent_clock_ahead_seconds (.*)$/m.exec(metrics)?.[1]);
    expect(Math.abs(told - ahead / 1000)).toBeLessThan(60);
    await eventually('the Cluster tells', async () =>
      (await condition()).startsWith(`False the clock of an agent's machine is about 180 minutes ${word};`),
    );
    await agent.stop();
    await start(0);
    await eventually('it is right again', async () => (await condition()) === 'True ');
  });

  test('is corrected within seconds after it was set', async () => {
    const agent = await start(0);
    const token = await tokenOf(server, anna, { ttl: 1_800 });
    expect([await get(agent, token), agent.log()]).toEqual([200, expect.not.stringContaining('clock of')]);
    process.kill(agent.pid, 'SIGHUP');
    await eventually('its log tells', () => Promise.resolve(agent.log().includes('s ahead of that of')));
    await eventually('the token is good', async () => (await get(agent, token)) === 200);
  });
});

test('tokens stay valid for an hour without the management API, or for the configured time', async () => {
  const [patient, strict] = [await start(0), await start(0, ['--revocation-max-age=30m'])];
  const [token, short] = [await tokenOf(server, anna), await tokenOf(server, anna, { ttl: 1_800 })];
  const other = await tokenOf(server, anna);
  for (const agent of [patient, strict]) expect(await get(agent, token)).toBe(200);
  const watch = `${strict.url}/kubernetes/cluster/api/v1/namespaces/own/pods?watch=true`;
  const watching = fetchFrom(watch, { token }).catch(() => 'cut');
  await server.kill();
  await eventually('both see it', async () => {
    const texts = await Promise.all(
      [patient, strict].map(async (one) => (await fetch(one.metricsUrl)).text()),
    );
    return texts.every((text) => !text.includes('management_agent_revocations_age_seconds 0\n'));
  });
  for (const { pid } of [patient, strict]) process.kill(pid, 'SIGUSR2');
  await eventually('nobody is let in', async () => (await get(strict, token)) === 503);
  expect(await watching).toBe('cut');
  expect([await get(patient, token), await get(patient, short)]).toEqual([200, 401]);
  await server.restart();
  const { jti } = JSON.parse(Buffer.from(other.split('.')[1] ?? '', 'base64url').toString()) as {
    jti: string;
  };
  const path = `${API}/directclusterendpointtokens/${jti}`;
  expect((await client(server, anna).send('DELETE', path)).status).toBe(200);
  await eventually('tokens are good again', async () => (await get(strict, token)) === 200);
  for (const agent of [patient, strict])
    await eventually('what was revoked is refused', async () => (await get(agent, other)) === 401);
});
