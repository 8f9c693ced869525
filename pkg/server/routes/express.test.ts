import { connect, type ClientHttp2Session } from 'node:http2';
import { Agent, request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StatusError } from '../../apimachinery/errors.js';
import type { DiscoveryDocuments } from './discovery.js';
import { createOther } from './nonresource.js';
import type { Handler } from '../httpexchange.js';
import type { HealthCheck } from './health.js';
import { listen, type Listener } from '../listener/listener.js';
import { createActivity } from '../activity.js';
import { createMetrics } from '../metrics/metrics.js';
import { issueAuthority, issueServing } from '../../pki/issue.js';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
  readonly text: string;
}

type Fetch = (path: string, headers?: Record<string, string>, method?: string) => Promise<Answer>;

const answerOf = (status: number, headers: Answer['headers'], chunks: Buffer[]): Answer => {
  const body = Buffer.concat(chunks);
  return { status, headers, body, text: body.toString() };
};

let listener: Listener;
let session: ClientHttp2Session;
let down = false;
const agent = new Agent({ keepAlive: true });
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const checks: HealthCheck[] = [
  { name: 'ping', check: () => undefined },
  {
    name: 'etcd',
    check: () => {
      if (down) throw new Error('no answer');
    },
  },
];
const discovery: DiscoveryDocuments = {
  apiVersions: { kind: 'APIVersions', versions: ['v1'] },
  groupList: { kind: 'APIGroupList', groups: [] },
  aggregatedCore: { kind: 'APIGroupDiscoveryList', items: ['core'] },
  aggregatedGroups: { kind: 'APIGroupDiscoveryList', items: [] },
  group: (name) => (name === 'g.example' ? { kind: 'APIGroup', name } : undefined),
  resourceList: (group, version) => (version === 'v1' ? { kind: 'APIResourceList', group } : undefined),
};
const openapi = {
  paths: ['api/v1', 'apis/g.example/v1'],
  v2: () => ({ swagger: '2.0', filler: 'x'.repeat(200_000) }),
  v2Protobuf: () => Buffer.from('binary'),
  v3: (path: string) => ({ openapi: '3.0.0', path }),
  v3Protobuf: (path: string) => Buffer.from(path),
};

beforeAll(async () => {
  const authority = await issueAuthority('test');
  const pair = await issueServing(authority, ['127.0.0.1']);
  const other = createOther({
    definitions: [],
    discovery,
    openapi,
    health: [{ name: 'healthz', checks }],
    reportFailure: () => undefined,
    flags: {},
    issuer: { url: () => 'https://issuer.example/', keys: { published: () => [{ kid: 'k' }] } },
    metrics: createMetrics({ watches: { size: 3, sent: () => [] }, activity: createActivity() }),
  });
  // As in the server: a Status error rejects.
  const handler: Handler = async (exchange) => {
    try {
      await other(exchange);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      exchange.response.statusCode = error.code;
      exchange.response.end(JSON.stringify(error.status));
    }
  };
  listener = await listen({
    address: '127.0.0.1',
    port: 0,
    tls: { key: pair.key, cert: pair.certificate },
    clientCertificates: false,
    handler,
    failed: () => undefined,
  });
  session = connect(`https://127.0.0.1:${listener.port}`, { rejectUnauthorized: false });
});
afterAll(async () => {
  session.close();
  agent.destroy();
  await listener.drain(0);
});

const http1: Fetch = (path, headers = {}, method = 'GET') =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: listener.port, path, headers, method, agent };
    request({ ...options, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(answerOf(response.statusCode ?? 0, response.headers, chunks)));
    })
      .on('error', reject)
      .end();
  });

const http2: Fetch = (path, headers = {}, method = 'GET') =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, ':method': method, ...headers });
    const chunks: Buffer[] = [];
    let received: Record<string, string | string[] | undefined> = {};
    stream.on('response', (fields) => (received = fields as typeof received));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve(answerOf(Number(received[':status']), received, chunks)));
    stream.on('error', reject);
    stream.end();
  });

