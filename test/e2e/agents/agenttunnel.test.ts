/**
 * Clusters without an open port: their agents connect to the management API, which sends requests through these
 * tunnels.
 */
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AgentProcess } from '../../fixtures/agents/agentprocess.js';
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

test("requests pass as from the agent's port, named as the user", async () => {
  const answer = await fetchFrom(`${server.url}${PODS}/a?limit=1`, {
    token,
    headers: { cookie: 'session=1', 'x-forwarded-for': '1.2.3.4' },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers['set-cookie']).toBeUndefined();
  expect(answer.headers['content-security-policy']).toBe('sandbox');
  expect(stub.seen.at(-1)).toBe('GET /api/v1/namespaces/own/pods/a?limit=1');
  expect(stub.headers.at(-1)).toMatchObject({
    authorization: 'Bearer of-the-agent',
    'impersonate-user': 'management:anna',
    'x-forwarded-for': '127.0.0.1',
  });
  expect(stub.headers.at(-1)).not.toHaveProperty('cookie');
  const moved = await fetchFrom(`${server.url}${EAST}/redirect`, { token });
  expect([moved.status, moved.headers.location]).toEqual([301, `${EAST}/api/v1/`]);
});

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

test('a space is reached by its path, in its scope', async () => {
  const scope = { spaces: [{ project: 'p', space: 's' }] };
  const scoped = await tokenOf(server, anna, { scope });
  const space = '/kubernetes/project/p/space/s/api/v1/namespaces/own/pods';
  expect((await get(space, scoped)).status).toBe(200);
  const beside = await get(PODS, scoped);
  expect([beside.status, beside.text]).toEqual([403, expect.stringContaining('token scope')]);
  expect((await get('/kubernetes/project/p/space/other/version', scoped)).status).toBe(401);
});

test('over HTTP/2 as well', async () => {
  const session = connectHttp2(server.url, { rejectUnauthorized: false });
  const headers = { ':path': PODS, authorization: `Bearer ${token}` };
  const stream = session.request({ ...headers, ':method': 'POST' });
  for (let sent = 0; sent < 4; sent += 1) stream.write(Buffer.alloc(1024 * 1024));
  stream.end();
  let text = '';
  for await (const piece of stream) text += String(piece);
  expect(JSON.parse(text)).toEqual({ bytes: 4 * 1024 * 1024 });
  const read = session.request(headers);
  let status = 0;
  read.once('response', (answer) => (status = answer[':status'] ?? 0));
  for await (const piece of read) text += String(piece);
  expect(status).toBe(200);
  session.close();
});

test('20 MiB are uploaded, and a reader that stops delays no other', async () => {
  const slow = await begin(`${PODS}/a/log`);
  slow.pause();
  const body = Buffer.alloc(20 * 1024 * 1024);
  const up = await fetchFrom(`${server.url}${PODS}`, { token, method: 'POST', body });
  expect(JSON.parse(up.text)).toEqual({ bytes: body.length });
  expect((await get(PODS)).status).toBe(200);
  slow.destroy();
  await eventually('the log ends there too', () => Promise.resolve(stub.open.size === 0));
});

test('watches stream', async () => {
  const watch = await begin(`${PODS}?watch=true`);
  let events = 0;
  for await (const piece of watch) {
    events += String(piece).split('\n').length - 1;
    if (events >= 3) break;
  }
  await eventually('the watch ends there too', () => Promise.resolve(stub.open.size === 0));
});

test.each([
  ['GET', 'websocket'],
  ['POST', 'SPDY/3.1'],
  ['GET', 'SPDY/3.1'],
])('%s with Upgrade: %s streams both ways', async (method, protocol) => {
  const socket = await upgrade(method, `${PODS}/a/exec?command=sh`, protocol);
  socket.write('hello');
  for (let got = ''; !got.includes('hello');)
    got += String(await new Promise((resolve) => socket.once('data', resolve)));
  socket.destroy();
  await eventually('it ends there too', () => Promise.resolve(stub.open.size === 0));
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

test('revoking a token ends its open requests, and none of another token', async () => {
  const other = await tokenOf(server, anna);
  const mine = await begin(`${PODS}?watch=true`, other);
  const shell = await upgrade('GET', `${PODS}/a/exec?command=sh`, 'websocket', other);
  const kept = await begin(`${PODS}?watch=true`);
  let isOpen = true;
  kept.once('close', () => (isOpen = false));
  const ended = [mine, shell].map((one) => new Promise((resolve) => one.once('close', resolve)));
  for (const one of [mine, shell, kept]) one.on('error', () => undefined).resume();
  const payload = Buffer.from(other.split('.')[1] ?? '', 'base64url').toString();
  const { jti } = JSON.parse(payload) as { jti: string };
  const path = `${API}/directclusterendpointtokens/${jti}`;
  expect((await client(server, anna).send('DELETE', path)).status).toBe(200);
  await Promise.all(ended);
  expect([(await get(PODS, other)).status, (await get(PODS)).status, isOpen]).toEqual([401, 200, true]);
  kept.destroy();
  await eventually('all has ended there', () => Promise.resolve(stub.open.size === 0));
});

test("open requests end with the user's token, and the tunnel ends with the agent's key", async () => {
  const socket = await upgrade('GET', `${PODS}/a/exec?command=sh`, 'websocket');
  const watch = await begin(`${PODS}?watch=true`);
  const ended = [socket, watch].map((one) => new Promise((resolve) => one.once('close', resolve)));
  for (const one of [socket, watch]) one.on('error', () => undefined).resume();
  const patch = { 'content-type': 'application/merge-patch+json' };
  await client(server).send('PATCH', `${API}/users/anna`, { spec: { tokenGeneration: 1 } }, patch);
  await Promise.all(ended);
  expect((await get(PODS)).status).toBe(401);
  token = await tokenOf(server, anna);
  await untilConnected(server, token);
  const long = await begin(`${PODS}?watch=true`);
  const cut = new Promise((resolve) => long.once('close', resolve));
  long.on('error', () => undefined).resume();
  await client(server).send('DELETE', `${API}/ownedaccesskeys/agent-east`);
  await cut;
  await eventually('no tunnel is left', async () => (await get(PODS)).status === 503);
  expect(server.log() + agent.log()).not.toContain(token);
});

function begin(path: string, bearer = token): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${bearer}` };
  return new Promise((resolve, reject) => {
    request(`${server.url}${path}`, { headers, agent: false, rejectUnauthorized: false }, resolve)
      .on('error', reject)
      .end();
  });
}
function upgrade(method: string, path: string, protocol: string, bearer = token): Promise<Duplex> {
  const headers = { authorization: `Bearer ${bearer}`, connection: 'Upgrade', upgrade: protocol };
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}${path}`, {
      method,
      headers,
      agent: false,
      rejectUnauthorized: false,
    });
    asked.once('upgrade', (_answer, socket) => resolve(socket));
    asked.once('response', (answer) => reject(new Error(`${answer.statusCode ?? 0}`)));
    asked.once('error', reject);
    asked.end();
  });
}
