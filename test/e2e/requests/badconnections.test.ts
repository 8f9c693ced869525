/** The server keeps running, whatever a client does to its connections. */
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN_TOKEN, fetchFrom, type ServerFixture } from '../../fixtures/servers/server.js';
import {
  CONFIGMAPS,
  endInOrder,
  expectUnharmed,
  startRobustServer,
} from '../../fixtures/servers/robustserver.js';

let server: ServerFixture;
beforeAll(async () => {
  server = await startRobustServer();
});
afterAll(() => endInOrder(server));
afterEach(() => expectUnharmed(server));

describe('connections', () => {
  test('bytes that are no TLS, and no HTTP', async () => {
    const tcp = connectTcp(server.port, '127.0.0.1');
    tcp.on('error', () => undefined);
    tcp.end('GET / HTTP/1.1\r\n\r\n');
    tcp.resume();
    await once(tcp, 'close');
    const tls = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
    tls.on('error', () => undefined);
    await once(tls, 'secureConnect');
    tls.end('no HTTP at all\r\n\r\n');
    tls.resume();
    await once(tls, 'close');
  });

  test('fifty that stay half open', async () => {
    const head = `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nContent-Length: 1000\r\n\r\n{`;
    const sockets = await Promise.all(
      Array.from({ length: 50 }, async (_unused, index) => {
        const socket = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
        socket.on('error', () => undefined);
        await once(socket, 'secureConnect');
        socket.write(index % 2 === 0 ? head : 'GET /api HTTP/1.1\r\nHost:');
        return socket;
      }),
    );
    expect(await fetchFrom(`${server.url}${CONFIGMAPS}/there`)).toMatchObject({ status: 200 });
    for (const socket of sockets) socket.destroy();
  });

  test('HTTP/2 streams that are reset as fast as they are made', async () => {
    for (let round = 0; round < 5; round++) {
      const session = connectHttp2(server.url, { rejectUnauthorized: false });
      session.on('error', () => undefined);
      await once(session, 'connect');
      const headers = { ':path': CONFIGMAPS, authorization: `Bearer ${ADMIN_TOKEN}` };
      for (let i = 0; i < 500 && !session.destroyed; i++) {
        const stream = session.request(headers);
        stream.on('error', () => undefined);
        stream.close(constants.NGHTTP2_CANCEL);
      }
      session.destroy();
      if (!session.closed) await once(session, 'close');
    }
  });
});

test('after all that it still ends in order', async () => {
  await server.stop();
  await server.restart();
});
