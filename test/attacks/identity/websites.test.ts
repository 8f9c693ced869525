/** Pages of other sites cannot read anything with the client certificate of a browser. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { ADMIN_TOKEN } from '../../fixtures/servers/server.js';

const PATH = '/api/v1/namespaces?watch=1';
const SITE = 'https://site.example';
const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(ADMIN_TOKEN).toString('base64url')}`;

let running: EngineServer;
beforeAll(async () => {
  running = await startEmbedded();
});
afterAll(() => running.remove());

/** The status of the response to the handshake, and its text. */
const handshake = (protocols: string[], headers: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const url = `${running.server.url.replace('https', 'wss')}${PATH}`;
    const socket = new WebSocket(url, protocols, { headers, rejectUnauthorized: false });
    socket.once('error', reject);
    socket.once('open', () => {
      socket.terminate();
      resolve('101');
    });
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve(`${String(response.statusCode)} ${Buffer.concat(chunks).toString()}`),
      );
    });
  });
const own = (): string => running.server.url;

test.each([SITE, 'null', 'http://127.0.0.1', 'https://127.0.0.1.site.example'])(
  'a page of %s without a token is refused before authentication',
  async (origin) => {
    expect(await handshake([], { origin })).toBe('403 403 Forbidden');
  },
);
test('with a token it is served, and so is a page of the server and a client that is no browser', async () => {
  expect(await handshake([token, 'base64.binary.k8s.io'], { origin: SITE })).toBe('101');
  const authorization = `Bearer ${ADMIN_TOKEN}`;
  expect(await handshake([], { authorization })).toBe('101');
  // A request from its own page is authenticated: here it is anonymous.
  expect(await handshake([], { origin: own() })).toMatch(/^403 .*system:anonymous/);
  expect(await handshake([], {})).toMatch(/^403 .*system:anonymous/);
});
