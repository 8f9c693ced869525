/** What a listener hands on, and what it refuses, of requests that Node or nghttp2 would read without a part of them. */
import { connect, type TLSSocket } from 'node:tls';
import { once } from 'node:events';
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
  PREFACE,
  RST_STREAM,
  SETTINGS,
  statusIn,
  uint32,
  WINDOW_UPDATE,
} from '../../../../test/fixtures/clients/http2frames.js';
import { startListener } from '../../../../test/fixtures/servers/rawlistener.js';
import { eventually } from '../../../../test/fixtures/wait.js';
import type { Exchange } from '../../httpexchange.js';
import { HeaderDecoder } from './headerdecoder.js';
import type { Listener } from '../listener.js';

let listener: Listener;
/** The requests that were handed on. */
let seen: string[] = [];

async function handler({ request, response }: Exchange): Promise<void> {
  seen.push(`${request.method} ${request.url}`);
  request.resume();
  if (request.url === '/watch') return void response.flushHeaders();
  if (request.url === '/big') return void response.end(Buffer.alloc(1024 * 1024));
  response.end(
    JSON.stringify({ url: request.url, headers: request.headers, raw: request.rawHeaders.length / 2 }),
  );
}

beforeAll(async () => {
  listener = await startListener(handler);
});
afterAll(() => listener.drain(0));
beforeEach(() => {
  seen = [];
});

const open = async (protocols: string[] = []): Promise<TLSSocket> => {
  const socket = connect({
    host: '127.0.0.1',
    port: listener.port,
    rejectUnauthorized: false,
    ALPNProtocols: protocols,
  });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
};

/** By stream: the status, and `reset`; by 0: how the connection ended. */
type Answers = Map<number, string>;

interface Http2 {
  readonly socket: TLSSocket;
  readonly answers: Answers;
  readonly settings: Map<number, number>;
}

async function openHttp2(): Promise<Http2> {
  const socket = await open(['h2']);
  const answers: Answers = new Map();
  const settings = new Map<number, number>();
  const decoder = new HeaderDecoder();
  const reader = new FrameReader(({ type, stream, payload }) => {
    const status = type === HEADERS ? statusIn(payload, decoder) : undefined;
    if (status !== undefined) answers.set(stream, status);
    if (type === RST_STREAM && !answers.has(stream)) answers.set(stream, 'reset');
    if (type === GOAWAY) answers.set(0, `GOAWAY ${payload.readUInt32BE(4)}`);
    for (let at = 0; type === SETTINGS && at < payload.length; at += 6)
      settings.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
  });
  socket.on('data', (chunk: Buffer) => reader.take(chunk));
  socket.write(PREFACE);
  return { socket, answers, settings };
}

const windowUpdate = (stream: number): Buffer => frame(WINDOW_UPDATE, 0, stream, uint32(0x7fff_0000));

type Fields = readonly (readonly [name: string, value: string])[];
const request = (path: string, fields: Fields = []): Buffer =>
  headerBlock([
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', path],
    [':authority', 'localhost'],
    ...fields,
  ]);

/** The answers to requests of one connection, the last of which is one for `/end`. */
async function answersTo(blocks: readonly Buffer[]): Promise<string[]> {
  const { socket, answers } = await openHttp2();
  const all = [...blocks, request('/end')];
  socket.write(Buffer.concat(all.map((block, at) => headerFrames(1 + 2 * at, block))));
  await eventually('all are answered', () => Promise.resolve(answers.size >= all.length || answers.has(0)));
  socket.destroy();
  return [...answers].sort(([one], [other]) => one - other).map(([, answer]) => answer);
}

