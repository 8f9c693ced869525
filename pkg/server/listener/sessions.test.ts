import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import {
  connect as connectHttp2,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  HEADERS,
  PREFACE,
} from '../../../test/fixtures/clients/http2frames.js';
import { sessionTracking } from './sessions.js';

const sessions = sessionTracking();
let server: Http2Server;

/** A server that responds to no request. Returns its port. */
async function listening(): Promise<number> {
  server = createServer({}, () => undefined);
  server.on('session', (session) => sessions.add(session));
  server.on('sessionError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  sessions.destroy();
  server.close();
});

/** Resolves with the session of the next request. */
const asked = async (): Promise<ServerHttp2Session> => {
  const [{ session }] = (await once(server, 'stream')) as [ServerHttp2Stream];
  return session as ServerHttp2Session;
};

/** Runs this number of checks, with time for responses between them. */
async function runChecks(times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    sessions.checkAll(performance.now());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** HPACK: `:method: GET`, `:scheme: https` and `:path: /` by their indexes in the static table, and `:authority: x`. */
const GET = Buffer.from([0x82, 0x87, 0x84, 0x41, 1, 0x78]);

/** A client that acknowledges no PING, with one open request. */
async function opened(port: number, more: readonly Buffer[]): Promise<ServerHttp2Session> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  const asking = asked();
  socket.write(Buffer.concat([PREFACE, frame(HEADERS, END_STREAM | END_HEADERS, 1, GET)]));
  const session = await asking;
  for (const one of more) socket.write(one);
  return session;
}

test.each([
  ['sends half a header block', [frame(HEADERS, END_STREAM, 3, GET)]],
  ['sends half a frame', [frame(HEADERS, END_STREAM | END_HEADERS, 3, GET).subarray(0, 10)]],
  ['says nothing', []],
])('ends a connection with an open request in 75 s if the client %s', async (_name, more) => {
  const session = await opened(await listening(), more);
  await runChecks(14);
  expect(session.destroyed).toBe(false);
  await runChecks(1);
  expect(session.destroyed).toBe(true);
});

test('keeps a connection if the client answers, whatever is in flight', async () => {
  const port = await listening();
  const asking = asked();
  const client = connectHttp2(`http://127.0.0.1:${port}`);
  client.request({ ':path': '/' }).on('error', () => undefined);
  const session = await asking;
  await runChecks(50);
  expect(session.destroyed).toBe(false);
  client.destroy();
});

test('ends a connection with data after the end of a stream within three checks', async () => {
  const port = await listening();
  const asking = once(server, 'stream');
  const session = await opened(port, [frame(DATA, 0, 1, Buffer.from('x'))]);
  const [stream] = (await asking) as [ServerHttp2Stream];
  stream.on('error', () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  // Newer versions of Node end the stream themselves, so that the third check has nothing to wait for.
  const ended = stream.destroyed;
  if (!ended) stream.respond({}, { endStream: true });
  await runChecks(2);
  expect(session.destroyed).toBe(ended);
  await runChecks(1);
  expect(session.destroyed).toBe(true);
});

test('ends a connection without streams in 80 s', async () => {
  const port = await listening();
  const accepted = once(server, 'session');
  const client = connectHttp2(`http://127.0.0.1:${port}`);
  const [session] = (await accepted) as [ServerHttp2Session];
  sessions.checkAll(performance.now() + 74_000);
  expect(session.closed).toBe(false);
  sessions.checkAll(performance.now() + 80_100);
  await new Promise(setImmediate);
  expect(session.destroyed).toBe(true);
  client.destroy();
});
