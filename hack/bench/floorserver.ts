/**
 * The least that a server in Node does for the rows of this benchmark: as many bytes over the same kind of listener,
 * from memory, without authentication or storage, whatever is sent. What it needs is the cost of TLS, HTTP and the
 * machine. Started with the port to listen on.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { issueAuthority, issueServing } from '../../pkg/pki/issue.js';
import { nameOf, objectBody } from './objects.js';

interface Answer {
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

/** As long as our server's: what it adds to the object as sent. */
const ADDED = `"metadata":{"uid":"${'0'.repeat(36)}","creationTimestamp":"2026-01-01T00:00:00Z","generation":1,"resourceVersion":"100000",`;
const LABEL_SELECTED = 100;
/** Number of objects in each namespace. */
const counts = new Map<string, number>();
const lists = new Map<number, Answer>();
const watches = new Set<ServerResponse>();
const objectText = (index: number): string =>
  objectBody('floor', nameOf(index), index).replace('"metadata":{', ADDED);
const object = Buffer.from(objectText(0));
const eventOf = (text: string): Buffer => Buffer.from(`{"type":"MODIFIED","object":${text}}\n`);
const event = eventOf(objectText(0));
let revision = 100_000;

function listOf(count: number): Answer {
  const known = lists.get(count);
  if (known !== undefined) return known;
  const items = Array.from({ length: count }, (_, index) => objectText(index)).join();
  const plain = Buffer.from(`{"metadata":{"resourceVersion":"1"},"items":[${items}]}\n`);
  const list = { plain, gzip: gzipSync(plain, { level: 1 }) };
  lists.set(count, list);
  return list;
}

function send(response: ServerResponse, body: Buffer, encoding?: 'gzip'): void {
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...(encoding && { 'Content-Encoding': encoding }),
  });
  response.end(body);
}

/** `initial`: objects to begin with, before the bookmark that ends them. */
function watch(response: ServerResponse, initial: number): void {
  watches.add(response);
  response.once('close', () => watches.delete(response));
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.flushHeaders();
  for (let sent = 0; sent < initial; sent++) response.write(event);
  if (initial > 0) response.write('{"type":"BOOKMARK","object":{"k8s.io/initial-events-end":"true"}}\n');
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://floor');
  const [, namespace = '', name] = /\/namespaces\/([^/]+)\/[^/]+(\/[^/]+)?$/.exec(pathname) ?? [];
  if (method === 'POST') counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  if (method === 'PATCH') {
    revision += 1;
    const text = objectText(0).replace('"100000"', `"${revision}"`);
    const changed = eventOf(text);
    for (const each of watches) each.write(changed);
    return send(response, Buffer.from(text));
  }
  if (searchParams.has('watch')) {
    return watch(response, searchParams.has('sendInitialEvents') ? (counts.get(namespace) ?? 0) : 0);
  }
  if (method !== 'GET' || name !== undefined || namespace === '') return send(response, object);
  const most = searchParams.has('labelSelector') ? LABEL_SELECTED : Number(searchParams.get('limit') ?? 1e9);
  const list = listOf(Math.min(most, counts.get(namespace) ?? 0));
  if (headers['accept-encoding'] === 'gzip') send(response, list.gzip, 'gzip');
  else send(response, list.plain);
}

const authority = await issueAuthority('floor');
const { certificate: cert, key } = await issueServing(authority, ['localhost', '127.0.0.1']);
const server = createSecureServer({ key, cert, allowHTTP1: true });
server.on('secureConnection', (socket) => void socket.setNoDelay(true));
server.on('request', (request, response) => {
  const one = { request, response } as unknown as { request: IncomingMessage; response: ServerResponse };
  one.request.on('end', () => answer(one.request, one.response)).resume();
});
server.listen(Number(process.argv[2]), '127.0.0.1');