describe('over HTTP/2', () => {
  test.each<[string, string]>([
    ...[
      'nobody ',
      ' nobody',
      'nobody\t',
      ' ',
      'no\x01body',
      'nobody\x7f',
      'no\0body',
      'no\nbody',
      'no\rbody',
    ].map((value): [string, string] => ['impersonate-user', value]),
    ...[
      'impersonate-group',
      'impersonate-uid',
      'impersonate-extra-scopes',
      'x-remote-user',
      'authorization',
    ].map((name): [string, string] => [name, 'a ']),
    ...['content-type', 'if-match', 'anything'].map((name): [string, string] => [name, 'a\x02']),
    ...['impersonate user', 'impersonate-user ', '', 'impersonate-user\0', 'impersonate-üser'].map(
      (name): [string, string] => [name, 'a'],
    ),
    ['host', 'a b'],
    ['host', 'other'],
  ])('refuses %j: %j, and serves the next request', async (name, value) => {
    expect(await answersTo([request('/lost', [[name, value]])])).toEqual(['400', '200']);
    expect(seen).toEqual(['GET /end']);
  });

  test('refuses what refers to such a field in the table, too', async () => {
    const indexed = Buffer.concat([
      request('/lost'),
      Buffer.from([0x40, 1]),
      Buffer.from('a'),
      Buffer.from([2]),
      Buffer.from('b '),
    ]);
    const again = Buffer.concat([request('/lost'), Buffer.from([0x80 | 62])]);
    expect(await answersTo([indexed, again])).toEqual(['400', '400', '200']);
    expect(seen).toEqual(['GET /end']);
  });

  test.each<[string, Buffer]>([
    ['a capital in a name', request('/lost', [['Impersonate-User', 'a']])],
    ['a field of one connection', request('/lost', [['transfer-encoding', 'chunked']])],
    ['TE of another kind', request('/lost', [['te', 'gzip']])],
    [
      'a pseudo-header after others',
      Buffer.concat([
        request('/lost'),
        headerBlock([
          ['a', 'b'],
          [':path', '/other'],
        ]),
      ]),
    ],
    ['two paths', Buffer.concat([request('/lost'), headerBlock([[':path', '/other']])])],
    [
      'no path',
      headerBlock([
        [':method', 'GET'],
        [':scheme', 'https'],
        [':authority', 'x'],
      ]),
    ],
    ['an absolute path', request('https://localhost/lost')],
    [
      'no authority',
      headerBlock([
        [':method', 'GET'],
        [':scheme', 'https'],
        [':path', '/lost'],
      ]),
    ],
  ])('resets the stream for %s', async (_name, block) => {
    expect(await answersTo([block])).toEqual(['reset', '200']);
    expect(seen).toEqual(['GET /end']);
  });

  test.each<[string, Fields]>([
    ['a header of 70 kB', [['a', 'b'.repeat(70_000)]]],
    ['a header of 900 kB', [['a', 'b'.repeat(900_000)]]],
    ['a name of 70 kB', [['a'.repeat(70_000), 'b']]],
    [
      'more than 64 KiB in all',
      Array.from({ length: 70 }, (_each, at) => [`a${at}`, 'b'.repeat(1000)] as const),
    ],
    ['more than 2,000 headers', Array.from({ length: 2_010 }, () => ['a', ''] as const)],
  ])('answers 431 for %s, and goes on with a watch and the next request', async (_name, fields) => {
    const answers = await answersTo([
      request('/watch'),
      request('/lost', fields),
      request('/after', [['c', 'd']]),
    ]);
    expect(answers).toEqual(['200', '431', '200', '200']);
    expect(seen).toEqual(['GET /watch', 'GET /after', 'GET /end']);
  });

  test('answers 431 for a long URL, and goes on', async () => {
    expect(await answersTo([request(`/${'u'.repeat(70_000)}`), request(`/${'u'.repeat(500_000)}`)])).toEqual([
      '431',
      '431',
      '200',
    ]);
  });

  test('knows the table of the client after a large list', async () => {
    const entry = (name: string, value: string): Buffer => {
      const literal = headerBlock([[name, value]]);
      literal[0] = 0x40;
      return literal;
    };
    const kept = Buffer.concat([request('/one'), entry('kept', '1')]);
    const large = Buffer.concat([request('/lost', [['x', 'y'.repeat(70_000)]]), entry('later', '2')]);
    const both = Buffer.concat([request('/both'), Buffer.from([0x80 | 62, 0x80 | 63])]);
    expect(await answersTo([kept, large, both])).toEqual(['200', '431', '200', '200']);
    expect(seen).toEqual(['GET /one', 'GET /both', 'GET /end']);
  });

  test('announces what it takes', async () => {
    const { socket, settings } = await openHttp2();
    await eventually('it has told its settings', () => Promise.resolve(settings.size > 0));
    expect(settings.get(6)).toBe(64 * 1024);
    socket.destroy();
  });

  test('resets a request with trailers that it would lose', async () => {
    const { socket, answers } = await openHttp2();
    socket.write(headerFrames(1, request('/slow'), 0));
    socket.write(frame(DATA, 0, 1, Buffer.from('x')));
    socket.write(headerFrames(1, headerBlock([['a', 'b ']]), END_STREAM));
    socket.write(headerFrames(3, request('/end')));
    await eventually('the next is answered', () => Promise.resolve(answers.has(3)));
    expect(answers.has(0)).toBe(false);
    socket.destroy();
  });

  // nghttp2 stops at each DATA frame while a write is under way, and goes on when its client reads.
  test('refuses what is held back while its client reads nothing', async () => {
    const { socket, answers } = await openHttp2();
    const noWindow = Buffer.alloc(6);
    noWindow.writeUInt16BE(4);
    socket.write(Buffer.concat([frame(SETTINGS, 0, 0, noWindow), windowUpdate(0)]));
    socket.write(headerFrames(1, request('/slow'), 0));
    const large = Array.from({ length: 40 }, (_each, at) => 3 + 2 * at);
    socket.write(Buffer.concat(large.map((stream) => headerFrames(stream, request('/big')))));
    await eventually('all are there', () => Promise.resolve(seen.length === large.length + 1));
    socket.pause();
    const split = request('/split');
    socket.write(
      Buffer.concat([
        ...large.map(windowUpdate),
        frame(HEADERS, END_STREAM, 101, split.subarray(0, 20)),
        frame(CONTINUATION, END_HEADERS, 101, split.subarray(20)),
        ...Array<Buffer>(3).fill(frame(DATA, 0, 1, Buffer.from('{}'))),
        headerFrames(103, request('/lost', [['impersonate-user', 'nobody ']])),
        headerFrames(105, request('/lost', [['a', 'b'.repeat(70_000)]])),
        headerFrames(107, request('/end')),
      ]),
    );
    // For as long as anything of these requests could be forgotten.
    await new Promise((resolve) => setTimeout(resolve, 500));
    socket.resume();
    const last = [103, 105, 107];
    await eventually('the last are answered', () => Promise.resolve(last.every((one) => answers.has(one))));
    expect(last.map((stream) => answers.get(stream))).toEqual(['400', '431', '200']);
    expect(seen).not.toContain('GET /lost');
    socket.destroy();
  });

  test('ends the connection for a block of very many fields', async () => {
    const many = Buffer.concat([request('/lost'), Buffer.alloc(4_000, 0x84)]);
    expect(await answersTo([many])).toEqual(['GOAWAY 11']);
    expect(seen).toEqual([]);
  });

  test('ends the connection for a block that is none', async () => {
    expect(await answersTo([Buffer.from([0xbe])])).toEqual(['GOAWAY 9']);
    expect(seen).toEqual([]);
  });
});

