/** What a client sends behind the request of a watch, where nobody reads it: little of it is taken. */
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { Duplex } from 'node:stream';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { residentBytes } from '../../../hack/bench/cpu.js';
import { client } from '../../fixtures/clients/client.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const PATH = '/apis/management.svc.example/v1/sharedsecrets?watch=true';
const MIB = 1024 * 1024;
/** Of what is taken, with what systems buffer. */
const MOST = 16 * MIB;
/** Nothing more is taken when nothing was between so many looks. */
const LOOKS = 20;
/** At most written before the connection may say that it has ended. */
const PIECES = 64;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const authorization = `Bearer ${ADMIN_TOKEN}`;

let server: ServerFixture;
const resident = (): number => residentBytes(server.pid() ?? 0);

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.remove());

interface Talk {
  /** Where to, which waits for the server. */
  readonly to: Duplex;
  send(): void;
  end(): void;
}

async function overHttp1(): Promise<Talk> {
  const to = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
  const head = `Host: a\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked`;
  to.on('error', () => undefined).write(`GET ${PATH} HTTP/1.1\r\n${head}\r\n\r\n`);
  expect(String((await once(to, 'data'))[0])).toContain('200 OK');
  const piece = Buffer.concat([Buffer.from('10000\r\n'), PIECE, Buffer.from('\r\n')]);
  return { to, send: () => void to.write(piece), end: () => to.destroy() };
}

async function overHttp2(): Promise<Talk> {
  const session = connectHttp2(server.url, { rejectUnauthorized: false });
  const to = session.request({ ':path': PATH, authorization }, { endStream: false });
  expect(
    (
      await once(
        to.on('error', () => undefined),
        'response',
      )
    )[0],
  ).toMatchObject({ ':status': 200 });
  return { to, send: () => void to.write(PIECE), end: () => session.destroy() };
}

/** Frames are written as they are: with a mask of zeros. */
async function overWebSocket(frame: Buffer): Promise<Talk & { readonly socket: WebSocket }> {
  const url = server.url.replace('https', 'wss') + PATH;
  const socket = new WebSocket(url, [], { rejectUnauthorized: false, headers: { authorization } });
  const [{ socket: to }] = (await once(
    socket.on('error', () => undefined),
    'upgrade',
  )) as [IncomingMessage];
  const frames = Buffer.concat(Array.from({ length: 16 }, () => frame));
  return { socket, to, send: () => void to.write(frames), end: () => socket.terminate() };
}
const MESSAGE = Buffer.concat([Buffer.from([0x82, 0xfe, 0x10, 0, 0, 0, 0, 0]), PIECE.subarray(0, 4096)]);
const PING = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), PIECE.subarray(0, 125)]);

/** The bytes that were taken when no more are, or the connection ended. */
async function taken({ to, send }: Talk): Promise<number> {
  let sent = 0;
  let before = 0;
  let same = 0;
  await eventually('no more is taken', async () => {
    if (!to.writable) return true;
    // Writes to a connection that ends meanwhile are not counted as waiting.
    for (let one = 0; one < PIECES && to.writable && to.writableLength < 4 * MIB; one += 1) {
      send();
      sent += PIECE.length;
    }
    const now = sent - to.writableLength;
    same = now > 0 && now === before ? same + 1 : 0;
    before = now;
    return same === LOOKS || now > MOST;
  });
  return sent - to.writableLength;
}

test('a body over HTTP/1.1 ends the watch', async () => {
  const before = resident();
  const talk = await overHttp1();
  const closed = new Promise((resolve) => talk.to.once('close', resolve));
  expect(await taken(talk)).toBeLessThan(MOST);
  await closed;
  expect(resident() - before).toBeLessThan(64 * MIB);
});

test('a client that leaves while its body comes is noticed', async () => {
  const watches = async (): Promise<number> => {
    const { text } = await client(server).send('GET', '/metrics');
    return Number(/^apiserver_longrunning_requests (\d+)$/m.exec(text)?.[1]);
  };
  const before = await watches();
  const talk = await overHttp1();
  talk.send();
  expect(await watches()).toBe(before + 1);
  talk.end();
  await eventually('its watch has ended', async () => (await watches()) === before);
});

test('a body over HTTP/2 waits', async () => {
  const before = resident();
  const talk = await overHttp2();
  expect(await taken(talk)).toBeLessThan(MOST);
  expect(resident() - before).toBeLessThan(64 * MIB);
  talk.end();
});

test.each([
  ['messages', MESSAGE],
  ['pings', PING],
])('%s over WebSocket end the watch', async (_what, frame) => {
  const talk = await overWebSocket(frame);
  const closed = once(talk.socket, 'close');
  await taken(talk);
  expect([1006, 1008]).toContain((await closed)[0]);
});
