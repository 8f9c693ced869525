/** Requests of users that the server sends with the kubeconfig of a cluster: what users and the cluster must not achieve. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hostileClients, LIMITS, SHARE } from '../../fixtures/agents/hostileclients.js';
import { kubeconfigOf } from '../../fixtures/agents/manyclusters.js';
import { begin, upgrade } from '../../fixtures/agents/passedrequests.js';
import { API, peopleAndClusters, tokenOf } from '../../fixtures/agents/tunnel.js';
import { client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { ADMIN_TOKEN, fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';
import { startStubCluster, type StubCluster } from '../../fixtures/stubs/stubcluster.js';
import { eventually } from '../../fixtures/wait.js';
import { issueAuthority, issueServing } from '../../../pkg/pki/issue.js';

const EAST = '/kubernetes/cluster/east';
const HOSTILE = '/kubernetes/cluster/hostile';
const PODS = '/api/v1/namespaces/own/pods';
const SECRETS = '/api/v1/namespaces/management-system/secrets';

/** A cluster that answers requests of users as a test says, byte for byte. */
interface HostileApiServer {
  readonly kubeconfig: string;
  /** What is done with each request of a user. */
  answer: (socket: TLSSocket, head: string) => void;
  /** Whom a review names; undefined: who is impersonated. */
  reviewed: string | undefined;
  readonly sockets: Set<TLSSocket>;
  close(): void;
}

