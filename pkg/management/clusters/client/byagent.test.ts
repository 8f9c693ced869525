import { createServer, request, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { wayByAgent } from './byagent.js';

let cluster: Server;
let answer: (response: ServerResponse) => void;
beforeAll(async () => {
  cluster = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(cluster, 'listening');
});
afterAll(() => void cluster.close());

const way = wayByAgent('the cluster east', {
  token: () => Promise.resolve('t'),
  open: ({ method, path }) => {
    const { port } = cluster.address() as AddressInfo;
    return Promise.resolve(request({ host: '127.0.0.1', port, method, path, agent: false }));
  },
});

const ask = async () => way.send?.('requests', '/version', {}, undefined);

test('an answer that changes the protocol, or none, ends the request with an error', async () => {
  for (const said of ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', '']) {
    answer = ({ socket }) => socket?.end(said);
    await expect(ask()).rejects.toThrow(/ended without an answer|hang up/);
  }
});

test('an answer is passed on', async () => {
  answer = (response) => response.writeHead(204).end();
  expect((await ask())?.statusCode).toBe(204);
});
