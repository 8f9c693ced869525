import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { createServer } from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../api/resource.js';
import { failure } from '../../../apimachinery/errors.js';
import { decodeYaml, encodeYaml } from '../../../apimachinery/encoding/yaml/yaml.js';
import { issueAuthority, issueServing } from '../../../pki/issue.js';
import { addressPolicy, parseNetwork } from './addresspolicy.js';
import { clusterClient, type ClusterSources } from './clusters.js';
import { connectionOf } from './connection.js';
import { AnswerTooLarge } from './interface.js';
import { checkKubeconfig as check } from './kubeconfig.js';

const checkKubeconfig = (text: string) => check(() => decodeYaml(text));

const LOOPBACK = addressPolicy([parseNetwork('127.0.0.0/8') ?? { address: '::1', prefix: 128 }]);

let server: Server;
let authority: string;
let strangers: string;
const requests: IncomingMessage[] = [];

/** Texts that take long to read. */
const LONG: Readonly<Record<string, () => string>> = {
  '/lists': () => `{"a":[${'[],'.repeat(140_000)}0]}`,
  '/objects': () => `{"a":[${'{},'.repeat(140_000)}0]}`,
  '/nested': () => `{"a":[${`${'['.repeat(90)}${']'.repeat(90)},`.repeat(1_500)}0]}`,
  '/members': () => `{${'"k":0,'.repeat(400_000)}"l":0}`,
  '/text': () => JSON.stringify({ a: 'x'.repeat(5 * 1024 * 1024) }),
};

function answer(request: IncomingMessage, response: ServerResponse): void {
  requests.push(request);
  if (request.url === '/never') return;
  if (request.url === '/breaks') return void response.socket?.destroy();
  if (request.url === '/switches')
    return void response.socket?.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    );
  if (request.url === '/moved') return void response.writeHead(302, { location: '/version' }).end();
  if (request.url === '/words') return void response.writeHead(200).end('ok');
  const long = LONG[request.url ?? ''];
  if (long !== undefined) return void response.writeHead(200).end(long());
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, headers } = request;
    const body = Buffer.concat(chunks).toString();
    response.writeHead(request.url === '/missing' ? 404 : 200);
    response.end(
      JSON.stringify({ method, token: headers.authorization, type: headers['content-type'], body }),
    );
  });
}