async function over1(text: string): Promise<{ status: number; body: string }> {
  const socket = await open();
  socket.end(text, 'latin1');
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  const last = answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  return { status: Number(last.slice(9, 12)), body: last.split('\r\n\r\n').slice(1).join('') };
}
const HOST = 'Host: localhost\r\n';
const get = (more: string, target = '/x'): string => `GET ${target} HTTP/1.1\r\n${HOST}${more}\r\n`;
const SHORT = 'a: \r\n';

describe('over HTTP/1.1', () => {
  test.each<[string, number, string]>([
    ['2,000 headers before another', 431, get(`${SHORT.repeat(2_000)}Impersonate-User: nobody\r\n`)],
    ['200,000 headers before another', 431, get(`${SHORT.repeat(200_000)}Impersonate-User: nobody\r\n`)],
    ['two users', 400, get('Impersonate-User: a\r\nimpersonate-user: b\r\n')],
    ['two tokens', 400, get('Authorization: Bearer a\r\nAuthorization: Bearer b\r\n')],
    ['two types', 400, get('Content-Type: a/b\r\nContent-Type: c/d\r\n')],
    ['no Host', 400, 'GET / HTTP/1.1\r\n\r\n'],
    ['two Hosts', 400, get(HOST)],
    ['a Host that is none', 400, 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ...['a:b', 'a:1:2', ':443', '[::1', '[::1]a', '::1', 'a%zz', 'a@b', 'a,b c'].map(
      (host): [string, number, string] => [
        `the Host ${host}`,
        400,
        `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      ],
    ),
    ['a URL without a host', 400, get('', 'https://:443/x')],
    ['a URL with a user', 400, get('', 'https://a@other/x')],
    ['a fragment', 400, get('', '/x#y')],
    ['an escape that is none', 400, get('', '/api/%zz')],
    ['escapes that are not UTF-8', 400, get('', '/api/%ff')],
    ['a target that is no path', 400, get('', 'x')],
    ['the target * of a GET', 400, get('', '*')],
    ['no version', 400, `GET /\r\n${HOST}\r\n`],
    ['another version', 505, `GET / HTTP/2.0\r\n${HOST}\r\n`],
    ['a folded line', 400, get('Impersonate-User: a\r\n b\r\n')],
    ['a blank before the colon', 400, get('Impersonate-User : a\r\n')],
    ['a control character', 400, get('Impersonate-User: a\x01\r\n')],
    ['NUL', 400, get('Impersonate-User: a\0b\r\n')],
    ['a line without a colon', 400, get('Impersonate-User\r\n')],
    ['a length beside chunks', 400, get('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n') + '0\r\n\r\n'],
    ['chunks beside a length', 400, get('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n') + '0\r\n\r\n'],
    ['two lengths', 400, get('Content-Length: 1\r\nContent-Length: 1\r\n') + 'a'],
    ['a length that is none', 400, get('Content-Length: +1\r\n') + 'a'],
    ['a coding that is not known', 400, get('Transfer-Encoding: gzip, chunked\r\n') + '0\r\n\r\n'],
    ['a coding twice', 400, get('Transfer-Encoding: chunked, chunked\r\n') + '0\r\n\r\n'],
    ['chunks in HTTP/1.0', 400, `POST / HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['another expectation', 417, get('Expect: 200-ok\r\n')],
    ['another expectation besides', 417, get('Expect: 200-ok, 100-continue\r\n')],
    ['CONNECT', 405, `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`],
    [
      'an upgrade with two users',
      400,
      get('Connection: upgrade\r\nUpgrade: websocket\r\nImpersonate-User: a\r\nImpersonate-User: b\r\n'),
    ],
  ])('refuses %s with %i', async (_name, status, text) => {
    expect((await over1(text)).status).toBe(status);
    expect(seen).toEqual([]);
  });

  test.each<[string, string, object]>([
    ['as many headers as are taken', get(SHORT.repeat(1_999)), { raw: 2_000 }],
    [
      'a URL as target, whose host counts',
      get('', 'https://other/x?y'),
      { url: '/x?y', headers: { host: 'other' } },
    ],
    ['a URL without a path', get('', 'HTTP://other'), { url: '/', headers: { host: 'other' } }],
    ...['localhost:', '[::1]:443', 'a%41.b_c:1', ''].map((host): [string, string, object] => [
      `the Host "${host}"`,
      `GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      { headers: { host } },
    ]),
    ['blanks around a value', get('A: \t b c \t\r\n'), { headers: { a: 'b c' } }],
    [
      'lists in several lines',
      get('If-Match: "a"\r\nIf-Match: "b"\r\n'),
      { headers: { 'if-match': '"a", "b"' } },
    ],
    ['the expectation in capitals', get('Expect: 100-Continue\r\n'), { url: '/x' }],
    ['HTTP/1.0 without a Host', 'GET /x HTTP/1.0\r\n\r\n', { url: '/x' }],
    [
      'an upgrade in HTTP/1.0 as none',
      `GET /x HTTP/1.0\r\n${HOST}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
      { url: '/x' },
    ],
    ['an upgrade to HTTP/2 as none', get('Connection: upgrade\r\nUpgrade: h2c\r\n'), { url: '/x' }],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, { url: '*' }],
    [
      'chunks with extensions, and trailers that are no headers',
      `POST /x HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n1;a="b"\r\nx\r\n0\r\nImpersonate-User: a\r\n\r\n`,
      { headers: { host: 'localhost', 'transfer-encoding': 'chunked' } },
    ],
  ])('serves %s', async (_name, text, expected) => {
    const { status, body } = await over1(text);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject(expected);
    expect(body).not.toContain('mpersonate');
  });
});
