/** Requests that the server must refuse to and from the tunnels of agents, and similar valid requests that succeed. */
import { once } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { dial, fakeAgent, statusOf } from '../../fixtures/agents/fakeagent.js';
import { hostileClients, LIMITS, SHARE } from '../../fixtures/agents/hostileclients.js';
import { ADMIN_TOKEN, fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';
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
const WEST = '/kubernetes/cluster/west';
const PODS = `${EAST}/api/v1/namespaces/own/pods`;

describe('tunnels of agents', () => {
  let on: EngineServer;
  let server: ServerFixture;
  let stub: StubCluster;
  let agent: AgentProcess;
  let [anna, ben, eastKey, westKey] = ['', '', '', ''];
  /** The key of anna for east, and that of ben for west. */
  let [east, west] = ['', ''];

  beforeAll(async () => {
    on = await startEmbedded({ flags: LIMITS });
    ({ server } = on);
    stub = await startStubCluster(server.directory);
    ({ anna, ben } = await peopleAndClusters(server));
    [eastKey, westKey] = [await agentUser(server, 'east'), await agentUser(server, 'west')];
    east = await tokenOf(server, anna);
    west = await tokenOf(server, ben, { cluster: 'west' });
    agent = await startDialingAgent(server, { cluster: 'east', key: eastKey, kubeconfig: stub.kubeconfig });
    await untilConnected(server, east);
  });
  afterAll(async () => {
    expect(server.isRunning()).toBe(true);
    expect(server.log()).not.toMatch(/request failed|a request broke off/);
    for (const secret of [east, west, eastKey, westKey]) expect(server.log()).not.toContain(secret);
    await agent?.kill();
    await stub?.close();
    await on?.remove();
  });

  const get = async (path: string, token: string, headers = {}): Promise<number> =>
    (await fetchFrom(`${server.url}${path}`, { token, headers })).status;

  describe('opening a tunnel', () => {
    const asking = ['Connection: Upgrade', 'Upgrade: management-tunnel/1'];
    const of = async (asked: Parameters<typeof dial>[1]): Promise<number> => {
      const { socket, answer } = await dial(server, asked);
      socket.destroy();
      return statusOf(answer);
    };

    test('is granted to an agent of the cluster', async () => {
      expect(await of({ key: westKey, cluster: 'west' })).toBe(101);
    });
    test('is refused to strangers, users and agents of other clusters', async () => {
      // Anonymous requests are forbidden.
      expect(await of({ key: '' })).toBe(403);
      expect(await of({ key: 'wrong' })).toBe(401);
      expect(await of({ key: east })).toBe(401);
      expect(await of({ key: anna })).toBe(403);
      expect(await of({ key: westKey })).toBe(403);
      const as = [...asking, 'Impersonate-User: agent-east'];
      expect(await of({ key: westKey, headers: as })).toBe(403);
    });
    test('is refused for names that lead elsewhere', async () => {
      const clusters = `${API}/clusters`;
      for (const path of ['west/../east', 'west%2f..%2feast', 'east%00', '', 'west/tunnel/../../east'])
        expect([path, await of({ key: westKey, path: `${clusters}/${path}/tunnel` })]).not.toContain(101);
      expect(await of({ key: ADMIN_TOKEN, cluster: 'nosuch' })).toBe(404);
      const namespaced = `${API}/namespaces/west/clusters/west/tunnel`;
      expect(await of({ key: ADMIN_TOKEN, path: namespaced })).toBe(404);
      expect(await of({ key: ADMIN_TOKEN, path: `${API}/users/anna/tunnel` })).not.toBe(101);
    });
    test('is refused for requests of another form', async () => {
      const key = westKey;
      const cluster = 'west';
      expect(await of({ key, cluster, headers: ['Content-Length: 0'] })).toBe(400);
      expect(await of({ key, cluster, headers: ['Connection: Upgrade', 'Upgrade: websocket'] })).toBe(400);
      expect(await of({ key, cluster, headers: ['Connection: Upgrade', 'Upgrade: h2c'] })).toBe(400);
      expect(await of({ key, cluster, headers: [...asking, 'Upgrade: websocket'] })).toBe(400);
      expect(await of({ key, cluster, headers: [...asking, 'Content-Length: 5'], early: 'hello' })).toBe(400);
      expect(await of({ key, cluster, headers: [...asking, 'Transfer-Encoding: chunked'] })).toBe(400);
      expect(await of({ key, cluster, headers: asking, early: 'PRI * HTTP/2.0' })).toBe(400);
      expect(await of({ key, cluster, method: 'GET' })).not.toBe(101);
      expect(await of({ key, cluster, method: 'PUT' })).not.toBe(101);
    });
    test('answers an agent that has a tunnel to this server that it has one', async () => {
      const first = await dial(server, { key: westKey, cluster: 'west' });
      const id = /management-server-id: (\S+)/.exec(first.answer)?.[1] ?? '';
      const known = `Management-Known-Servers: other,${id}`;
      expect(await of({ key: westKey, cluster: 'west', headers: [...asking, known] })).toBe(409);
      first.socket.destroy();
    });
  });

  hostileClients(() => ({
    server,
    stub,
    east,
    west,
    annas: anna,
    bens: ben,
    others: [eastKey, ADMIN_TOKEN],
  }));

  test("the agent's own endpoints cannot be reached: these paths lead to the cluster", async () => {
    stub.seen.length = 0;
    for (const path of ['/metrics', '/healthz', '/readyz']) await get(`${EAST}${path}`, east);
    expect(stub.seen).toEqual(['GET /metrics', 'GET /healthz', 'GET /readyz']);
  });

  describe('an agent that is hostile', () => {
    const asked = (): Parameters<typeof dial>[1] => ({ key: westKey, cluster: 'west' });
    const windows = { initialWindowSize: 0 };
    async function fair(): Promise<void> {
      expect(await get(PODS, east)).toBe(200);
      expect(await get(`${API}/clusters/west`, ben)).toBe(200);
    }
    async function over(session: ServerHttp2Session): Promise<void> {
      session.destroy();
      await eventually('its tunnel is gone', async () => (await get(`${WEST}/version`, west)) === 503);
    }

    test('does not delay others by neither answering nor reading', async () => {
      const session = await fakeAgent(server, asked(), windows, (stream) =>
        stream.respond({ ':status': 200 }),
      );
      const body = Buffer.alloc(1024 * 1024);
      const options = { token: west, method: 'POST', body };
      const pending = Array.from({ length: 2 * SHARE }, () =>
        fetchFrom(`${server.url}${WEST}/api/v1/namespaces/own/pods`, options).then(
          ({ status }) => status,
          () => 0,
        ),
      );
      await fair();
      await over(session);
      const codes = await Promise.all(pending);
      expect(codes).toContain(503);
      expect(codes.every((code) => [0, 429, 503].includes(code))).toBe(true);
    });

    test.each<[string, string]>([
      ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
      ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
      ['headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`],
      [
        'another protocol unasked',
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      ],
    ])('gets 503 to its clients by answering with %s', async (_what, text) => {
      const session = await fakeAgent(server, asked(), {}, (stream) => {
        stream.respond({ ':status': 200 });
        stream.end(Buffer.from(text));
      });
      expect(await get(`${WEST}/version`, west)).toBe(503);
      await fair();
      await over(session);
    });

    test('cannot set cookies or other browser state for this server', async () => {
      const session = await fakeAgent(server, asked(), {}, (stream) => {
        stream.respond({ ':status': 200 });
        stream.end(
          Buffer.from(
            'HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nClear-Site-Data: "*"\r\nService-Worker-Allowed: /\r\nContent-Security-Policy: x\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi',
          ),
        );
      });
      const { headers, text } = await fetchFrom(`${server.url}${WEST}/`, { token: west });
      expect(text).toBe('hi');
      expect(headers).toMatchObject({
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
      });
      for (const name of ['set-cookie', 'clear-site-data', 'service-worker-allowed'])
        expect(headers).not.toHaveProperty(name);
      await over(session);
    });

    test('does no harm by ending each stream, or by sending no HTTP/2 at all', async () => {
      const session = await fakeAgent(server, asked(), {}, (stream) => stream.close(2));
      expect(await get(`${WEST}/version`, west)).toBe(503);
      await over(session);
      for (const bytes of ['\0'.repeat(1000), 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(100_000)]) {
        const { socket, answer } = await dial(server, asked());
        expect(statusOf(answer)).toBe(101);
        socket.write(bytes);
        socket.resume();
        await once(socket, 'close');
      }
      // Connections that are closed while the tunnel is established.
      for (let times = 0; times < 30; times += 1) {
        const { socket } = await dial(server, asked());
        if (times % 2 === 0) socket.write(Buffer.alloc(64 * 1024));
        socket.destroy();
      }
      await fair();
    });

    test('is refused more tunnels than an agent needs', async () => {
      const sessions: ServerHttp2Session[] = [];
      let refused = '';
      for (let times = 0; times < 40 && refused === ''; times += 1)
        await fakeAgent(server, asked(), {}, (stream) => stream.close()).then(
          (session) => sessions.push(session),
          (error: Error) => (refused = error.message),
        );
      expect(statusOf(refused)).toBe(429);
      for (const session of sessions) session.destroy();
      await fair();
    });
  });
});
