/** Calls whose answers fail, at a server that answers as told. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { classify } from '../failure.js';
import { rpcConnection, type RpcConnection } from './connection.js';

const MAX_BYTES = 1_000;
const MESSAGE = Buffer.from('message');
const HEAD = { ':status': 200, 'content-type': 'application/grpc' };

const framed = (message: Buffer): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
};

type Answering = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

const answer =
  (bytes: Buffer, status: Record<string, string> = { 'grpc-status': '0' }): Answering =>
  (stream) => {
    stream.respond(HEAD, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(status));
    stream.end(bytes);
  };

const refusal =
  (status: string, message: string): Answering =>
  (stream) =>
    stream.respond({ ...HEAD, 'grpc-status': status, 'grpc-message': message }, { endStream: true });

let server: Http2Server;
let connection: RpcConnection;
let answering: Answering;
let sessions: number;

beforeEach(async () => {
  sessions = 0;
  server = createServer();
  server.on('session', () => (sessions += 1));
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    answering(stream, headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  connection = rpcConnection(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    undefined,
    MAX_BYTES,
  );
});

afterEach(() => {
  connection.close();
  server.close();
});

const call = (deadlineMs = 5_000): Promise<Buffer> => connection.call('/service/Method', MESSAGE, deadlineMs);
const errorOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error('answered')),
    (error: Error) => error,
  );

test('sends one message to the method, and returns the message of the answer', async () => {
  let sent: Buffer | undefined;
  let asked: IncomingHttpHeaders = {};
  answering = (stream, headers) => {
    asked = headers;
    stream.once('data', (bytes: Buffer) => (sent = bytes));
    stream.once('end', () => answer(framed(Buffer.from('answer')))(stream, headers));
  };
  expect((await call()).toString()).toBe('answer');
  expect(sent).toEqual(framed(MESSAGE));
  expect(asked).toMatchObject({
    ':path': '/service/Method',
    'content-type': 'application/grpc',
    'grpc-timeout': '5000m',
  });
});

test('an empty message is an answer', async () => {
  answering = answer(framed(Buffer.alloc(0)));
  expect(await call()).toHaveLength(0);
});

test('is ready once the peer has answered', async () => {
  answering = answer(framed(MESSAGE));
  expect(connection.ready()).toBe(false);
  await call();
  expect(connection.ready()).toBe(true);
});

describe('fails as the package does', () => {
  test.each<[string, Answering, string, string]>([
    [
      'a refusal',
      refusal('8', 'etcdserver%3A mvcc: database space exceeded'),
      '8 RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded',
      'no space',
    ],
    [
      'a refusal after an answer',
      answer(framed(MESSAGE), { 'grpc-status': '3' }),
      '3 INVALID_ARGUMENT: ',
      'refused',
    ],
    ['a refusal whose text is not encoded', refusal('9', '100%'), '9 FAILED_PRECONDITION: 100%', 'refused'],
    ['an unknown code', refusal('99', ''), '99 UNKNOWN: ', 'ambiguous'],
    ['half a message', answer(framed(MESSAGE).subarray(0, 8)), '13 INTERNAL: ', 'ambiguous'],
    ['no message', answer(Buffer.alloc(0)), '13 INTERNAL: ', 'ambiguous'],
    ['a compressed message', answer(Buffer.from([1, 0, 0, 0, 1, 7])), '13 INTERNAL: ', 'ambiguous'],
    ['no status', answer(framed(MESSAGE), {}), '14 UNAVAILABLE: ', 'ambiguous'],
    ['a stream that breaks off', (stream) => stream.close(2), '14 UNAVAILABLE: ', 'ambiguous'],
    ['a connection that breaks off', (stream) => stream.session?.destroy(), '14 UNAVAILABLE: ', 'ambiguous'],
    [
      'an answer above the limit',
      answer(framed(Buffer.alloc(MAX_BYTES + 1))),
      '8 RESOURCE_EXHAUSTED: Received message larger than max',
      'answer too large',
    ],
  ])('%s', async (_what, answers, text, meaning) => {
    answering = answers;
    const error = await errorOf(call());
    expect(error.message).toContain(text);
    expect(classify(error)).toBe(meaning);
    answering = answer(framed(MESSAGE));
    expect(await call()).toEqual(MESSAGE);
  });
});

test('a call that is late leaves others their answers, and later ones a new connection', async () => {
  const open: ServerHttp2Stream[] = [];
  answering = (stream) => void open.push(stream);
  const patient = call();
  const late = await errorOf(call(50));
  expect(late.message).toBe('4 DEADLINE_EXCEEDED: Deadline exceeded');
  expect(classify(late)).toBe('ambiguous');
  answering = answer(framed(MESSAGE));
  expect(await call()).toEqual(MESSAGE);
  expect(sessions).toBe(2);
  answer(framed(Buffer.from('patient')))(open[0]!, {});
  expect((await patient).toString()).toBe('patient');
});

describe('at a peer that accepts and never answers', () => {
  const sockets = new Set<Socket>();
  const silent = createTcpServer((socket) => {
    sockets.add(socket.pause());
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  const silentAt = async (scheme: string): Promise<RpcConnection> => {
    if (!silent.listening) await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    return rpcConnection(`${scheme}://127.0.0.1:${port}`, undefined, MAX_BYTES);
  };
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test.each(['http', 'https'])('%s: calls end at their deadline, and none is ready', async (scheme) => {
    const frozen = await silentAt(scheme);
    for (let calls = 0; calls < 3; calls++) {
      expect(frozen.ready()).toBe(false);
      const late = await errorOf(frozen.call('/service/Method', MESSAGE, 100));
      expect(late.message).toBe('4 DEADLINE_EXCEEDED: Deadline exceeded');
    }
    frozen.close();
  });

  test('a call whose message cannot be sent ends at its deadline, and sockets are closed', async () => {
    const frozen = await silentAt('http');
    const large = Buffer.alloc(12 * 1024 * 1024);
    for (let calls = 0; calls < 3; calls++) {
      const late = await errorOf(frozen.call('/service/Method', large, 200));
      expect(late.message).toBe('4 DEADLINE_EXCEEDED: Deadline exceeded');
    }
    expect(sockets.size).toBeGreaterThan(1);
    frozen.close();
    for (const socket of sockets) socket.resume();
    for (let tries = 0; sockets.size > 0 && tries < 100; tries++) await sleep(50);
    expect(sockets.size).toBe(0);
  });
});

/** Takes 16 MiB before it is read, and answers every call with an empty message. */
const GREEDY = `
const { createServer } = require('node:http2');
const settings = { initialWindowSize: 16 * 1024 * 1024 };
const server = createServer({ settings });
server.on('session', (session) => session.setLocalWindowSize(settings.initialWindowSize));
server.on('stream', (stream) => {
  stream.on('error', () => undefined).resume().on('end', () => {
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.alloc(5));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

test('calls end at their deadline while a socket is blocked, and a peer that comes back is asked again', async () => {
  const peer = spawn(process.execPath, ['-e', GREEDY], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(peer.stdout, 'data')) as [Buffer];
    const blocked = rpcConnection(`http://127.0.0.1:${port.toString().trim()}`, undefined, MAX_BYTES);
    expect(await blocked.call('/service/Method', MESSAGE, 5_000)).toHaveLength(0);
    peer.kill('SIGSTOP');
    const large = Buffer.alloc(12 * 1024 * 1024);
    const calls = [
      blocked.call('/service/Method', large, 300),
      blocked.call('/service/Method', MESSAGE, 300),
    ];
    for (const call of calls)
      expect((await errorOf(call)).message).toBe('4 DEADLINE_EXCEEDED: Deadline exceeded');
    peer.kill('SIGCONT');
    expect(await blocked.call('/service/Method', MESSAGE, 5_000)).toHaveLength(0);
    blocked.close();
  } finally {
    peer.kill('SIGKILL');
  }
});
