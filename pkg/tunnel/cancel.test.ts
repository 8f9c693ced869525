/** Cancelled requests in a tunnel, both ends of which are in one process. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../../test/fixtures/wait.js';
import { tunnelServer } from '../agent/tunnel/serve.js';
import { Http2TunnelSession, type TunnelSession } from './session.js';

/** More requests than nghttp2 accepts at once. */
const GIVEN_UP = 1_500;
const AT_A_TIME = 50;

let net: Server;
let session: TunnelSession;
/** The number of requests that the agent is serving. */
let open = 0;

beforeEach(async () => {
  open = 0;
  const server = tunnelServer(
    ({ request, response, end }) => {
      open += 1;
      end.after(() => (open -= 1));
      if (request.url === '/bytes') response.write(Buffer.alloc(1024 * 1024));
      else response.flushHeaders();
      return Promise.resolve();
    },
    () => undefined,
  );
  net = createServer((socket) => void server.serve(socket)).listen(0, '127.0.0.1');
  await once(net, 'listening');
  const socket = connect((net.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  session = new Http2TunnelSession(socket);
});
afterEach(async () => {
  session.destroy();
  net.close();
  await once(net, 'close');
});

async function begin(path = '/'): Promise<{ answer: IncomingMessage; end(): Promise<unknown> }> {
  const sent = session.send({ method: 'GET', path, headers: [], lasting: true }, '10.0.0.1');
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    answer,
    end() {
      const closed = once(sent, 'close');
      sent.destroy();
      return closed;
    },
  };
}

test('thousands of aborted requests end no other request, and leave no stream', async () => {
  const other = await begin();
  let ended = false;
  other.answer.once('close', () => (ended = true)).on('error', () => undefined);
  const each = async (): Promise<void> => {
    for (let times = 0; times < GIVEN_UP / AT_A_TIME; times += 1) await (await begin()).end();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, each));
  await eventually('the agent has ended them', () => Promise.resolve(open === 1));
  expect([ended, session.ended, session.hasCapacity, session.streams]).toEqual([false, false, true, 1]);
  // A request whose client has stopped reading is cancelled, too.
  const full = await begin('/bytes');
  await full.end();
  await eventually('the agent has ended it', () => Promise.resolve(open === 1));
  expect([ended, session.streams]).toEqual([false, 1]);
  await other.end();
});
