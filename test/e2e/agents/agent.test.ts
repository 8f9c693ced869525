/**
 * The agent as a process, with one server as its management API and as the API server of its cluster: the tests that
 * need no Kubernetes cluster.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { startAgent, type AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { client } from '../../fixtures/clients/client.js';
import { fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';

let server: ServerFixture;
let agent: AgentProcess;
let key = '';

async function create(path: string, name: string, spec: object): Promise<{ spec: Record<string, unknown> }> {
  const { status, text } = await client(server).send('POST', path, { metadata: { name }, spec });
  if (status !== 201) throw new Error(`${path} ${name}: ${text}`);
  return JSON.parse(text) as { spec: Record<string, unknown> };
}

async function tokenOf(bearer: string, spec: object = {}): Promise<string> {
  const path = `${API}/directclusterendpointtokens`;
  const answer = await client(server, bearer).send('POST', path, { spec: { cluster: 'east', ...spec } });
  if (answer.status !== 201) throw new Error(answer.text);
  return (JSON.parse(answer.text) as { status: { token: string } }).status.token;
}

const get = async (token: string, path = '/kubernetes/cluster/version'): Promise<number> =>
  (await fetchFrom(`${agent.url}${path}`, { token })).status;

async function patch(path: string, spec: object): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  expect((await client(server).send('PATCH', `${API}/${path}`, { spec }, headers)).status).toBe(200);
}

beforeAll(async () => {
  server = await startServer();
  await create(`${API}/users`, 'anna', {});
  await create(`${API}/clusters`, 'east', { access: [{ verbs: ['get'], users: ['anna'] }] });
  await create(`${API}/projects`, 'p', { allowedClusters: [{ name: '*' }] });
  key = (await create(`${API}/ownedaccesskeys`, 'anna', { user: 'anna' })).spec.key as string;
  const managementKubeconfig = join(server.directory, 'management');
  const config = parse(readFileSync(server.kubeconfig, 'utf8')) as object;
  writeFileSync(managementKubeconfig, JSON.stringify(config), { mode: 0o600 });
  agent = await startAgent({ cluster: 'east', managementKubeconfig, kubeconfig: server.kubeconfig });
});
afterAll(async () => {
  await agent?.stop();
  await server?.remove();
});

test('a token passes, as the user with the prefix; others are refused', async () => {
  const token = await tokenOf(key);
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const who = await fetchFrom(
    `${agent.url}/kubernetes/cluster/apis/authentication.k8s.io/v1/selfsubjectreviews`,
    {
      token,
      method: 'POST',
      body: JSON.stringify(review),
      headers: { 'content-type': 'application/json' },
    },
  );
  expect(JSON.parse(who.text)).toMatchObject({ status: { userInfo: { username: 'management:anna' } } });
  for (const bearer of ['', 'admin-token', key]) expect(await get(bearer)).toBe(401);
});

test('a space is known as soon as it is there, and gone when it is', async () => {
  const token = await tokenOf(key, { scope: { spaces: [{ project: 'p', space: 's' }] } });
  const path = '/kubernetes/project/p/space/s/version';
  expect(await get(token, path)).toBe(404);
  const clusterRef = { cluster: 'east', namespace: 'own' };
  await create(`${API}/namespaces/loft-p-p/spaceinstances`, 's', { clusterRef });
  await eventually('the space is known', async () => (await get(token, path)) === 200);
  expect(await get(token)).toBe(403);
  await client(server).send('DELETE', `${API}/namespaces/loft-p-p/spaceinstances/s`);
  await eventually('the space is gone', async () => (await get(token, path)) === 404);
});

test('a token ends within five seconds of its key, its user or its generation', async () => {
  const ends: [string, () => Promise<unknown>][] = [
    ['its key is disabled', () => patch('ownedaccesskeys/one', { disabled: true })],
    ['its key is deleted', () => client(server).send('DELETE', `${API}/ownedaccesskeys/one`)],
    ['the generation grows', () => patch('users/anna', { tokenGeneration: 1 })],
    ['the user is disabled', () => patch('users/anna', { disabled: true })],
  ];
  for (const [what, end] of ends) {
    await client(server).send('DELETE', `${API}/ownedaccesskeys/one`);
    const made = await create(`${API}/ownedaccesskeys`, 'one', { user: 'anna' });
    const token = await tokenOf(made.spec.key as string);
    await eventually(`it is good until ${what}`, async () => (await get(token)) === 200);
    await end();
    await eventually(`${what}: it is refused`, async () => (await get(token)) === 401);
  }
});

test('a revoked token is refused within five seconds, and its open requests end', async () => {
  // The test before has disabled the user.
  await patch('users/anna', { disabled: false });
  await client(server).send('DELETE', `${API}/ownedaccesskeys/one`);
  const made = await create(`${API}/ownedaccesskeys`, 'one', { user: 'anna' });
  const [token, other] = [await tokenOf(made.spec.key as string), await tokenOf(made.spec.key as string)];
  await eventually('both are good', async () => (await get(token)) + (await get(other)) === 400);
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    jti: string;
  };
  const path = `${API}/directclusterendpointtokens/${jti}`;
  expect((await client(server).send('DELETE', path)).status).toBe(200);
  await eventually('it is refused', async () => (await get(token)) === 401);
  expect(await get(other)).toBe(200);
});

test('it reports its health, and logs no secret', async () => {
  for (const path of ['/healthz', '/livez', '/readyz'])
    expect((await fetchFrom(`${agent.url}${path}`, { token: '' })).status).toBe(200);
  expect(agent.log()).not.toMatch(/eyJ|mk_|Bearer/);
});