beforeAll(async () => {
  const ca = await issueAuthority('test');
  authority = ca.certificate;
  strangers = (await issueAuthority('other')).certificate;
  const { certificate, key } = await issueServing(ca, ['127.0.0.1']);
  server = createServer({ cert: certificate, key }, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

const portOf = (): number => (server.address() as AddressInfo).port;

function kubeconfig(token: string, { port = portOf(), ca = authority } = {}): string {
  return encodeYaml({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [
      {
        name: 'k',
        cluster: {
          server: `https://127.0.0.1:${port}`,
          'certificate-authority-data': Buffer.from(ca).toString('base64'),
        },
      },
    ],
    users: [{ name: 'u', user: { token } }],
  });
}

/** Clusters and Secrets that a test may change. */
function sources(policy = LOOPBACK) {
  const secrets = new Map<string, Record<string, string>>();
  const clusters = new Map<string, object>([
    ['east', { config: { secretName: 'east', secretNamespace: 'ns', key: 'config' } }],
    ['bare', {}],
  ]);
  const object = (more: object): KubeObject => ({ kind: '', apiVersion: '', metadata: {}, ...more });
  const put = (text: string): void => {
    secrets.set('ns/east', { config: Buffer.from(text).toString('base64') });
  };
  const cluster: ClusterSources['cluster'] = (name) => {
    const found = clusters.get(name);
    if (found === undefined) return Promise.resolve(undefined);
    const { metadata = {}, ...spec } = found as { metadata?: object };
    return Promise.resolve(object({ spec, metadata }) as Cluster);
  };
  const secret: ClusterSources['secret'] = ({ namespace, name }) => {
    const data = secrets.get(`${namespace}/${name}`);
    return Promise.resolve(data && object({ data }));
  };
  const readYaml: ClusterSources['readYaml'] = (text) => Promise.resolve(() => decodeYaml(text));
  const verdicts = new Map<string, string>();
  const check: ClusterSources['check'] = () => {
    const why = verdicts.get('east');
    return Promise.resolve(why === undefined ? { holds: true } : { holds: false, why });
  };
  const dialed: string[] = [];
  const away = new Set<string>();
  const dial: ClusterSources['dial'] = async (name) => {
    dialed.push(name);
    if (away.has(name)) throw failure('ServiceUnavailable', 'no agent is connected', {});
    const socket = connect(portOf(), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const agents: ClusterSources['agents'] = () => undefined;
  const local = undefined;
  const byAgent: ClusterSources['byAgent'] = () => undefined;
  const followAgents: ClusterSources['followAgents'] = () => () => undefined;
  const sources = { cluster, secret, check, readYaml, dial, agents, followAgents, byAgent, local };
  const client = clusterClient(sources, policy);
  return { client, put, clusters, secrets, verdicts, dialed, away };
}

describe('a cluster connected through the tunnel of its agent', () => {
  const metadata = { annotations: { 'management.svc.example/api-server-tunnel': 'true' } };
  /** Permits no address, and the kubeconfig names a port that nothing listens on. */
  function tunnelled(ca = authority) {
    const all = sources(addressPolicy([]));
    all.clusters.set('east', { ...all.clusters.get('east'), metadata });
    all.put(kubeconfig('one', { port: 1, ca }));
    return all;
  }

  test('gets requests with the credentials of its kubeconfig', async () => {
    const { client, dialed } = tunnelled();
    const connection = await client.connect('east');
    const { object } = await connection.request({ method: 'GET', path: '/version' });
    expect([object.token, dialed]).toEqual(['Bearer one', ['east']]);
    // The connection is kept alive.
    await connection.request({ method: 'GET', path: '/version' });
    expect(dialed).toEqual(['east']);
    client.close();
  });

  test('gets no credentials if its certificate is of another authority', async () => {
    const { client } = tunnelled(strangers);
    const before = requests.length;
    const asked = (await client.connect('east')).request({ method: 'GET', path: '/version' });
    await expect(asked).rejects.toMatchObject({ code: 504 });
    expect(requests.length).toBe(before);
  });

  test('is reported as unreachable while no agent is connected', async () => {
    const { client, away } = tunnelled();
    away.add('east');
    const connection = await client.connect('east');
    const message = 'cluster "east" cannot be reached: no agent is connected';
    const asked = connection.request({ method: 'GET', path: '/version' });
    await expect(asked).rejects.toMatchObject({ code: 504, message });
    away.clear();
    expect((await connection.request({ method: 'GET', path: '/version' })).status).toBe(200);
    client.close();
  });

  test('is reconnected when the annotation changes', async () => {
    const { client, clusters, dialed } = tunnelled();
    const before = await client.connect('east');
    clusters.set('east', { ...clusters.get('east'), metadata: {} });
    const after = await client.connect('east');
    expect(after).not.toBe(before);
    await expect(after.request({ method: 'GET', path: '/version' })).rejects.toMatchObject({ code: 400 });
    expect(dialed).toEqual([]);
  });
});

describe('a connected cluster', () => {
  test('gets no requests after the right to its kubeconfig has ended', async () => {
    const { client, put, verdicts } = sources();
    put(kubeconfig('one'));
    const before = await client.connect('east');
    verdicts.set('east', 'anna may not');
    await expect(client.connect('east')).rejects.toMatchObject({
      code: 400,
      why: 'anna may not',
      message: 'cluster "east": the right that its kubeconfig was used by has ended',
    });
    verdicts.clear();
    expect(await client.connect('east')).not.toBe(before);
  });

  test('gets requests with its token, and any status is returned', async () => {
    const { client, put } = sources();
    put(kubeconfig('one'));
    const connection = await client.connect('east');
    expect(await connection.request({ method: 'GET', path: '/version' })).toEqual({
      status: 200,
      object: { method: 'GET', token: 'Bearer one', body: '' },
    });
    const contentType = 'application/merge-patch+json';
    expect(
      await connection.request({ method: 'PATCH', path: '/missing', body: { a: 1 }, contentType }),
    ).toEqual({
      status: 404,
      object: { method: 'PATCH', token: 'Bearer one', type: contentType, body: '{"a":1}' },
    });
    expect(await connection.request({ method: 'GET', path: '/words' })).toEqual({ status: 200, object: {} });
    expect(await connection.request({ method: 'GET', path: '/moved' })).toEqual({ status: 302, object: {} });
    client.close();
  });

  test('gets requests over one connection until its kubeconfig changes', async () => {
    const { client, put } = sources();
    const portNow = async (): Promise<number | undefined> => {
      await (await client.connect('east')).request({ method: 'GET', path: '/version' });
      return requests.at(-1)?.socket.remotePort;
    };
    put(kubeconfig('one'));
    const first = await portNow();
    expect(await portNow()).toBe(first);
    put(kubeconfig('two'));
    expect(await portNow()).not.toBe(first);
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer two');
    client.close();
  });

  test.each<[string, string, () => { text?: string }, number, string]>([
    ['that is not there', 'west', () => ({}), 404, 'clusters.management.svc.example "west" not found'],
    [
      'without a Secret',
      'bare',
      () => ({}),
      400,
      'cluster "bare" has no kubeconfig: spec.config names no Secret, and no agent is connected',
    ],
    [
      'whose Secret is not there',
      'east',
      () => ({}),
      400,
      'cluster "east" has no kubeconfig: there is no Secret ns/east',
    ],
    [
      'whose kubeconfig is refused',
      'east',
      () => ({ text: kubeconfig('t').replace('token: t', 'exec: {command: "true"}') }),
      400,
      'the kubeconfig of cluster "east" in Secret ns/east, key "config" is refused: users[0].user.exec: Forbidden: may hold only client-certificate-data, client-key-data, token',
    ],
  ])('%s is told as what it is', async (_what, name, given, code, message) => {
    const { client, put } = sources();
    const { text } = given();
    if (text !== undefined) put(text);
    await expect(client.connect(name)).rejects.toMatchObject({ code, message });
  });

  test.each<readonly [string, string, { port?: number; ca?: string }, string | RegExp]>([
    ['that breaks off', '/breaks', {}, 'ECONNRESET'],
    ['that changes the protocol', '/switches', {}, /.+/],
    ['whose certificate is of another', '/version', { ca: 'strangers' }, /^[A-Z_]*(CERT|SIGNATURE)[A-Z_]*$/],
    ['that nobody serves', '/version', { port: 1 }, 'ECONNREFUSED'],
    ['that does not answer', '/never', {}, 'it did not answer in time'],
    ...Object.keys(LONG).map(
      (path) => ['whose answer would take long to read', path, {}, 'the answer is too large'] as const,
    ),
  ])('%s is a 504 that names it', async (_what, path, more, why) => {
    const ca = more.ca === undefined ? authority : strangers;
    const checked = checkKubeconfig(kubeconfig('t', { port: more.port ?? portOf(), ca }));
    if (!('credentials' in checked)) throw new Error('refused');
    // Long enough for all that does answer.
    const timeoutMs = path === '/never' ? 500 : 60_000;
    const connection = connectionOf('cluster "far"', checked.credentials, LOOPBACK, timeoutMs);
    const head = 'cluster "far" cannot be reached: ';
    const failed = await connection.request({ method: 'GET', path }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 504, status: { reason: 'Timeout' } });
    const { message } = failed as Error;
    expect(message.startsWith(head)).toBe(true);
    expect(message.slice(head.length)).toMatch(why);
    expect(failed instanceof AnswerTooLarge).toBe(why === 'the answer is too large');
    connection.close();
  });

  test('is verified regardless of NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const checked = checkKubeconfig(kubeconfig('t', { ca: strangers }));
      if (!('credentials' in checked)) throw new Error('refused');
      const connection = connectionOf('cluster "far"', checked.credentials, LOOPBACK, 2_000);
      await expect(connection.request({ method: 'GET', path: '/version' })).rejects.toMatchObject({
        code: 504,
      });
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });
});
