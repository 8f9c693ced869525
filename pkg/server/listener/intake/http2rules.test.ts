/** What RFC 9113 says that a server does with frames that must not be, and with those that it must take. */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  FrameReader,
  GOAWAY,
  headerBlock,
  headerFrames,
  HEADERS,
  PING,
  PREFACE,
  PRIORITY,
  type ReceivedFrame,
  RST_STREAM,
  SETTINGS,
  uint32,
  WINDOW_UPDATE,
} from '../../../../test/fixtures/clients/http2frames.js';
import { startListener } from '../../../../test/fixtures/servers/rawlistener.js';
import { eventually } from '../../../../test/fixtures/wait.js';
import type { Exchange } from '../../httpexchange.js';
import type { Listener } from '../listener.js';
import { HeaderDecoder } from './headerdecoder.js';

const PUSH_PROMISE = 5;
const UNKNOWN = 0xbe;
const ACK = 1;
const PADDED = 8;
const WITH_PRIORITY = 0x20;
/** Error codes (RFC 9113, 7). */
const PROTOCOL_ERROR = 1;
const FLOW_CONTROL_ERROR = 3;
const FRAME_SIZE_ERROR = 6;
const COMPRESSION_ERROR = 9;

let listener: Listener;
/** The cookies and hosts of the requests that were handed on, by path. */
let seen: Record<string, unknown> = {};

async function handler({ request, response }: Exchange): Promise<void> {
  const { cookie, host, ':authority': authority } = request.headers as Record<string, string | undefined>;
  seen[request.url ?? ''] = { cookie, host: authority ?? host };
  request.resume();
  if (request.url === '/open') return;
  if (request.url === '/204') return void response.writeHead(204).end();
  response.end('x');
}

beforeAll(async () => {
  listener = await startListener(handler, { streamsPerConnection: 4 });
});
afterAll(() => listener.drain(0));
beforeEach(() => {
  seen = {};
});

interface Client {
  readonly socket: TLSSocket;
  readonly frames: ReceivedFrame[];
}

