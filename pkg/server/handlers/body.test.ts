import { once } from 'node:events';
import { connect } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MAX_BODY_BYTES, readBody } from './body.js';
import { RequestContext } from '../requestcontext.js';
import { failureOf, sendFailure } from '../failure.js';
import { listen, type Listener } from '../listener/listener.js';
import { issueAuthority, issueServing } from '../../pki/issue.js';

const BODY_TIMEOUT_MS = 100;
let listener: Listener;

beforeAll(async () => {
  const pair = await issueServing(await issueAuthority('test'), ['localhost']);
  listener = await listen({
    address: '127.0.0.1',
    port: 0,
    tls: { key: pair.key, cert: pair.certificate },
    clientCertificates: false,
    failed: () => undefined,
    handler: async (exchange) => {
      const call = new RequestContext(exchange, () => Promise.resolve(1));
      try {
        exchange.response.end(await readBody(exchange, { timeoutMs: BODY_TIMEOUT_MS }));
      } catch (error) {
        sendFailure(call, failureOf(error, call, undefined, { error: () => undefined }));
      }
    },
  });
});
afterAll(() => listener.drain(0));

test('over HTTP/1.1 a stalled body ends the request and the connection', async () => {
  const socket = connectTls({ port: listener.port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'close');
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toMatch(/^Connection: close\r$/im);
  expect(text).toContain('the request body did not come within 0.1 seconds');
});

test('over HTTP/2 a stalled body ends the stream, and the connection stays', async () => {
  const session = connect(`https://localhost:${listener.port}`, { rejectUnauthorized: false });
  const slow = session.request({ ':method': 'POST', ':path': '/' }, { endStream: false });
  slow.write('{');
  const [headers] = (await once(slow, 'response')) as [Record<string, unknown>];
  expect(headers[':status']).toBe(400);
  slow.resume();
  await once(slow, 'close');
  const quick = session.request({ ':method': 'POST', ':path': '/' });
  quick.end('body');
  const [chunk] = (await once(quick, 'data')) as [Buffer];
  expect(chunk.toString()).toBe('body');
  session.close();
});

test('over HTTP/2 the client of a body over the limit receives the whole answer before the stream ends', async () => {
  const session = connect(`https://localhost:${listener.port}`, { rejectUnauthorized: false });
  const stream = session.request({
    ':method': 'POST',
    ':path': '/',
    'content-length': String(MAX_BODY_BYTES + 1),
  });
  const order: string[] = [];
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  stream.once('end', () => order.push('end'));
  stream.once('close', () => order.push('close'));
  stream.write(Buffer.alloc(MAX_BODY_BYTES));
  await once(stream, 'close');
  expect(JSON.parse(text)).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
  expect(order).toEqual(['end', 'close']);
  session.close();
});
