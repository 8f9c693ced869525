/**
 * Clusters without an open port: their agents connect to the management API, which sends requests through these
 * tunnels.
 */
import { Agent } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { begin, passedRequests, passedStreams, upgrade } from '../../fixtures/agents/passedrequests.js';
import { client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';
import { startStubCluster, type StubCluster } from '../../fixtures/stubs/stubcluster.js';
import {
  API,
  agentUser,
  peopleAndClusters,
  startDialingAgent,
  tokenOf,
  untilConnected,
} from '../../fixtures/agents/tunnel.js';
import { eventually } from '../../fixtures/wait.js';

const EAST = '/kubernetes/cluster/east';
const PODS = `${EAST}/api/v1/namespaces/own/pods`;

let on: EngineServer;
let server: ServerFixture;
let stub: StubCluster;
let agent: AgentProcess;
let token = '';
let anna = '';
let agentsKey = '';

beforeAll(async () => {
  on = await startEmbedded();
  ({ server } = on);
  stub = await startStubCluster(server.directory);
  ({ anna } = await peopleAndClusters(server));
  agentsKey = await agentUser(server, 'east');
  token = await tokenOf(server, anna);
  agent = await dial();
  await untilConnected(server, token);
});
afterAll(async () => {
  await agent?.kill();
  await stub?.close();
  await on?.remove();
});

const dial = (): Promise<AgentProcess> =>
  startDialingAgent(server, { cluster: 'east', key: agentsKey, kubeconfig: stub.kubeconfig });
const get = (path: string, bearer = token): Promise<{ status: number; text: string }> =>
  fetchFrom(`${server.url}${path}`, { token: bearer });

const parts = () => ({ server, stub, token, key: anna });
passedRequests(parts);
passedStreams(parts);

test('the tunnel outlasts many requests', async () => {
  const kept = new Agent({ keepAlive: true, maxSockets: 16 });
  const statuses = new Set<number>();
  const asks = async (): Promise<void> => {
    for (let asked = 0; asked < 150; asked += 1)
      statuses.add((await fetchFrom(`${server.url}${PODS}/a`, { token, agent: kept })).status);
  };
  await Promise.all(Array.from({ length: 16 }, asks)).finally(() => kept.destroy());
  expect([...statuses]).toEqual([200]);
  expect(agent.log().match(/tunnels to the management API/g)).toHaveLength(1);
});

test('with two agents one may be lost; none is 503 with a reason', async () => {
  const second = await dial();
  await eventually('both are connected', () => Promise.resolve(/"open":1/.test(second.log())));
  await agent.kill();
  expect((await get(PODS)).status).toBe(200);
  await second.kill();
  await eventually('nobody is there', async () => (await get(PODS)).status === 503);
  const answer = await fetchFrom(`${server.url}${PODS}`, { token });
  expect(answer.headers['retry-after']).toBe('1');
  expect(answer.text).toContain('no agent of the cluster \\"east\\" is connected');
  agent = await dial();
  await untilConnected(server, token);
});

test('the agent comes back to a server that was killed', async () => {
  await server.kill();
  await server.restart();
  await untilConnected(server, token);
});

test("open requests end with the user's token, and the tunnel ends with the agent's key", async () => {
  const socket = await upgrade(server, { path: `${PODS}/a/exec?command=sh`, bearer: token });
  const watch = await begin(server, `${PODS}?watch=true`, token);
  const ended = [socket, watch].map((one) => new Promise((resolve) => one.once('close', resolve)));
  for (const one of [socket, watch]) one.on('error', () => undefined).resume();
  const patch = { 'content-type': 'application/merge-patch+json' };
  await client(server).send('PATCH', `${API}/users/anna`, { spec: { tokenGeneration: 1 } }, patch);
  await Promise.all(ended);
  expect((await get(PODS)).status).toBe(401);
  token = await tokenOf(server, anna);
  await untilConnected(server, token);
  const long = await begin(server, `${PODS}?watch=true`, token);
  const cut = new Promise((resolve) => long.once('close', resolve));
  long.on('error', () => undefined).resume();
  await client(server).send('DELETE', `${API}/ownedaccesskeys/agent-east`);
  await cut;
  await eventually('no tunnel is left', async () => (await get(PODS)).status === 503);
  expect(server.log() + agent.log()).not.toContain(token);
});