async function open(): Promise<Client> {
  const socket = connect({
    host: '127.0.0.1',
    port: listener.port,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  const frames: ReceivedFrame[] = [];
  const reader = new FrameReader((received) => frames.push(received));
  socket.on('data', (chunk: Buffer) => reader.take(chunk));
  return { socket, frames };
}

const pseudo = (path: string, method = 'GET'): [string, string][] => [
  [':method', method],
  [':scheme', 'https'],
  [':path', path],
  [':authority', 'localhost'],
];
type Fields = readonly (readonly [name: string, value: string])[];
const block = (path: string, fields: Fields = []): Buffer => headerBlock([...pseudo(path), ...fields]);
/** Stream 1, with its body to come. */
const begun = headerFrames(1, block('/open'), 0);
const whole = headerFrames(1, block('/open'));
const end = headerFrames(101, block('/end'));
const setting = (id: number, value: number): Buffer => Buffer.concat([Buffer.from([0, id]), uint32(value)]);

/** What became of the connection, `GOAWAY` with a code or `closed`, or of stream 1; and whether a later request was served. */
async function outcomeOf(sent: readonly Buffer[], preface = PREFACE): Promise<string> {
  const { socket, frames } = await open();
  socket.write(Buffer.concat([preface, ...sent, end]));
  const find = (type: number, stream: number): ReceivedFrame | undefined =>
    frames.find((one) => one.type === type && one.stream === stream);
  const isOver = (): boolean => socket.closed || find(GOAWAY, 0) !== undefined;
  await eventually(
    'it is over, or the last is answered',
    async () => isOver() || find(HEADERS, 101) !== undefined,
  );
  const goaway = find(GOAWAY, 0);
  const reset = find(RST_STREAM, 1);
  if (goaway !== undefined && !socket.closed) await once(socket, 'close');
  socket.destroy();
  if (goaway !== undefined) return `GOAWAY ${goaway.payload.readUInt32BE(4)}`;
  if (isOver() && find(HEADERS, 101) === undefined) return 'closed';
  return reset === undefined ? 'served' : `reset ${reset.payload.readUInt32BE(0)}`;
}

const EIGHT = Buffer.alloc(8);
const FIVE = Buffer.alloc(5);
const half = frame(HEADERS, END_STREAM, 1, block('/open').subarray(0, 20));
const rest = block('/open').subarray(20);

describe('ends the connection for', () => {
  test.each<[string, number, readonly Buffer[]]>([
    ['a frame larger than it takes', FRAME_SIZE_ERROR, [begun, frame(DATA, 0, 1, Buffer.alloc(16_385))]],
    ['an unknown frame larger than it takes', FRAME_SIZE_ERROR, [frame(UNKNOWN, 0, 0, Buffer.alloc(16_385))]],
    ['DATA of no stream', PROTOCOL_ERROR, [frame(DATA, 0, 0, EIGHT)]],
    ['DATA of an idle stream', PROTOCOL_ERROR, [frame(DATA, 0, 1, EIGHT)]],
    ['DATA with too much padding', PROTOCOL_ERROR, [begun, frame(DATA, PADDED, 1, Buffer.from([2, 0]))]],
    ['HEADERS of no stream', PROTOCOL_ERROR, [headerFrames(0, block('/x'))]],
    ['HEADERS of an even stream', PROTOCOL_ERROR, [headerFrames(2, block('/x'))]],
    [
      'HEADERS with too much padding',
      PROTOCOL_ERROR,
      [frame(HEADERS, PADDED | END_HEADERS, 1, Buffer.concat([Buffer.from([255]), block('/x')]))],
    ],
    [
      'HEADERS without their priority',
      PROTOCOL_ERROR,
      [frame(HEADERS, WITH_PRIORITY | END_HEADERS, 1, EIGHT.subarray(0, 3))],
    ],
    ['a block that is none', COMPRESSION_ERROR, [headerFrames(1, Buffer.from([0xbe]))]],
    ['a block in trailers that is none', COMPRESSION_ERROR, [begun, headerFrames(1, Buffer.from([0xbe]))]],
    ['a frame within a block', PROTOCOL_ERROR, [half, frame(PING, 0, 0, EIGHT)]],
    ['an unknown frame within a block', PROTOCOL_ERROR, [half, frame(UNKNOWN, 0, 0, EIGHT)]],
    [
      'the block of another stream within one',
      PROTOCOL_ERROR,
      [half, frame(CONTINUATION, END_HEADERS, 3, rest)],
    ],
    ['CONTINUATION after no block', PROTOCOL_ERROR, [whole, frame(CONTINUATION, END_HEADERS, 1, rest)]],
    ['CONTINUATION of no stream', PROTOCOL_ERROR, [half, frame(CONTINUATION, END_HEADERS, 0, rest)]],
    ['PRIORITY of no stream', PROTOCOL_ERROR, [frame(PRIORITY, 0, 0, FIVE)]],
    ['RST_STREAM of no stream', PROTOCOL_ERROR, [frame(RST_STREAM, 0, 0, uint32(8))]],
    ['RST_STREAM of an idle stream', PROTOCOL_ERROR, [frame(RST_STREAM, 0, 1, uint32(8))]],
    ['a short RST_STREAM', FRAME_SIZE_ERROR, [whole, frame(RST_STREAM, 0, 1, Buffer.alloc(3))]],
    ['SETTINGS of a stream', PROTOCOL_ERROR, [frame(SETTINGS, 0, 1)]],
    ['SETTINGS of a wrong size', FRAME_SIZE_ERROR, [frame(SETTINGS, 0, 0, FIVE)]],
    ['an acknowledgement with settings', FRAME_SIZE_ERROR, [frame(SETTINGS, ACK, 0, setting(4, 1))]],
    ['ENABLE_PUSH of 2', PROTOCOL_ERROR, [frame(SETTINGS, 0, 0, setting(2, 2))]],
    ['INITIAL_WINDOW_SIZE above 2^31-1', FLOW_CONTROL_ERROR, [frame(SETTINGS, 0, 0, setting(4, 2 ** 31))]],
    [
      'INITIAL_WINDOW_SIZE that is too much for a stream',
      FLOW_CONTROL_ERROR,
      [whole, frame(WINDOW_UPDATE, 0, 1, uint32(1000)), frame(SETTINGS, 0, 0, setting(4, 2 ** 31 - 1))],
    ],
    ['MAX_FRAME_SIZE below 16,384', PROTOCOL_ERROR, [frame(SETTINGS, 0, 0, setting(5, 16_383))]],
    ['MAX_FRAME_SIZE above 2^24-1', PROTOCOL_ERROR, [frame(SETTINGS, 0, 0, setting(5, 2 ** 24))]],
    [
      'a promise',
      PROTOCOL_ERROR,
      [begun, frame(PUSH_PROMISE, END_HEADERS, 1, Buffer.concat([uint32(2), block('/x')]))],
    ],
    ['PING of a stream', PROTOCOL_ERROR, [frame(PING, 0, 1, EIGHT)]],
    ['a short PING', FRAME_SIZE_ERROR, [frame(PING, 0, 0, FIVE)]],
    ['GOAWAY of a stream', PROTOCOL_ERROR, [frame(GOAWAY, 0, 1, EIGHT)]],
    ['a window of the connection that grows by 0', PROTOCOL_ERROR, [frame(WINDOW_UPDATE, 0, 0, uint32(0))]],
    [
      'a window of the connection above 2^31-1',
      FLOW_CONTROL_ERROR,
      [frame(WINDOW_UPDATE, 0, 0, uint32(2 ** 31 - 1))],
    ],
    ['WINDOW_UPDATE of an idle stream', PROTOCOL_ERROR, [frame(WINDOW_UPDATE, 0, 1, uint32(1))]],
    ['a short WINDOW_UPDATE', FRAME_SIZE_ERROR, [frame(WINDOW_UPDATE, 0, 0, Buffer.alloc(3))]],
  ])('%s, with code %i', async (_name, code, sent) => {
    expect(await outcomeOf(sent)).toBe(`GOAWAY ${code}`);
    expect(seen).not.toHaveProperty('/end');
  });

  test('a preface that is none', async () => {
    expect(await outcomeOf([], Buffer.from('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'))).toMatch(
      /^(GOAWAY [12]|closed)$/,
    );
  });

  test('a preface without SETTINGS', async () => {
    expect(await outcomeOf([], PREFACE.subarray(0, 24))).toBe(`GOAWAY ${PROTOCOL_ERROR}`);
  });
});

const malformed = (fields: Buffer): readonly Buffer[] => [headerFrames(1, fields)];
const without = (name: string): Buffer => headerBlock(pseudo('/x').filter(([one]) => one !== name));

describe('ends the stream alone for', () => {
  test.each<[string, number, readonly Buffer[]]>([
    [
      'less body than its length',
      PROTOCOL_ERROR,
      [
        headerFrames(1, block('/open', [['content-length', '5']]), 0),
        frame(DATA, END_STREAM, 1, Buffer.from('abc')),
      ],
    ],
    ['no body in place of one', PROTOCOL_ERROR, malformed(block('/x', [['content-length', '5']]))],
    ['a length that is none', PROTOCOL_ERROR, malformed(block('/x', [['content-length', '+1']]))],
    [
      'two lengths',
      PROTOCOL_ERROR,
      malformed(
        block('/x', [
          ['content-length', '0'],
          ['content-length', '0'],
        ]),
      ),
    ],
    ...['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade'].map(
      (name): [string, number, readonly Buffer[]] => [
        name,
        PROTOCOL_ERROR,
        malformed(block('/x', [[name, 'a']])),
      ],
    ),
    ['TE other than trailers', PROTOCOL_ERROR, malformed(block('/x', [['te', 'trailers, gzip']]))],
    ['an unknown pseudo-header', PROTOCOL_ERROR, malformed(headerBlock([...pseudo('/x'), [':other', 'a']]))],
    [
      'a pseudo-header of responses',
      PROTOCOL_ERROR,
      malformed(headerBlock([...pseudo('/x'), [':status', '200']])),
    ],
    ...[':method', ':scheme', ':path'].flatMap((name): [string, number, readonly Buffer[]][] => [
      [`no ${name}`, PROTOCOL_ERROR, malformed(without(name))],
      [
        `two of ${name}`,
        PROTOCOL_ERROR,
        malformed(headerBlock([...pseudo('/x'), ...pseudo('/x').filter(([one]) => one === name)])),
      ],
    ]),
    ['an empty path', PROTOCOL_ERROR, malformed(block(''))],
    ['the path * of a GET', PROTOCOL_ERROR, malformed(block('*'))],
    ['pseudo-headers in trailers', PROTOCOL_ERROR, [begun, headerFrames(1, headerBlock([[':path', '/x']]))]],
    [
      'trailers that do not end the stream',
      PROTOCOL_ERROR,
      [begun, headerFrames(1, headerBlock([['a', 'b']]), 0)],
    ],
  ])('%s, with code %i', async (_name, code, sent) => {
    expect(await outcomeOf(sent)).toBe(`reset ${code}`);
    expect(seen).toHaveProperty('/end');
  });
});

test.each<[string, readonly Buffer[]]>([
  ['a window that grows by 0', [whole, frame(WINDOW_UPDATE, 0, 1, uint32(0))]],
  ['a window above 2^31-1', [whole, frame(WINDOW_UPDATE, 0, 1, uint32(2 ** 31 - 1))]],
  [
    'more body than its length',
    [
      headerFrames(1, block('/open', [['content-length', '1']]), 0),
      frame(DATA, END_STREAM, 1, Buffer.from('abc')),
    ],
  ],
  ['DATA after the end of the request', [whole, frame(DATA, 0, 1, EIGHT)]],
  ['HEADERS after the end of the request', [whole, headerFrames(1, headerBlock([['a', 'b']]))]],
  ['PRIORITY of a wrong size', [whole, frame(PRIORITY, 0, 1, Buffer.alloc(4))]],
])('%s is an error of the stream, or of the connection', async (_name, sent) => {
  expect(await outcomeOf(sent)).toMatch(/^(GOAWAY|reset) [12356]$/);
});

test.each<[string, readonly Buffer[]]>([
  ['unknown frames', [frame(UNKNOWN, 0xff, 0, EIGHT), frame(UNKNOWN, 0xff, 7, EIGHT)]],
  ['unknown settings', [frame(SETTINGS, 0, 0, setting(0xaa, 1))]],
  ['unknown flags, and the reserved bit', [frame(PING, 0xfe, 2 ** 31, EIGHT)]],
  ['unknown codes of errors', [whole, frame(RST_STREAM, 0, 1, uint32(0xdead))]],
  ['PRIORITY of any stream', [frame(PRIORITY, 0, 99, Buffer.concat([uint32(0), Buffer.from([1])]))]],
  ['windows of a half-closed stream', [whole, frame(WINDOW_UPDATE, 0, 1, uint32(1))]],
  [
    'frames of a stream that the client has reset',
    [whole, frame(RST_STREAM, 0, 1, uint32(8)), frame(WINDOW_UPDATE, 0, 1, uint32(1))],
  ],
  [
    'padding',
    [
      frame(
        HEADERS,
        PADDED | END_HEADERS,
        1,
        Buffer.concat([Buffer.from([3]), block('/open'), Buffer.alloc(3)]),
      ),
      frame(DATA, PADDED | END_STREAM, 1, Buffer.from([2, 97, 0, 0])),
    ],
  ],
  ['a frame of the largest size', [begun, frame(DATA, END_STREAM, 1, Buffer.alloc(16_384))]],
  ['TE: trailers', [headerFrames(1, block('/open', [['te', 'trailers']]))]],
])('takes %s', async (_name, sent) => {
  expect(await outcomeOf(sent)).toBe('served');
});

test('sends SETTINGS first, and acknowledges those of the client and each PING', async () => {
  const { socket, frames } = await open();
  const data = Buffer.from('12345678');
  socket.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, setting(3, 7)), frame(PING, 0, 0, data)]));
  socket.write(frame(PING, 0, 0, EIGHT));
  await eventually('it answers', async () => frames.filter(({ type }) => type === PING).length === 2);
  expect(frames[0]).toMatchObject({ type: SETTINGS, flags: 0, stream: 0 });
  expect(frames.filter(({ type, flags }) => type === SETTINGS && flags === ACK)).toHaveLength(2);
  const pings = frames.filter(({ type }) => type === PING);
  expect(pings.map(({ flags, payload }) => [flags, payload.toString()])).toEqual([
    [ACK, data.toString()],
    [ACK, EIGHT.toString()],
  ]);
  socket.destroy();
});

