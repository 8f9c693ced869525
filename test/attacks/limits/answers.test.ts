/** Properties of every response, whatever the path, the protocol and the result. */
import { connect as connectHttp2 } from 'node:http2';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import {
  ADMIN_TOKEN,
  VIEWER_TOKEN,
  fetchFrom,
  type Answer,
  type FetchOptions,
} from '../../fixtures/servers/server.js';

const DEFAULT = '/api/v1/namespaces/default';
const CONFIGMAPS = `${DEFAULT}/configmaps`;
const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';

/** [path, options, status] */
const REQUESTS: [string, FetchOptions, number][] = [
  ...['/', '/api', '/apis', '/version', '/metrics', '/openapi/v2', '/openapi/v3'].map(
    (path): [string, FetchOptions, number] => [path, {}, 200],
  ),
  ...['/healthz', '/livez?verbose', '/readyz', '/readyz/ping'].map((path): [string, FetchOptions, number] => [
    path,
    {},
    200,
  ]),
  ['/readyz/nosuch', {}, 404],
  ['/nosuch', {}, 404],
  ...['/VERSION', '/Metrics', '/APIS', '/Openapi/v2', '/HEALTHZ', '/Api/v1'].map(
    (path): [string, FetchOptions, number] => [path, {}, 404],
  ),
  ['/%zz', {}, 400],
  ['/version%', {}, 400],
  ['/apis/no.such.group', {}, 404],
  ['/apis/no.such.group/v1/things', {}, 404],
  ['/openapi/v3/apis/management.svc.example/v1?hash=old', {}, 301],
  ['/openapi/v2', { headers: { range: 'bytes=999999999-' } }, 416],
  ['/version', { method: 'POST' }, 405],
  ['/version', { method: 'HEAD' }, 200],
  ['/version', { method: 'OPTIONS' }, 405],
  ['/version', { method: 'TRACE' }, 405],
  [DEFAULT, {}, 200],
  [CONFIGMAPS, {}, 200],
  [CONFIGMAPS, { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } }, 200],
  [CONFIGMAPS, { headers: { accept: 'application/vnd.kubernetes.protobuf' } }, 200],
  [CONFIGMAPS, { headers: { accept: 'application/yaml' } }, 200],
  [CONFIGMAPS, { headers: { accept: 'image/png' } }, 406],
  [`${CONFIGMAPS}?watch=true&timeoutSeconds=1`, {}, 200],
  [`${CONFIGMAPS}?labelSelector=%21%21`, {}, 400],
  [CONFIGMAPS, { token: 'nobody' }, 401],
  [CONFIGMAPS, { token: VIEWER_TOKEN }, 403],
  [CONFIGMAPS, { token: '' }, 403],
  [`${CONFIGMAPS}/nosuch`, {}, 404],
  [CONFIGMAPS, { method: 'PUT', body: '{}' }, 405],
  [CONFIGMAPS, { method: 'POST', body: '{' }, 400],
  [CONFIGMAPS, { method: 'POST', body: Buffer.alloc(4 << 20, 0x20) }, 413],
  [CONFIGMAPS, { method: 'POST', body: '{}', headers: { 'content-type': 'text/html' } }, 415],
  [
    CONFIGMAPS,
    { method: 'POST', body: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"!"}}' },
    422,
  ],
  [DEFAULT, { headers: { expect: 'something' } }, 417],
];

/** Bytes that are no valid request, and the expected status line. */
const RAW: [string, string, RegExp][] = [
  ['no HTTP', 'NONSENSE\r\n\r\n', /^HTTP\/1.1 400 /],
  ['an unknown method', 'BREW /version HTTP/1.1\r\nHost: a\r\n\r\n', /^HTTP\/1.1 400 /],
  [
    'headers of 1.1 MB',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1_100_000)}\r\n\r\n`,
    /^HTTP\/1.1 431 /,
  ],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', /^HTTP\/1.1 405 /],
  [
    'an upgrade of a POST',
    'POST /api HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    /^HTTP\/1.1 400 /,
  ],
  ['a bad WebSocket handshake', handshake(''), /^HTTP\/1.1 400 /],
  [
    'a WebSocket',
    handshake('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'),
    /^HTTP\/1.1 101 /,
  ],
  ['an upgrade to something else', handshake('').replace('websocket', 'h2c'), /^HTTP\/1.1 200 /],
];

function handshake(headers: string): string {
  const path = `${CONFIGMAPS}?watch=true&timeoutSeconds=1`;
  const fields = `Host: a\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
  return `GET ${path} HTTP/1.1\r\n${fields}${headers}\r\n`;
}

