/** Both ends of a tunnel in one process: HTTP/1.1 messages pass through a stream unchanged. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Http2TunnelSession, type TunnelSession } from '../../tunnel/session.js';
import type { Exchange } from '../../server/httpexchange.js';
import type { HostSettings } from '../../hostclient/configuration.js';
import { apiServerConnections } from './apiserver.js';
import { tunnelServer } from './serve.js';

let net: Server;
/** The server of an agent that forwards no connections to the API server. */
let strict: Server;
/** Acts as the API server. */
let echo: Server;
let unreadable = false;
let session: TunnelSession;
const seen: string[] = [];

function answer({ request, response }: Exchange): Promise<void> {
  seen.push(request.socket.remoteAddress ?? 'unknown');
  // Text and bytes in one write, in which a bug of Node would send wrong memory for the text.
  response.writeHead(403, { 'Content-Length': '5', 'X-Text': 'é'.repeat(100) });
  response.end(Buffer.from('hello'));
  return Promise.resolve();
}

beforeAll(async () => {
  const failed = (error: unknown): void => void seen.push(String(error));
  echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const apiServer = apiServerConnections(() =>
    unreadable ? Promise.reject(new Error('none')) : Promise.resolve(settings()),
  );
  const server = tunnelServer(answer, failed, apiServer);
  const without = tunnelServer(answer, failed);
  net = createServer((socket) => void server.serve(socket)).listen(0, '127.0.0.1');
  strict = createServer((socket) => void without.serve(socket)).listen(0, '127.0.0.1');
  await Promise.all([once(net, 'listening'), once(strict, 'listening')]);
  session = await open(net);
});
afterAll(async () => {
  session.destroy();
  for (const one of [echo, strict]) one.close();
  net.close();
  await once(net, 'close');
});

async function open(to: Server): Promise<TunnelSession> {
  const socket: Socket = connect(portOf(to), '127.0.0.1');
  await once(socket, 'connect');
  return new Http2TunnelSession(socket);
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const settings = (): HostSettings => ({
  server: `https://127.0.0.1:${portOf(echo)}`,
  headers: {},
  auth: undefined,
  proxy: undefined,
  tls: {},
});

async function ask(address: string): Promise<{ code: number; text: string; header: unknown }> {
  const sent = session.send({ method: 'GET', path: '/', headers: [], lasting: false }, address);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response) text += String(piece);
  return { code: response.statusCode ?? 0, text, header: response.headers['x-text'] };
}

describe('a tunnel', () => {
  test.each<[string, string[], number]>([
    ['more headers than are taken', Array.from({ length: 2_001 }, () => ['a', '']).flat(), 431],
    ['two types', ['Content-Type', 'a/b', 'content-type', 'c/d'], 400],
  ])('refuses %s', async (_name, headers, code) => {
    const before = seen.length;
    const sent = session.send({ method: 'GET', path: '/', headers, lasting: false }, '10.0.0.1');
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(code);
    expect(seen.length).toBe(before);
    sent.destroy();
  });

  test('carries complete responses, many at a time', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask('10.0.0.1')));
    for (const one of answers) expect(one).toEqual({ code: 403, text: 'hello', header: 'é'.repeat(100) });
    expect(new Set(seen)).toEqual(new Set(['10.0.0.1']));
  });

  test('ignores a client address that is not valid', async () => {
    seen.length = 0;
    await ask('evil, 10.0.0.1');
    await ask('');
    expect(seen).toEqual(['unknown', 'unknown']);
  });

  test('counts open streams', async () => {
    expect(session.hasCapacity).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(session.streams).toBe(0);
    const sent = session.send({ method: 'GET', path: '/', headers: [], lasting: true }, '');
    expect(session.streams).toBe(1);
    sent.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(session.streams).toBe(0);
  });
});

describe('a connection to the API server', () => {
  test('carries bytes both ways, and ends with either end', async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => session.dial()));
    await Promise.all(sockets.map((socket) => echoed(socket, Buffer.alloc(1024 * 1024, 'x'))));
    const closed = sockets.map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    expect(session.streams).toBe(0);
  });

  async function echoed(socket: Socket, sent: Buffer): Promise<void> {
    socket.write(sent);
    let bytes = 0;
    await new Promise<void>((resolve) => {
      socket.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes === sent.length) resolve();
      });
    });
  }

  test('ends with the tunnel', async () => {
    const other = await open(net);
    const socket = await other.dial();
    const closed = once(socket, 'close');
    other.destroy();
    await closed;
  });

  test('is refused unless the agent forwards connections', async () => {
    const other = await open(strict);
    await expect(other.dial()).rejects.toThrow('--tunnel-api-server');
    other.destroy();
  });

  test('is refused while the API server is unreachable', async () => {
    unreadable = true;
    await expect(session.dial()).rejects.toThrow('cannot reach the API server');
    unreadable = false;
    (await session.dial()).destroy();
  });
});