test('refuses more streams than it has announced', async () => {
  const { socket, frames } = await open();
  socket.write(PREFACE);
  await eventually('it has told its settings', async () => frames.length > 0);
  socket.write(frame(SETTINGS, ACK, 0));
  for (let stream = 1; stream <= 9; stream += 2)
    socket.write(headerFrames(stream, block(stream === 9 ? '/last' : '/open')));
  const isRefused = ({ type, stream }: ReceivedFrame): boolean =>
    (type === RST_STREAM && stream === 9) || type === GOAWAY;
  await eventually('the last is refused', async () => frames.some(isRefused));
  expect(seen).not.toHaveProperty('/last');
  socket.destroy();
});

test('joins cookies that were split, and goes by the authority', async () => {
  const fields: Fields = [
    ['cookie', 'a=1'],
    ['cookie', 'b=2'],
    ['host', 'localhost'],
  ];
  expect(await outcomeOf([headerFrames(1, block('/cookies', fields))])).toBe('served');
  expect(seen['/cookies']).toEqual({ cookie: 'a=1; b=2', host: 'localhost' });
});

test('sends no more than the windows of the client have room for', async () => {
  const { socket, frames } = await open();
  socket.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, setting(4, 0)), headerFrames(1, block('/x'))]));
  await eventually('the head has come', async () => frames.some(({ type }) => type === HEADERS));
  socket.write(frame(PING, 0, 0, EIGHT));
  await eventually('so has the PING', async () => frames.some(({ type }) => type === PING));
  expect(frames.some(({ type, payload }) => type === DATA && payload.length > 0)).toBe(false);
  socket.write(frame(WINDOW_UPDATE, 0, 1, uint32(10)));
  await eventually('the body has come', async () => frames.some(({ type }) => type === DATA));
  socket.destroy();
});

