/** Over HTTP/1.1: each answer is of its own request, and nothing is served after the last (RFC 9112, 9.3.2 and 9.6). */
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startListener } from '../../../test/fixtures/servers/rawlistener.js';
import { eventually } from '../../../test/fixtures/wait.js';
import type { Exchange } from '../httpexchange.js';
import type { Listener } from './listener.js';
import { answerEarly } from './rejectearly.js';

let listener: Listener;
let seen: string[] = [];

async function handler(exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  seen.push(request.url ?? '');
  if (request.url === '/early') return answerEarly(exchange, 401, {}, Buffer.from('no'));
  request.resume();
  if (!request.complete && request.method === 'POST') await once(request, 'end');
  setTimeout(() => response.end(`this is ${request.url}`), 50);
}

beforeAll(async () => {
  listener = await startListener(handler);
});
afterAll(() => listener.drain(0));
beforeEach(() => {
  seen = [];
});

async function open(): Promise<{ socket: TLSSocket; received: () => string }> {
  const options = { host: '127.0.0.1', port: listener.port, rejectUnauthorized: false };
  // The types of tls lack an option of net.
  const halfOpen: object = { allowHalfOpen: true };
  const socket = connect({ ...options, ...halfOpen });
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'secureConnect');
  return { socket, received: () => text };
}
const HOST = 'Host: localhost\r\n';
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${HOST}${more}\r\n`;

/** All that comes until the server ends its half. */
async function answersTo(sent: string): Promise<string> {
  const { socket, received } = await open();
  socket.write(sent);
  await once(socket, 'end');
  socket.destroy();
  return received();
}
const statusesIn = (text: string): string[] => text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];

test('a request that is none is refused after those before it', async () => {
  const text = await answersTo(`${get('/one')}${get('/two')}garbage\r\n\r\n`);
  expect(statusesIn(text)).toEqual(['200', '200', '400']);
  expect(text).toMatch(/this is \/one.*this is \/two.*400 Bad Request/s);
});

test.each([get('/two'), 'garbage\r\n\r\n'])('nothing is served after "close": %j', async (more) => {
  const text = await answersTo(get('/one', 'Connection: close\r\n') + more);
  expect(statusesIn(text)).toEqual(['200']);
  expect(text).toContain('this is /one');
  expect(seen).toEqual(['/one']);
});

test.each([
  ['an answer before its body', `POST /early HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\n`, '401'],
  [
    'a refusal before its body',
    `POST /x HTTP/1.1\r\n${HOST}From: a\r\nFrom: b\r\nContent-Length: 4\r\n\r\n`,
    '400',
  ],
])('nothing is served after %s', async (_name, sent, status) => {
  const { socket, received } = await open();
  socket.write(sent);
  await once(socket, 'end');
  const before = [...seen];
  socket.write(`body${get('/after')}`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.destroy();
  expect(statusesIn(received())).toEqual([status]);
  expect(received()).toMatch(/^connection: close\r$/im);
  expect(seen).toEqual(before);
});

test.each([
  ['a coding that does not end', 'Transfer-Encoding: gzip\r\n', ''],
  ['chunks that are none', 'Transfer-Encoding: chunked\r\n', 'zz\r\n'],
  ['a chunk longer than any', 'Transfer-Encoding: chunked\r\n', `${'f'.repeat(17)}\r\n`],
  ['a body longer than any', `Content-Length: ${'9'.repeat(20)}\r\n`, ''],
])('%s is refused once', async (_name, header, body) => {
  const text = await answersTo(`POST /x HTTP/1.1\r\n${HOST}${header}\r\n${body}`);
  expect(statusesIn(text)).toEqual(['400']);
});

test('HTTP/1.0 gets neither 100 nor chunks', async () => {
  const text = await answersTo(`POST /x HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na`);
  expect(statusesIn(text)).toEqual(['200']);
  expect(text).not.toMatch(/^transfer-encoding/im);
  expect(text).toContain('this is /x');
});

test('100 comes before 101', async () => {
  const { socket, received } = await open();
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  socket.write(get('/ws', `Expect: 100-continue\r\nConnection: upgrade\r\nUpgrade: websocket\r\n${key}`));
  await eventually('it is answered', async () => received().includes('this is /ws'));
  expect(statusesIn(received())).toEqual(['100', '200']);
  socket.destroy();
});

test.each([
  ['no request', 'garbage\r\n\r\n', '400'],
  ['CONNECT', `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`, '405'],
  ['a version', `GET / HTTP/2.0\r\n${HOST}\r\n`, '505'],
  [
    'another method to upgrade',
    `HEAD / HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
    '400',
  ],
])('refusals have a date: %s', async (_name, sent, status) => {
  const text = await answersTo(sent);
  expect(statusesIn(text)).toEqual([status]);
  expect(text).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/m);
  if (status === '405') expect(text).toMatch(/^Allow: \r$/m);
  if (sent.startsWith('HEAD')) expect(text).toMatch(/\r\n\r\n$/);
});

test('so has that of HTTP without TLS', async () => {
  const socket = connectTcp({ host: '127.0.0.1', port: listener.port });
  socket.on('error', () => undefined);
  socket.write(get('/'));
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.0 400 .*^Date: /ms);
});
