/** Clusters without an agent, whose kubeconfigs the management API has: it sends requests of users there itself. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { begin, passedRequests, passedStreams, upgrade } from '../../fixtures/agents/passedrequests.js';
import { API, peopleAndClusters, tokenOf } from '../../fixtures/agents/tunnel.js';
import { client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';
import { startStubCluster, type StubCluster } from '../../fixtures/stubs/stubcluster.js';
import { eventually } from '../../fixtures/wait.js';

const EAST = '/kubernetes/cluster/east';
const PODS = `${EAST}/api/v1/namespaces/own/pods`;
const SPACE = '/kubernetes/project/p/space/s';
const SECRETS = '/api/v1/namespaces/management-system/secrets';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let on: EngineServer;
let server: ServerFixture;
let stub: StubCluster;
let token = '';
let anna = '';

beforeAll(async () => {
  on = await startEmbedded();
  ({ server } = on);
  stub = await startStubCluster(server.directory);
  ({ anna } = await peopleAndClusters(server));
  token = await tokenOf(server, anna);
});
afterAll(async () => {
  expect(server.log()).not.toContain('of-the-agent');
  await stub?.close();
  await on?.remove();
});

const get = async (path: string, bearer = token): Promise<number> =>
  (await fetchFrom(`${server.url}${path}`, { token: bearer })).status;

/** Both are in the Secret that the Cluster names. */
async function nameKubeconfig(): Promise<void> {
  const config = readFileSync(stub.kubeconfig).toString('base64');
  const body = { metadata: { name: 'east' }, data: { config } };
  expect((await client(server).send('POST', SECRETS, body)).status).toBe(201);
  const spec = { config: { secretName: 'east' } };
  expect((await client(server).send('PATCH', `${API}/clusters/east`, { spec }, MERGE)).status).toBe(200);
}

test('a cluster without agent and kubeconfig is 503 with a reason', async () => {
  const answer = await fetchFrom(`${server.url}${PODS}`, { token });
  expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('no kubeconfig of it')]);
  await nameKubeconfig();
  expect(await get(PODS)).toBe(200);
});

const parts = () => ({ server, stub, token, key: anna });
passedRequests(parts);
passedStreams(parts);

test('the user is impersonated, with groups that no others have', async () => {
  await get(PODS);
  const headers = stub.headers.at(-1) ?? {};
  expect(headers['impersonate-user']).toBe('management:anna');
  expect(String(headers['impersonate-group']).split(', ')).toEqual(
    expect.arrayContaining(['management:management:authenticated']),
  );
  expect(String(headers['impersonate-group'])).not.toMatch(/(^|, )system:/);
});

test('a space ends at its namespace, and its open requests with the space', async () => {
  const scope = { spaces: [{ project: 'p', space: 's' }] };
  const scoped = await tokenOf(server, anna, { scope });
  expect(await get(`${SPACE}/api/v1/namespaces/own/pods`, scoped)).toBe(200);
  for (const path of ['/api/v1/pods', '/api/v1/namespaces/other/pods', '/api/v1/nodes', '/metrics'])
    expect([path, await get(SPACE + path, scoped)]).toEqual([path, 403]);
  const watch = await begin(server, `${SPACE}/api/v1/namespaces/own/pods?watch=true`, scoped);
  const over = new Promise((resolve) => watch.once('close', resolve));
  watch.on('error', () => undefined).resume();
  const spaces = `${API}/namespaces/loft-p-p/spaceinstances`;
  expect((await client(server).send('DELETE', `${spaces}/s`)).status).toBe(200);
  await over;
  expect(await get(`${SPACE}/api/v1/namespaces/own/pods`, scoped)).toBe(401);
});

test('open requests end with the right to the kubeconfig', async () => {
  const watch = await begin(server, `${PODS}?watch=true`, token);
  const shell = await upgrade(server, { path: `${PODS}/a/exec?command=sh`, bearer: token });
  const over = [watch, shell].map((one) => new Promise((resolve) => one.once('close', resolve)));
  for (const one of [watch, shell]) one.on('error', () => undefined).resume();
  // Made again, it is another Secret, which nobody has named.
  expect((await client(server).send('DELETE', `${SECRETS}/east`)).status).toBe(200);
  const body = {
    metadata: { name: 'east' },
    data: { config: readFileSync(stub.kubeconfig).toString('base64') },
  };
  expect((await client(server).send('POST', SECRETS, body)).status).toBe(201);
  await Promise.all(over);
  expect(await get(PODS)).toBe(503);
  await eventually('all has ended there', () => Promise.resolve(stub.open.size === 0));
});