test('answers have a status and a date, and no header of one connection; 204 has no body', async () => {
  const { socket, frames } = await open();
  socket.write(Buffer.concat([PREFACE, headerFrames(1, block('/x')), headerFrames(3, block('/204'))]));
  await eventually(
    'both are answered',
    async () => frames.filter(({ type }) => type === HEADERS).length === 2,
  );
  const decoder = new HeaderDecoder();
  const heads = frames.filter(({ type }) => type === HEADERS).map(({ payload }) => namesIn(decoder, payload));
  for (const names of heads) {
    expect(names).toEqual(expect.arrayContaining([':status', 'date']));
    expect(names.filter((name) => /^(connection|keep-alive|transfer-encoding|upgrade)$/.test(name))).toEqual(
      [],
    );
  }
  expect(heads[1]).not.toContain('content-length');
  expect(
    frames.some(({ type, stream, payload }) => type === DATA && stream === 3 && payload.length > 0),
  ).toBe(false);
  socket.destroy();
});

function namesIn(decoder: HeaderDecoder, payload: Buffer): string[] {
  const names: string[] = [];
  decoder.decode(payload, 0, payload.length, ({ bytes, start, end: to }) =>
    names.push(Buffer.from(bytes.subarray(start, to)).toString()),
  );
  return names;
}