/** Returns the bytes of the response up to the first empty line, or the end. */
async function exchangeRaw(port: number, text: string): Promise<string> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  let answer = '';
  socket.on('data', (data: Buffer) => {
    answer += data.toString('latin1');
    if (answer.includes('\r\n\r\n')) socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

async function overHttp2(
  port: number,
  sent: Record<string, string>,
  requestToken = ADMIN_TOKEN,
): Promise<Record<string, unknown>> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  try {
    const stream = session.request({ authorization: `Bearer ${requestToken}`, ...sent });
    stream.end();
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    return headers;
  } finally {
    session.destroy();
  }
}

let engine: EngineServer;
const agent = new Agent({ keepAlive: true });
const ask = (path: string, options?: FetchOptions): Promise<Answer> =>
  fetchFrom(`${engine.server.url}${path}`, options);

beforeAll(async () => {
  engine = await startEmbedded();
});
afterAll(async () => {
  agent.destroy();
  await engine.remove();
});

describe('X-Content-Type-Options: nosniff', () => {
  test.each(REQUESTS)('%s %j: %i', async (path, options, status) => {
    const { headers, ...answer } = await ask(path, options);
    expect(answer.status).toBe(status);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBeDefined();
  });

  test.each(RAW)('%s', async (_name, text, statusLine) => {
    const answer = await exchangeRaw(engine.server.port, text);
    expect(answer).toMatch(statusLine);
    expect(answer.match(/^X-Content-Type-Options: nosniff\r$/gim)).toHaveLength(1);
  });

  test.each([
    [{ ':path': '/version' }, 200],
    [{ ':path': '/nosuch' }, 404],
    [{ ':path': `${CONFIGMAPS}?watch=true&timeoutSeconds=1` }, 200],
    [{ ':path': '/version', expect: 'something' }, 417],
    [{ ':method': 'CONNECT', ':authority': 'a:443' }, 405],
    [{ ':path': CONFIGMAPS, authorization: 'Bearer nobody' }, 401],
  ])('%j over HTTP/2', async (headers, status) => {
    const answer = await overHttp2(engine.server.port, headers);
    expect(answer).toMatchObject({ ':status': status, 'x-content-type-options': 'nosniff' });
  });
});

describe('an invalid timeout', () => {
  const PATHS = [
    '/',
    '/version',
    '/api',
    '/apis',
    '/apis/management.svc.example',
    '/openapi/v2',
    '/openapi/v3',
    '/metrics',
    '/healthz',
    '/livez',
    '/readyz/ping',
    '/nosuch',
    '/apis/no.such.group/v1/things',
    DEFAULT,
    CONFIGMAPS,
    SECRETS,
    `${SECRETS}/nosuch`,
    '/kubernetes/management/version',
  ];
  test.each(PATHS)('%s', async (path) => {
    for (const query of ['timeout=soon', '%74imeout=soon', 'a=b&timeout=1', 'timeout=x&timeout=1s'])
      for (const [method, token] of [
        ['GET', ADMIN_TOKEN],
        ['DELETE', ''],
        ['OPTIONS', 'nobody'],
      ] as const) {
        const answer = await ask(`${path}?${query}`, { method, token, agent });
        expect(answer.status).toBe(400);
        const said = /^invalid timeout specified in the request URL - time: /;
        expect(JSON.parse(answer.text)).toMatchObject({
          kind: 'Status',
          reason: 'BadRequest',
          message: expect.stringMatching(said) as unknown,
        });
      }
  });
  test.each(['', '?timeout=', '?timeout=32s', '?timeout=0', '?timeout=-1s', '?xtimeout=soon', '?a=timeout'])(
    'nothing else is refused: %s',
    async (query) => {
      for (const path of ['/version', '/apis', '/readyz', DEFAULT])
        expect((await ask(`${path}${query}`)).status).toBe(200);
    },
  );
  test('a watch has its own timeout', async () => {
    const path = `${CONFIGMAPS}?watch=true&timeoutSeconds=1&timeout=soon`;
    expect((await ask(path)).status).toBe(200);
  });
});

describe('?export=', () => {
  test.each(['export=false', 'export=0', 'export=FALSE', 'export=false&export=true', 'Export=true'])(
    '%s is taken',
    async (query) => {
      expect((await ask(`${DEFAULT}?${query}`)).status).toBe(200);
    },
  );
  test.each(['export=true', 'export=1', 'export', 'export=', 'export=no', 'export=true&export=false'])(
    '%s is refused where one object is read',
    async (query) => {
      expect((await ask(`${DEFAULT}?${query}`)).status).toBe(400);
      expect((await ask(`${CONFIGMAPS}?${query}`)).status).toBe(200);
    },
  );
});
