/**
 * Spaces and Secrets in a cluster whose API server can only be reached through the tunnel of its agent. A second server
 * of this project acts as the cluster; the first one may not connect to any address of this machine.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { impersonating, type Actor } from '../../fixtures/clients/impersonation.js';
import type { AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { base64, fromShared, SecretSteps } from '../../fixtures/agents/secretsteps.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { agentUser, startDialingAgent } from '../../fixtures/agents/tunnel.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const SPACES = `${API}/namespaces/loft-p-web/spaceinstances`;
const CLUSTER = `${API}/clusters/east`;
const ANNOTATION = 'management.svc.example/api-server-tunnel';
const FORWARDING = ['--tunnel-api-server'];

interface Cluster {
  readonly status?: {
    readonly online?: boolean;
    readonly reason?: string;
    readonly message?: string;
    readonly agent?: { readonly version?: string; readonly latencyMilliseconds?: number };
  };
}

let server: ServerFixture;
let connected: ServerFixture;
let admin: Actor;
let east: Actor;
let key = '';
let agent: AgentProcess;

const steps = new SecretSteps(() => ({
  admin,
  connected: east,
}));

beforeAll(async () => {
  [server, connected] = await Promise.all([
    startServer({ controllers: '*', clusterNetworks: '' }),
    startServer({ controllers: 'namespace-controller' }),
  ]);
  [admin, east] = [impersonating(server), impersonating(connected)];
  key = await agentUser(server, 'east');
  const data = { config: base64(unreachableKubeconfig()) };
  await steps.create(admin, '/api/v1/namespaces/management-system/secrets', {
    metadata: { name: 'east' },
    data,
  });
  await steps.create(admin, `${API}/clusters`, {
    metadata: { name: 'east', annotations: { [ANNOTATION]: 'true' } },
    spec: { config: { secretName: 'east' } },
  });
  await steps.create(admin, `${API}/projects`, {
    metadata: { name: 'web' },
    spec: { allowedClusters: [{ name: '*' }] },
  });
  await steps.create(admin, `${API}/users`, { metadata: { name: 'anna' } });
});
afterAll(async () => {
  await agent?.kill();
  await Promise.all([server?.remove(), connected?.remove()]);
});

/** The kubeconfig of the cluster, with a port that nothing listens on. Its host is the name in the certificate. */
function unreachableKubeconfig(): string {
  const config = parse(readFileSync(connected.kubeconfig, 'utf8')) as {
    clusters: { cluster: { server: string } }[];
  };
  for (const one of config.clusters) one.cluster.server = 'https://127.0.0.1:1';
  return JSON.stringify(config);
}

const startAgent = (flags: readonly string[]): Promise<AgentProcess> =>
  startDialingAgent(server, { cluster: 'east', key, kubeconfig: connected.kubeconfig, flags });

/** A change of the Cluster makes the controller check it at once. */
const askAgain = async (displayName: string): Promise<void> => {
  expect((await admin.send('PATCH', CLUSTER, { spec: { displayName } })).status).toBe(200);
};

const waitForMessage = (text: string, why: string): Promise<Cluster> =>
  eventually(why, async () => {
    await askAgain(`${Math.random()}`);
    const { body } = await admin.send<Cluster>('GET', CLUSTER);
    return (body.status?.message ?? '').includes(text) && body;
  });

test('without an agent the cluster is unreachable, and says why', async () => {
  const { status } = await waitForMessage('no agent of the cluster "east" is connected', 'it is unreachable');
  expect(status).toMatchObject({ online: false, reason: 'Unreachable' });
});

test('an agent that does not forward such connections is reported with its release', async () => {
  agent = await startAgent([]);
  await waitForMessage('--tunnel-api-server', 'the option is named');
  const status = await eventually('its latency is measured', async () => {
    await askAgain(`${Math.random()}`);
    const { body } = await admin.send<Cluster>('GET', CLUSTER);
    return body.status?.agent?.latencyMilliseconds !== undefined && body.status;
  });
  expect(status.agent).toEqual({ version: SERVER_VERSION, latencyMilliseconds: expect.any(Number) });
  await agent.stop();
  expect((await waitForMessage('no agent of the cluster', 'it is unreachable')).status).not.toHaveProperty(
    'agent',
  );
});

test('the cluster is online through its agent', async () => {
  agent = await startAgent(FORWARDING);
  const { status } = await waitForMessage('the cluster answers', 'it is online');
  expect(status).toMatchObject({ online: true, reason: 'Online' });
});

test('a space gets its namespace, and its Secrets are filled and kept in step', async () => {
  const namespace = await steps.createSpace('one', 'anna');
  const { status, body } = await east.send<{ metadata: { labels: object } }>(
    'GET',
    `/api/v1/namespaces/${namespace}`,
  );
  expect([status, body.metadata.labels]).toEqual([
    200,
    expect.objectContaining({ 'management.svc.example/space-instance-name': 'one' }),
  ]);
  await steps.createShared('db', { password: base64('one') }, 'anna');
  await steps.createLabelled(namespace, 'db', fromShared('db'));
  await steps.waitForData(namespace, 'db', { password: base64('one') });
  await steps.patchShared('db', { data: { password: base64('two') } });
  await steps.waitForData(namespace, 'db', { password: base64('two') });
});

test('changes made while the agent is away are applied when it is back', async () => {
  await agent.kill();
  await steps.patchShared('db', { data: { password: base64('three') } });
  await steps.create(admin, SPACES, {
    metadata: { name: 'two' },
    spec: { clusterRef: { cluster: 'east', namespace: 'two' }, owner: { user: 'anna' } },
  });
  await waitForMessage('no agent of the cluster', 'it is unreachable');
  agent = await startAgent(FORWARDING);
  await waitForMessage('the cluster answers', 'it is online');
  await eventually(
    'the namespace is there',
    async () => (await east.send('GET', '/api/v1/namespaces/two')).status === 200,
  );
  const { body } = await admin.send<{ spec: { clusterRef: { namespace: string } } }>('GET', `${SPACES}/one`);
  await steps.waitForData(body.spec.clusterRef.namespace, 'db', { password: base64('three') });
});

test('a space that is deleted leaves no namespace', async () => {
  expect((await admin.send('DELETE', `${SPACES}/two`)).status).toBe(200);
  await eventually(
    'the namespace is gone',
    async () => (await east.send('GET', '/api/v1/namespaces/two')).status === 404,
  );
  await eventually(
    'the space is gone',
    async () => (await admin.send('GET', `${SPACES}/two`)).status === 404,
  );
});

test('without the annotation the address of the kubeconfig is used again, and refused', async () => {
  const annotations = { [ANNOTATION]: null };
  expect((await admin.send('PATCH', CLUSTER, { metadata: { annotations } })).status).toBe(200);
  const { status } = await waitForMessage('--allow-cluster-networks', 'it is refused');
  expect(status).toMatchObject({ online: false });
  expect(agent.log()).not.toContain('unexpected error');
  expect(server.log()).not.toContain('a request broke off');
});
