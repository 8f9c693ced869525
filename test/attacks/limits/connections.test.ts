/** Connections that send nothing, or do not authenticate, do not lock out other clients. */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { session, watch } from '../../fixtures/clients/floodclients.js';
import { fetchFrom, VIEWER_TOKEN } from '../../fixtures/servers/server.js';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const SILENT = 250;
/** The maximum number of connections from one address. */
const KEPT = 200;

let running: EngineServer;
beforeAll(async () => {
  running = await startEmbedded();
});
afterAll(() => running.remove());

const review = (token: string | undefined): string =>
  [
    `POST ${REVIEWS} HTTP/1.1`,
    'host: x',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    'content-type: application/json',
    'content-length: 61',
    '',
    '{"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}\n',
  ].join('\r\n');

const tls = (): Socket =>
  connectTls({ port: running.server.port, host: '127.0.0.1', rejectUnauthorized: false });

/** The first line that the server sends. */
const said = (socket: Socket): Promise<string> =>
  new Promise((resolve) => void socket.once('data', (chunk: Buffer) => resolve(chunk.toString())));

test.each<[string, () => Socket]>([
  ['before TLS', () => connectTcp(running.server.port, '127.0.0.1')],
  ['in TLS', tls],
  [
    'after requests without a token',
    () => {
      const socket = tls();
      socket.write('GET /version HTTP/1.1\r\nhost: x\r\n\r\n');
      return socket;
    },
  ],
  [
    'after requests with wrong tokens',
    () => {
      const socket = tls();
      socket.write('GET /version HTTP/1.1\r\nhost: x\r\nauthorization: Bearer wrong\r\n\r\n');
      return socket;
    },
  ],
])('silence %s', async (_name, begin) => {
  const known = tls();
  known.write(review(VIEWER_TOKEN));
  expect(await said(known)).toMatch(/^HTTP\/1.1 201 /);
  const over = await session(running.server);
  const version = { path: '/version', token: VIEWER_TOKEN };
  expect((await watch(over, version)).status).toBe(200);
  const open = new Set<Socket>();
  for (let at = 0; at < SILENT; at += 1) {
    const socket = begin();
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.resume();
  }
  const { status } = await fetchFrom(`${running.server.url}/version`);
  expect(status).toBe(200);
  while (open.size > KEPT) await new Promise((resolve) => setTimeout(resolve, 20));
  // Connections of authenticated clients are not closed for others.
  known.write(review(VIEWER_TOKEN));
  expect(await said(known)).toMatch(/^HTTP\/1.1 201 /);
  known.destroy();
  for (const socket of open) socket.destroy();
});

test('users may have more', async () => {
  const all: Socket[] = [];
  for (let at = 0; at < SILENT; at += 1) {
    const socket = tls();
    all.push(socket.on('error', () => undefined));
    socket.write(review(VIEWER_TOKEN));
    expect(await said(socket)).toMatch(/^HTTP\/1.1 201 /);
  }
  const { status } = await fetchFrom(`${running.server.url}/version`);
  expect(status).toBe(200);
  expect(all.filter((socket) => socket.closed || socket.readableEnded)).toEqual([]);
  for (const socket of all) socket.destroy();
});
