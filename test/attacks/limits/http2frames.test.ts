/** The server keeps running, whatever frames an HTTP/2 client sends, and in whatever order. */
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import * as frames from '../../fixtures/clients/http2frames.js';
import { frame, headerBlock, uint32 } from '../../fixtures/clients/http2frames.js';
import { randomNumbers } from '../../fixtures/clients/random.js';
import { VIEWER_TOKEN, type ServerFixture } from '../../fixtures/servers/server.js';
import {
  CONFIGMAPS,
  endInOrder,
  expectUnharmed,
  startRobustServer,
} from '../../fixtures/servers/robustserver.js';

const CONNECTIONS = 1_000;
const AT_A_TIME = 32;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const REVIEW = '{"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}';
const BODIES = ['{}', REVIEW, 'x'.repeat(3_000)];
const READS = ['/version', '/nothing', CONFIGMAPS, '/openapi/v2', '/api/v1/configmaps?watch=1'];
const WRITES = [REVIEWS, '/version', CONFIGMAPS];
/** Error codes of RST_STREAM. */
const RESETS = [0, 1, 5, 7, 8];
/** Error codes of GOAWAY; most are NO_ERROR. */
const PARTINGS = [0, 0, 0, 1, 2, 11];

let server: ServerFixture;
beforeAll(async () => {
  server = await startRobustServer();
});
afterAll(() => endInOrder(server));
afterEach(() => expectUnharmed(server));

const random = randomNumbers(9113);
const upTo = (most: number): number => Math.floor(random() * most);
const oneOf = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;

/** A request with a valid token, an invalid one, or none. */
function request(stream: number): Buffer {
  const method = oneOf(['GET', 'GET', 'HEAD', 'DELETE', 'POST']);
  const writes = method === 'POST';
  const authorization = oneOf([`Bearer ${VIEWER_TOKEN}`, 'Bearer wrong', undefined]);
  const block = headerBlock({
    ':method': method,
    ':scheme': 'https',
    ':path': oneOf(writes ? WRITES : READS),
    ':authority': 'x',
    ...(authorization === undefined ? {} : { authorization }),
    ...(writes ? { 'content-type': 'application/json' } : {}),
    ...(random() < 0.05 ? { expect: '100-continue' } : {}),
  });
  const whole = random() < (writes ? 0.1 : 0.8);
  return frame(frames.HEADERS, frames.END_HEADERS + (whole ? frames.END_STREAM : 0), stream, block);
}

/** A random stream before `next`, which may have ended. */
const streamBefore = (next: number): number => 1 + 2 * upTo((next - 1) / 2);

const OTHERS: readonly ((next: number) => Buffer)[] = [
  (next) => frame(frames.DATA, upTo(2), streamBefore(next), Buffer.from(oneOf(BODIES))),
  (next) => frame(frames.RST_STREAM, 0, streamBefore(next), uint32(oneOf(RESETS))),
  (next) => frame(frames.GOAWAY, 0, 0, Buffer.concat([uint32(oneOf([0, 2, next])), uint32(oneOf(PARTINGS))])),
  () => frame(frames.PING, 0, 0, Buffer.alloc(8)),
  (next) => frame(frames.WINDOW_UPDATE, 0, oneOf([0, streamBefore(next)]), uint32(1 + upTo(2 ** 31 - 1))),
  () =>
    frame(frames.SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, 4]), uint32(oneOf([0, 65_535, 2 ** 20]))])),
  (next) => frame(frames.PRIORITY, 0, next, Buffer.concat([uint32(0), Buffer.from([1])])),
];

function conversation(): Buffer[] {
  const sent: Buffer[] = [request(1)];
  let next = 3;
  for (let left = upTo(20); left > 0; left--) {
    if (random() < 0.5) {
      sent.push(request(next));
      next += 2;
    } else sent.push(oneOf(OTHERS)(next));
  }
  return sent;
}

/**
 * Sends random frames, mostly in one write, so that the server reads them at once. Resolves when the connection is
 * closed.
 */
async function converse(): Promise<void> {
  const socket = connectTls({
    port: server.port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  });
  const parts = conversation();
  const writes = random() < 0.7 ? [Buffer.concat([frames.PREFACE, ...parts])] : [frames.PREFACE, ...parts];
  const leavesAfter = upTo(100);
  const resets = random() < 0.5;
  const reads = random() < 0.7;
  await new Promise<void>((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve());
    socket.once('secureConnect', () => {
      for (const bytes of writes) socket.write(bytes);
      if (reads) socket.resume();
      setTimeout(() => (resets ? socket.destroy() : socket.end()), leavesAfter);
      setTimeout(() => socket.destroy(), leavesAfter + 200);
    });
  });
}

test('the same frames in order are answered', async () => {
  const socket = connectTls({
    port: server.port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  });
  const block = headerBlock({
    ':method': 'GET',
    ':scheme': 'https',
    ':path': '/version',
    ':authority': 'x',
    authorization: `Bearer ${VIEWER_TOKEN}`,
  });
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const goaway = frame(frames.GOAWAY, 0, 0, Buffer.concat([uint32(0), uint32(0)]));
  socket.write(
    Buffer.concat([
      frames.PREFACE,
      frame(frames.HEADERS, frames.END_HEADERS + frames.END_STREAM, 1, block),
      goaway,
    ]),
  );
  // The server closes the connection after the responses to the requests in progress.
  await new Promise((resolve) => socket.once('end', resolve));
  socket.destroy();
  expect(Buffer.concat(received).toString()).toContain('"gitVersion"');
});

test('conversations of random frames', async () => {
  let begun = 0;
  const client = async (): Promise<void> => {
    for (; begun < CONNECTIONS; begun++) await converse();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, client));
});
