/** Agents that send without end, where nothing is to come: how much of it is read. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '../../test/fixtures/wait.js';
import { cancellation } from './cancel.js';
import { Http2TunnelSession } from './session.js';

const MIB = 1024 * 1024;
const BYTES = 'x'.repeat(64 * 1024);

let net: Server;
let sent = 0;
let closed = 0;
afterEach(async () => {
  net.close();
  await once(net, 'close');
});

/** Answers each stream with `head`, and then with `piece` for as long as it is read. Returns its port. */
async function startAgent(head: string, piece: string): Promise<number> {
  sent = closed = 0;
  const flood = (stream: ServerHttp2Stream): void => {
    stream.on('error', () => undefined).once('close', () => (closed += 1));
    stream.respond();
    stream.write(head);
    const more = (): void => {
      while (!stream.destroyed) {
        sent += piece.length;
        if (!stream.write(piece)) return void stream.once('drain', more);
      }
    };
    setImmediate(more);
  };
  net = createServer((socket) => void performServerHandshake(socket).on('stream', flood));
  net.listen(0, '127.0.0.1');
  await once(net, 'listening');
  return (net.address() as AddressInfo).port;
}

const WHOLE = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab';
test.each([
  ['interim responses', '', 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'.repeat(100)],
  ['bytes behind a response', WHOLE, BYTES],
  ['further responses', WHOLE, WHOLE.repeat(100)],
  ['trailers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'a: b\r\n'.repeat(1000)],
])('%s end a lasting request', async (_what, head, piece) => {
  const socket = connect(await startAgent(head, piece), '127.0.0.1');
  await once(socket, 'connect');
  const session = new Http2TunnelSession(socket);
  const request = session.send({ method: 'GET', path: '/', headers: [], lasting: true }, '10.0.0.1');
  request.once('response', (answer: IncomingMessage) => answer.on('error', () => undefined).resume());
  request.end();
  await eventually('the stream is closed', () => Promise.resolve(closed === 1));
  expect(sent).toBeLessThan(4 * MIB);
  session.destroy();
});

test('a stream that is not reset at once is reset when too much comes', async () => {
  const client = connectHttp2(`http://127.0.0.1:${await startAgent('', BYTES)}`);
  const open = () =>
    client.request({ ':method': 'CONNECT', ':authority': 'agent' }).on('error', () => undefined);
  // The clock stands still: after the first resets all others wait.
  const cancel = cancellation(() => 0);
  const first = open();
  while (!cancel(first));
  await once(first, 'close');
  const second = open();
  expect(cancel(second)).toBe(true);
  await once(second, 'close');
  expect(sent).toBeLessThan(12 * MIB);
  client.destroy();
});