describe.each<[string, Fetch]>([
  ['HTTP/1.1', http1],
  ['HTTP/2', http2],
])('over %s', (_name, get) => {
  test.each([
    ['/healthz', 'ok'],
    ['/healthz?verbose', '[+]ping ok\n[+]etcd ok\nhealthz check passed\n'],
    ['/healthz?verbose&exclude=etcd', '[+]ping ok\n[+]etcd excluded: ok\nhealthz check passed\n'],
    [
      '/healthz?verbose&exclude=nosuch&exclude=other',
      '[+]ping ok\n[+]etcd ok\nwarn: some health checks cannot be excluded: no matches for "nosuch", "other"\nhealthz check passed\n',
    ],
    ['/healthz/ping', 'ok'],
    ['/kubernetes/management/healthz', 'ok'],
  ])('%s', async (path, text) => {
    const answer = await get(path);
    expect(answer).toMatchObject({ status: 200, text });
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache, private');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  test('health checks fail with a failing check', async () => {
    down = true;
    try {
      const text = '[+]ping ok\n[-]etcd failed: reason withheld\nhealthz check failed\n';
      expect(await get('/healthz')).toMatchObject({ status: 500, text });
      expect(await get('/healthz/etcd')).toMatchObject({
        status: 500,
        text: 'internal server error: no answer\n',
      });
      expect(await get('/healthz?exclude=etcd')).toMatchObject({ status: 200, text: 'ok' });
    } finally {
      down = false;
    }
  });

  test.each([
    ['/nosuch'],
    ['/healthz/nosuch'],
    ['/healthzz'],
    ['/apis/nosuch'],
    ['/apis/nosuch/v1'],
    ['/apis/g.example/v1/x/y'],
  ])('%s is not found', async (path) => {
    const answer = await get(path);
    expect(answer).toMatchObject({ status: 404, text: '404 page not found\n' });
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('paths answer to their methods alone', async () => {
    expect(await get('/healthz', {}, 'POST')).toMatchObject({ status: 200, text: 'ok' });
    expect(await get('/healthz', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect(await get('/version', {}, 'POST')).toMatchObject({ status: 405 });
    expect(await get('/apis', {}, 'DELETE')).toMatchObject({ status: 405 });
    expect(await get('/apis/g.example/v9')).toMatchObject({
      status: 404,
      text: expect.stringContaining('"Status"'),
    });
    expect(await get('/apis/%zz')).toMatchObject({
      status: 400,
      text: expect.stringContaining('BadRequest'),
    });
  });

  test('version, index and metrics', async () => {
    const version = await get('/version/');
    expect(JSON.parse(version.text)).toMatchObject({
      major: '1',
      minor: '37',
      gitVersion: 'v1.37.0+management0.1.0',
    });
    expect(version.text).toContain('{\n  "');
    expect(JSON.parse((await get('/')).text)).toMatchObject({
      paths: expect.arrayContaining(['/healthz/etcd']),
    });
    expect((await get('/metrics')).text).toContain('apiserver_longrunning_requests 3');
  });

  test('discovery is served', async () => {
    expect(await get('/apis')).toMatchObject({ status: 200, text: '{"kind":"APIGroupList","groups":[]}\n' });
    expect((await get('/apis/g.example/v1/', { accept: 'application/yaml' })).headers['content-type']).toBe(
      'application/yaml',
    );
    expect((await get('/api/v1?pretty=true')).text).toContain('\n  ');
    const aggregated = await get('/apis', { accept: `${AGGREGATED},application/json` });
    expect(aggregated.headers).toMatchObject({
      'content-type': AGGREGATED,
      'cache-control': 'public',
      vary: 'Accept',
    });
    const etag = String(aggregated.headers.etag);
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(await get('/apis', { accept: AGGREGATED, 'if-none-match': etag })).toMatchObject({
      status: 304,
      text: '',
    });
    expect(await get('/apis', { accept: AGGREGATED, 'if-none-match': '*' })).toMatchObject({ status: 200 });
    expect(await get('/apis', { accept: 'text/html' })).toMatchObject({ status: 406 });
  });

  test('OpenAPI v3 is served', async () => {
    const index = await get('/openapi/v3', { accept: 'text/html' });
    expect(index.headers['content-type']).toBe('text/plain; charset=utf-8');
    const { paths } = JSON.parse(index.text) as { paths: Record<string, { serverRelativeURL: string }> };
    const url = paths['apis/g.example/v1']?.serverRelativeURL ?? '';
    const current = await get(url);
    expect(current).toMatchObject({ status: 200, text: '{"openapi":"3.0.0","path":"apis/g.example/v1"}' });
    expect(current.headers).toMatchObject({ 'cache-control': 'public, immutable', vary: 'Accept' });
    expect(await get(`${url.slice(0, -3)}000`)).toMatchObject({
      status: 301,
      text: '',
      headers: { location: url },
    });
    const etag = String(current.headers.etag);
    expect(await get('/openapi/v3/apis/g.example/v1', { 'if-none-match': etag })).toMatchObject({
      status: 304,
    });
    for (const path of ['/openapi/v3/apis/no.such.group/v1', '/openapi/v3/nonsense']) {
      expect(await get(path)).toMatchObject({ status: 404, text: '' });
    }
    expect(await get(url, { accept: 'text/html' })).toMatchObject({ status: 406, text: '' });
  });

  test('OpenAPI v2 is served, compressed if accepted', async () => {
    const plain = await get('/openapi/v2', { accept: '*/*' });
    expect(plain.headers).toMatchObject({
      vary: 'Accept-Encoding, Accept',
      'content-type': 'application/json',
    });
    const zipped = await get('/openapi/v2', { 'accept-encoding': 'gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
    expect(await get('/openapi/v2', { accept: 'text/html' })).toMatchObject({ status: 406, text: '' });
    const proto = 'application/com.github.proto-openapi.spec.v2';
    for (const accept of [`${proto}@v1.0+protobuf`, `text/html, ${proto}.v1.0+protobuf, */*;q=0.1`]) {
      const binary = await get('/openapi/v2', { accept });
      expect(binary).toMatchObject({ status: 200, text: 'binary' });
      expect(binary.headers['content-type']).toBe(`${proto}.v1.0+protobuf`);
      expect(binary.headers.etag).toBe(plain.headers.etag);
    }
  });
});
