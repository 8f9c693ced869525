/** A request releases its slots, whatever its result, and whenever its client disconnects. */
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openCuttingPort, type CuttingPort } from '../../fixtures/clients/cutconnection.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { randomNumbers } from '../../fixtures/clients/random.js';
import { fetchFrom, VIEWER_TOKEN } from '../../fixtures/servers/server.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const REQUESTS = 10_000;
const AT_A_TIME = 24;
const ON_ONE_CONNECTION = 20;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const json = { 'content-type': 'application/json' };
const review = JSON.stringify({ spec: { nonResourceAttributes: { path: '/', verb: 'get' } } });
const configMap = JSON.stringify({ metadata: { generateName: 'cut-' }, data: { a: 'x'.repeat(20_000) } });
const KINDS: readonly Sent[] = [
  `${MAPS}/large`,
  MAPS,
  `${MAPS}?limit=1`,
  `${MAPS}?watch=1&resourceVersion=0&sendInitialEvents=true`,
  '/version',
  '/apis',
  '/api',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/metrics',
  '/readyz',
  '/nothing/here',
  '/apis/nothing.example/v1',
  '/.well-known/openid-configuration',
  '/%',
  '/auth/login',
].map((path) => ({ method: 'GET', path }));
const OTHERS: readonly Sent[] = [
  ...['/version', '/openapi/v2', `${MAPS}/large`].map((path) => ({ method: 'HEAD', path })),
  { method: 'GET', path: '/openapi/v2', headers: { 'accept-encoding': 'gzip' } },
  { method: 'GET', path: MAPS, headers: { 'accept-encoding': 'gzip' } },
  { method: 'GET', path: MAPS, headers: { authorization: 'Bearer wrong' } },
  { method: 'GET', path: '/version', headers: { authorization: '' } },
  { method: 'POST', path: REVIEWS, headers: json, body: review },
  { method: 'POST', path: REVIEWS, headers: { ...json, expect: '100-continue' }, body: review },
  { method: 'POST', path: MAPS, headers: json, body: configMap },
  { method: 'POST', path: '/version', headers: json, body: review },
  { method: 'PATCH', path: `${MAPS}/none`, headers: { 'content-type': 'a/b' }, body: configMap },
  { method: 'DELETE', path: `${MAPS}/none` },
  { method: 'OPTIONS', path: '/version' },
];
const NO_WEB_SOCKET = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
const WEB_SOCKET = { ...NO_WEB_SOCKET, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
const FROM_START = '?watch=1&resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const UPGRADES: readonly Sent[] = [
  ...[`${MAPS}?watch=1`, MAPS + FROM_START].map((path) => ({ method: 'GET', path, headers: WEB_SOCKET })),
  { method: 'GET', path: `${MAPS}?watch=1`, headers: NO_WEB_SOCKET },
  { method: 'GET', path: '/version', headers: WEB_SOCKET },
  { method: 'GET', path: '/openapi/v2', headers: { connection: 'Upgrade', upgrade: 'other' } },
  { method: 'GET', path: `${MAPS}/large`, headers: WEB_SOCKET },
];

/** A client that was reset during a write is not always notified that its connection has ended. */
const GIVEN_UP_MS = 3_000;

/** Resolves when the connection is closed, also after an error, with which `once` would reject. */
const gone = (connection: NodeJS.EventEmitter): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, GIVEN_UP_MS);
    connection.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });

let running: EngineServer;
let cutting: CuttingPort;
const random = randomNumbers(13);
const upTo = (most: number): number => Math.floor(random() * most);
const oneOf = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;

beforeAll(async () => {
  running = await startEmbedded();
  const { url, port } = running.server;
  const rbac = `${url}/apis/rbac.authorization.k8s.io/v1`;
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }];
  const posts: [string, object][] = [
    [`${rbac}/clusterroles`, { metadata: { name: 'maps' }, rules }],
    [
      `${rbac}/clusterrolebindings`,
      {
        metadata: { name: 'maps' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'maps' },
        subjects: [{ kind: 'User', name: 'viewer' }],
      },
    ],
    [`${url}${MAPS}`, { metadata: { name: 'large' }, data: { a: 'x'.repeat(300_000) } }],
  ];
  for (const [path, body] of posts)
    await fetchFrom(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
  cutting = await openCuttingPort(port, () => ({
    // A handshake has about 2 KiB in each direction.
    sent: 500 + upTo(random() < 0.3 ? 3_000 : 60_000),
    received: 1_000 + upTo(random() < 0.3 ? 5_000 : 2_000_000),
    reset: random() < 0.5,
  }));
});
afterAll(async () => {
  await cutting.close();
  await running.remove();
});

/** The metrics of the slots in use, including that of this request. */
async function held(): Promise<Record<string, number>> {
  const { text } = await fetchFrom(`${running.server.url}/metrics`);
  const gauges = text.matchAll(
    /^(apiserver_current_inflight_requests|apiserver_flowcontrol_current_\w+|apiserver_longrunning_requests)(\{.*\})? (\d+)$/gm,
  );
  return Object.fromEntries(
    [...gauges].map(([, name = '', labels = '', value]) => [name + labels, Number(value)]),
  );
}

