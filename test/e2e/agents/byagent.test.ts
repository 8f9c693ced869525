/** A cluster without a kubeconfig: the management API reaches it through its agent, as the user of that agent. */
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { ClusterStub } from '../../fixtures/agents/clusterstub.js';
import { kubeconfigOf } from '../../fixtures/agents/manyclusters.js';
import { API, agentUser, peopleAndClusters, startDialingAgent } from '../../fixtures/agents/tunnel.js';
import { client } from '../../fixtures/clients/client.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { startStub, type StubServer } from '../../fixtures/stubs/stubserver.js';
import { eventually } from '../../fixtures/wait.js';

const SPACE = `${API}/namespaces/loft-p-p/spaceinstances/s`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

let server: ServerFixture;
let stub: StubServer;
/** The headers of requests that create something. */
const creates: IncomingHttpHeaders[] = [];
let agent: AgentProcess;

beforeAll(async () => {
  server = await startServer({ controllers: '*' });
  const cluster = new ClusterStub('east');
  stub = await startStub(({ method = '', url = '', headers }, response, body) => {
    const { pathname, searchParams: query } = new URL(url, 'https://stub');
    if (method === 'POST') creates.push(headers);
    cluster.serve({ method, path: pathname.split('/').slice(1), query, body }, response);
  });
  await peopleAndClusters(server);
  const key = await agentUser(server, 'east');
  const kubeconfig = join(server.directory, 'east-kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf(stub.url, stub.authority), { mode: 0o600 });
  agent = await startDialingAgent(server, { cluster: 'east', key, kubeconfig });
});
afterAll(async () => {
  await agent?.kill();
  await stub?.stop();
  await server?.remove();
});

interface Read {
  readonly status?: { readonly phase?: string; readonly online?: boolean; readonly message?: string };
}
const statusOf = async (path: string): Promise<NonNullable<Read['status']>> =>
  (JSON.parse((await client(server).send('GET', path)).text) as Read).status ?? {};

test('the Cluster is Ready, and a space gets its namespace, as the user of the agent', async () => {
  await eventually('the Cluster is ready', async () => {
    const { phase, online } = await statusOf(`${API}/clusters/east`);
    return phase === 'Ready' && online === true;
  });
  await eventually('the space is ready', async () => (await statusOf(SPACE)).phase === 'Ready');
  expect(stub.asked).toContain('POST /api/v1/namespaces');
  expect(creates[0]?.['impersonate-user']).toBe('management:agent-east');
  expect(creates[0]?.['impersonate-group']).toBeUndefined();
});

test('it ends with the user of the agent', async () => {
  await client(server).send('PATCH', `${API}/users/agent-east`, { spec: { disabled: true } }, MERGE);
  await eventually('the Cluster is not reached', async () => {
    const { phase, message } = await statusOf(`${API}/clusters/east`);
    return phase !== 'Ready' && (message ?? '') !== '';
  });
});
