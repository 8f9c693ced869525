import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { issueAuthority, issueServing } from '../../../pkg/pki/issue.js';
import { statusOf } from './headers.js';
import { Http1Wire } from './http1wire.js';
import { Http2Wire } from './http2wire.js';
import type { Wire, WireCall } from './wire.js';

let server: Http2SecureServer;
let port = 0;
const come = new Set<string>();
const cut = new Set<string>();

/** Answers with the status that the path names, and as many bytes. */
beforeAll(async () => {
  const pair = await issueServing(await issueAuthority('test'), ['127.0.0.1']);
  const tls = { key: pair.key, cert: pair.certificate, allowHTTP1: true };
  server = createSecureServer(tls, (request, response) => {
    const [, code = '', size = '', end = ''] = request.url.split('/');
    const { authorization } = request.headers;
    if (authorization !== 'Bearer token') return void response.writeHead(401).end();
    come.add(request.url);
    let received = 0;
    request.on('data', (chunk: Buffer) => (received += chunk.length));
    response.once('close', () => cut.add(request.url));
    request.on('end', () => {
      if (end === 'never') return;
      response.writeHead(received === (request.method === 'POST' ? 3000 : 0) ? Number(code) : 400);
      response.write('x'.repeat(Number(size)));
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe.each([
  ['HTTP/2', () => new Http2Wire(port, 'token')],
  ['HTTP/1.1', () => new Http1Wire(port, 'token')],
])('a wire of %s', (name, open) => {
  const ask = (wire: Wire, path: string, body?: Buffer): Promise<number> =>
    new Promise((resolve) => {
      const call: WireCall = { method: body === undefined ? 'GET' : 'POST', path, ...(body && { body }) };
      wire.send(call, resolve);
    });

  test('tells the status of answers of any length', async () => {
    const wire = open();
    const asked = ['/200/1', '/201/70000', '/429/5', '/403/200000', '/500/9'];
    const codes: number[] = [];
    for (const path of asked) codes.push(await ask(wire, path));
    for (let at = 0; at < 60; at++) codes.push(await ask(wire, '/201/10', Buffer.alloc(3000)));
    expect(codes).toEqual([200, 201, 429, 403, 500, ...Array<number>(60).fill(201)]);
    wire.close();
  });

  test('gives a request up', async () => {
    const wire = open();
    const answered: number[] = [];
    const path = `/200/1/never/${name}`;
    const giveUp = wire.send({ method: 'GET', path }, (code) => answered.push(code));
    expect(wire.full).toBe(name === 'HTTP/1.1');
    while (!come.has(path)) await nextTurn();
    giveUp();
    while (!cut.has(path)) await nextTurn();
    expect(answered).toEqual([]);
    wire.close();
  });
});

test('many requests share a connection of HTTP/2', async () => {
  const wire = new Http2Wire(port, 'token');
  const asked = Array.from(
    { length: 90 },
    (_, at) =>
      new Promise((resolve) =>
        wire.send(
          { method: 'POST', path: `/${at % 2 === 0 ? 201 : 429}/5000`, body: Buffer.alloc(3000) },
          resolve,
        ),
      ),
  );
  expect(await Promise.all(asked)).toEqual(asked.map((_, at) => (at % 2 === 0 ? 201 : 429)));
  wire.close();
});

test.each([
  [[0x88], 200],
  [[0x20, 0x8e], 500],
  [[0x08, 0x03, 0x34, 0x32, 0x39], 429],
  [[0x48, 0x82, 0x10, 0x03], 201],
  [[0x40, 0x01, 0x61, 0x01, 0x62], 0],
])('the header block %j begins with status %d', (bytes, status) => {
  expect(statusOf(Buffer.from(bytes))).toBe(status);
});