async function expectNothingHeld(): Promise<void> {
  const nothing: Record<string, number> = {
    'apiserver_current_inflight_requests{request_kind="readOnly"}': 1,
  };
  // A response whose client is gone undetectably is cut off after a minute.
  const until = Date.now() + 75_000;
  for (;;) {
    const now = await held();
    expect(Object.keys(now)).toHaveLength(9);
    const wanted = Object.fromEntries(Object.keys(now).map((name) => [name, nothing[name] ?? 0]));
    if (Date.now() > until) return expect(now).toEqual(wanted);
    if (JSON.stringify(now) === JSON.stringify(wanted)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const headersOf = ({ headers }: Sent): Record<string, string> => {
  const all: Record<string, string> = { authorization: `Bearer ${VIEWER_TOKEN}`, ...headers };
  if (all.authorization === '') delete all.authorization;
  return all;
};

function text(sent: Sent): string {
  const { method, path, body } = sent;
  const headers = Object.entries({ host: 'x', ...headersOf(sent) });
  if (body !== undefined) headers.push(['content-length', String(body.length)]);
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${method} ${path} HTTP/1.1\r\n${head}\r\n${body ?? ''}`;
}

/** Resolves when the connection is closed; the client closes it after a while. */
async function overHttp1(requests: readonly Sent[], port: number): Promise<void> {
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
  socket.on('error', () => undefined).resume();
  socket.write(requests.map(text).join(''));
  if (random() < 0.2) socket.end();
  const leaves = setTimeout(() => socket.destroy(), upTo(300));
  await gone(socket);
  clearTimeout(leaves);
}

async function overHttp2(requests: readonly Sent[], port: number): Promise<void> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  for (const sent of requests) {
    const stream = session.request({ ':method': sent.method, ':path': sent.path, ...headersOf(sent) });
    stream.on('error', () => undefined);
    const fate = random();
    if (fate < 0.3) stream.pause();
    else stream.resume();
    if (sent.body !== undefined && fate < 0.5) stream.write(sent.body.slice(0, upTo(sent.body.length)));
    else stream.end(sent.body);
    if (fate > 0.6 && fate < 0.7) stream.close(constants.NGHTTP2_CANCEL);
    if (fate >= 0.7) setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), upTo(100));
  }
  const leaves = setTimeout(() => session.destroy(), upTo(300));
  await gone(session);
  clearTimeout(leaves);
}

const batch = (kinds: readonly Sent[]): Sent[] =>
  Array.from({ length: 1 + upTo(2 * ON_ONE_CONNECTION - 1) }, () => oneOf(kinds));

test('requests that are cut at random bytes', async () => {
  let made = 0;
  const client = async (): Promise<void> => {
    while (made < REQUESTS) {
      const fate = random();
      const port = fate < 0.5 ? cutting.port : running.server.port;
      const requests = batch([...KINDS, ...OTHERS]);
      if (random() < 0.2) requests.push(oneOf(UPGRADES));
      const only = random() < 0.1 ? [oneOf(UPGRADES)] : requests;
      made += only.length;
      await (random() < 0.5
        ? overHttp1(only, port)
        : overHttp2(
            only.filter(({ headers }) => headers?.upgrade === undefined),
            port,
          ));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, client));
  expect(running.server.isRunning() ? '' : running.server.log().slice(-4000)).toBe('');
  await expectNothingHeld();
  const again = await fetchFrom(`${running.server.url}${MAPS}/large`, { token: VIEWER_TOKEN });
  expect(again.status).toBe(200);
  expect(running.server.log()).not.toMatch(/"level":"(error|fatal)"/);
});

test('a WebSocket that was opened', async () => {
  for (const path of [`${MAPS}?watch=1`, MAPS + FROM_START]) {
    const { port } = running.server;
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => undefined).write(text({ method: 'GET', path, headers: WEB_SOCKET }));
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString('latin1')).toMatch(/^HTTP\/1\.1 101 /);
    const taken = Object.entries(await held()).filter(([name]) => name.endsWith('="watches"}'));
    expect(taken.some(([, count]) => count === 1)).toBe(true);
    socket.destroy();
    await expectNothingHeld();
  }
});

test('an upgrade behind an answer that is under way', async () => {
  const { port } = running.server;
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined).resume();
  const watch = `${MAPS}?watch=1`;
  socket.write(text({ method: 'GET', path: watch }) + text(oneOf(UPGRADES)));
  await gone(socket);
  await expectNothingHeld();
});

test('requests in line are answered one after another, and not more than a hundred wait', async () => {
  const { port } = running.server;
  const version: Sent = { method: 'GET', path: '/version' };
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  let received = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.write(text(version).repeat(50) + text({ ...version, headers: { connection: 'close' } }));
  await gone(socket);
  expect(received.match(/HTTP\/1.1 200 OK/g)).toHaveLength(51);
  const flood = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  flood.on('error', () => undefined).resume();
  flood.write(text({ method: 'GET', path: `${MAPS}?watch=1` }) + text(version).repeat(200));
  await gone(flood);
  await expectNothingHeld();
});