async function startHostile(): Promise<HostileApiServer> {
  const authority = await issueAuthority('hostile');
  const { key, certificate } = await issueServing(authority, ['127.0.0.1']);
  const sockets = new Set<TLSSocket>();
  const server: Server = createServer({ key, cert: certificate }, (socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => sockets.delete(socket));
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      const head = text;
      text = '';
      const user = /impersonate-user: (.*)\r/i.exec(head)?.[1];
      if (/^\S+ \S+selfsubjectreviews /.test(head))
        socket.end(json(201, { status: { userInfo: { username: hostile.reviewed ?? user } } }));
      else if (user === undefined) socket.end(json(404, {}));
      else hostile.answer(socket, head);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hostile: HostileApiServer = {
    kubeconfig: kubeconfigOf(url, authority.certificate),
    answer: (socket) => socket.end(json(200, {})),
    reviewed: undefined,
    sockets,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return hostile;
}

function json(status: number, body: object): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status} x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

describe('by a kubeconfig', () => {
  let on: EngineServer;
  let server: ServerFixture;
  let stub: StubCluster;
  let hostile: HostileApiServer;
  let [annas, bens, east, west, token] = ['', '', '', '', ''];

  beforeAll(async () => {
    on = await startEmbedded({ flags: LIMITS });
    ({ server } = on);
    stub = await startStubCluster(server.directory);
    hostile = await startHostile();
    ({ anna: annas, ben: bens } = await peopleAndClusters(server));
    await named('east', readFileSync(stub.kubeconfig, 'utf8'));
    const access = [{ verbs: ['get'], users: ['anna', 'ben'] }];
    await sent('POST', `${API}/clusters`, { metadata: { name: 'hostile' }, spec: { access } });
    await named('hostile', hostile.kubeconfig);
    east = await tokenOf(server, annas);
    west = await tokenOf(server, bens, { cluster: 'west' });
    token = await tokenOf(server, annas, { cluster: 'hostile' });
  });
  afterAll(async () => {
    expect(server.isRunning()).toBe(true);
    expect(server.log()).not.toMatch(/request failed|a request broke off/);
    for (const secret of [east, west, token, 'of-the-agent']) expect(server.log()).not.toContain(secret);
    hostile?.close();
    await stub?.close();
    await on?.remove();
  });

  async function sent(method: string, path: string, body: object): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const { status, text } = await client(server).send(method, path, body, { 'content-type': contentType });
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  }
  /** Gives a Cluster a kubeconfig. */
  async function named(cluster: string, kubeconfig: string): Promise<void> {
    const data = { config: Buffer.from(kubeconfig).toString('base64') };
    await sent('POST', SECRETS, { metadata: { name: cluster }, data });
    const spec = { config: { secretName: cluster } };
    await sent('PATCH', `${API}/clusters/${cluster}`, { spec });
  }
  const get = async (path: string, bearer = token): Promise<number> =>
    (await fetchFrom(`${server.url}${path}`, { token: bearer })).status;
  async function fair(): Promise<void> {
    expect(await get(`${EAST}${PODS}`, east)).toBe(200);
    expect(await get(`${API}/clusters/west`, bens)).toBe(200);
  }

  hostileClients(() => ({ server, stub, east, west, annas, bens, others: [ADMIN_TOKEN] }));

  test('a token for one space reaches nothing outside of its namespace', async () => {
    const scope = { spaces: [{ project: 'p', space: 's' }] };
    const scoped = await tokenOf(server, annas, { scope });
    stub.seen.length = 0;
    const space = '/kubernetes/project/p/space/s';
    for (const path of [
      `${space}/api/v1/namespaces/other/pods`,
      `${space}/api/v1/namespaces/own/../other/pods`,
      `${space}/api/v1/namespaces/own%2f..%2fother/pods`,
      `${space}/api/v1/namespaces/OWN/pods`,
      `${space}/api/v1/watch/namespaces/other/pods`,
      `${space}/api/v1/watch/pods`,
      `${space}/apis/rbac.authorization.k8s.io/v1/clusterroles`,
      `${space}/api/v1/namespaces/own/finalize`,
      `${space}/api/v1/nodes/n/proxy/`,
      `${EAST}/api/v1/namespaces/own/pods`,
      '/kubernetes/project/other/space/s/api/v1/namespaces/own/pods',
    ])
      expect([path, Math.floor((await get(path, scoped)) / 100)]).toEqual([path, 4]);
    expect(stub.seen).toEqual([]);
  });

  test.each<[string, string]>([
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`],
    ['interim responses without end', 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'.repeat(1_000)],
    [
      'another protocol unasked',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    ],
    ['401, as if the token of the user were wrong', json(401, { kind: 'Status', code: 401 })],
  ])('a cluster gets 503 to its clients by answering with %s', async (_what, text) => {
    hostile.answer = (socket) => socket.end(text);
    expect(await get(`${HOSTILE}/version`)).toBe(503);
    await fair();
  });

  test('an upgrade is not changed to another protocol, and no second response hides behind it', async () => {
    hostile.answer = (socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n');
    const path = `${HOSTILE}${PODS}/a/exec?command=sh`;
    await expect(upgrade(server, { path, bearer: token })).rejects.toThrow('503');
    hostile.answer = (socket) => void socket.write(json(200, {}) + json(200, { poisoned: true }));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => fetchFrom(`${server.url}${HOSTILE}/version`, { token })),
    );
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 5 }, () => '{}'));
  });

  test('the cluster sets no cookies or other browser state, and leads nobody elsewhere', async () => {
    const headers = [
      'Set-Cookie: a=b',
      'Clear-Site-Data: "*"',
      'Service-Worker-Allowed: /',
      'WWW-Authenticate: Basic',
      'Content-Security-Policy: x',
      'Content-Type: text/html',
      'Content-Length: 2',
      'Connection: close',
    ];
    const locations = ['https://evil.example/', '//evil.example/', '\\\\evil.example', 'evil'];
    for (const location of locations) {
      const lines = [...headers, `Location: ${location}`].join('\r\n');
      hostile.answer = (socket) => socket.end(`HTTP/1.1 302 Found\r\n${lines}\r\n\r\nhi`);
      const answer = await fetchFrom(`${server.url}${HOSTILE}/`, { token });
      expect([answer.status, answer.text]).toEqual([302, 'hi']);
      expect(answer.headers).toMatchObject({
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
      });
      for (const name of ['set-cookie', 'clear-site-data', 'service-worker-allowed', 'location'])
        expect(answer.headers).not.toHaveProperty(name);
      expect(answer.headers).not.toHaveProperty('www-authenticate');
    }
    expect(hostile.sockets.size).toBeLessThan(10);
  });

  test('a redirect to another server is not followed', async () => {
    stub.seen.length = 0;
    const { server: elsewhere } = JSON.parse(readFileSync(stub.kubeconfig, 'utf8')).clusters[0].cluster as {
      server: string;
    };
    hostile.answer = (socket) =>
      socket.end(
        `HTTP/1.1 307 x\r\nLocation: ${elsewhere}/version\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    expect(await get(`${HOSTILE}/version`)).toBe(307);
    expect(stub.seen).toEqual([]);
  });

  test('a cluster that neither answers nor reads takes the share of its users alone', async () => {
    hostile.answer = (socket) => void socket.pause();
    const body = Buffer.alloc(1024 * 1024);
    const pending = Array.from({ length: 2 * SHARE }, () =>
      fetchFrom(`${server.url}${HOSTILE}${PODS}`, { token, method: 'POST', body }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    const first = await Promise.race(pending);
    expect(first).toBe(429);
    expect(await get(`${API}/clusters/west`, bens)).toBe(200);
    for (const socket of hostile.sockets) socket.destroy();
    const codes = await Promise.all(pending);
    expect(codes.every((code) => [0, 429, 503].includes(code))).toBe(true);
    // The share is free once the server has ended what it answered.
    await eventually('a free share', async () => (await get(`${EAST}${PODS}`, east)) === 200);
    await fair();
  });

  test('a response without end is read as fast as its client reads, and ends with it', async () => {
    let sentBytes = 0;
    hostile.answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk)) sentBytes += chunk.length;
        socket.once('drain', more);
      };
      more();
    };
    const slow = await begin(server, `${HOSTILE}${PODS}/a/log`, token);
    slow.pause().on('error', () => undefined);
    await eventually('the cluster waits', async () => {
      const before = sentBytes;
      await fair();
      return sentBytes === before;
    });
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
    slow.destroy();
    await eventually('it ends there too', () =>
      Promise.resolve([...hostile.sockets].every((socket) => socket.bytesWritten < 100_000 || socket.closed)),
    );
  });

  test('nothing is sent to a cluster that ignores impersonation, as everybody would be who the kubeconfig is of', async () => {
    const heads: string[] = [];
    hostile.answer = (socket, head) => {
      heads.push(head);
      socket.end(json(200, {}));
    };
    hostile.reviewed = 'system:admin';
    // The Secret is another's content now: what is known of the cluster is asked anew.
    const data = { config: Buffer.from(`${hostile.kubeconfig}\n`).toString('base64') };
    await sent('PATCH', `${SECRETS}/hostile`, { data });
    const answer = await fetchFrom(`${server.url}${HOSTILE}/version`, { token });
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('impersonation')]);
    expect(heads).toEqual([]);
    hostile.reviewed = undefined;
    expect(await get(`${HOSTILE}/version`)).toBe(200);
    expect(heads).toHaveLength(1);
    expect(heads[0]).toMatch(/^GET \/version HTTP\/1\.1\r\n/);
    expect(heads[0]).toMatch(/impersonate-user: management:anna\r\n/i);
  });

  test.each(['https://169.254.169.254/', 'https://[fe80::1]:6443', 'https://0.0.0.0'])(
    'a kubeconfig leads to no address that the server refuses: %s',
    async (url) => {
      const data = { config: Buffer.from(kubeconfigOf(url, ca())).toString('base64') };
      await sent('PATCH', `${SECRETS}/hostile`, { data });
      const answer = await fetchFrom(`${server.url}${HOSTILE}/version`, { token });
      expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('no address')]);
    },
  );

  const ca = (): string =>
    Buffer.from(
      (
        JSON.parse(hostile.kubeconfig) as {
          clusters: [{ cluster: { 'certificate-authority-data': string } }];
        }
      ).clusters[0].cluster['certificate-authority-data'],
      'base64',
    ).toString();
});
