/** Both ends of a tunnel in one process: what is said over HTTP/1.1 through a stream arrives as it was said. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tunnelSession } from '../../tunnel/session.js';
import type { TunnelSession } from '../../tunnel/session.js';
import type { Exchange } from '../../server/httpexchange.js';
import { tunnelServer } from './serve.js';

let net: Server;
let session: TunnelSession;
const seen: string[] = [];

function answer({ request, response }: Exchange): Promise<void> {
  seen.push(request.socket.remoteAddress ?? 'unknown');
  // Text and bytes in one write: Node would send other memory in the place of the text.
  response.writeHead(403, { 'Content-Length': '5', 'X-Text': 'é'.repeat(100) });
  response.end(Buffer.from('hello'));
  return Promise.resolve();
}

beforeAll(async () => {
  const server = tunnelServer(answer, (error) => seen.push(String(error)));
  net = createServer((socket) => void server.serve(socket)).listen(0, '127.0.0.1');
  await once(net, 'listening');
  const socket: Socket = connect((net.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  session = tunnelSession(socket);
});
afterAll(async () => {
  session.destroy();
  net.close();
  await once(net, 'close');
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
  test('answers pass whole, many at a time', async () => {
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

  test('streams are counted for as long as they are open', async () => {
    expect(session.takes).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(session.streams).toBe(0);
    const sent = session.send({ method: 'GET', path: '/', headers: [], lasting: true }, '');
    expect(session.streams).toBe(1);
    sent.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(session.streams).toBe(0);
  });
});
