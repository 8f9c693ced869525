import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStub, type StubServer } from '../../../test/fixtures/stubs/stubserver.js';
import type { Terminal } from '../output/terminal.js';
import { keyByBrowser } from './oidclogin.js';
import type { Connection } from './serverconnection.js';

let stub: StubServer;
beforeAll(async () => {
  stub = await startStub((_request, response, body) => {
    const { code } = JSON.parse(body) as { code: string };
    response.end(JSON.stringify({ access_token: `key for ${code}` }));
  });
});
afterAll(() => stub.stop());

/** The raw answer of the process to a request line. */
async function raw(port: number, target: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (chunk: string) => (answer += chunk)).on('error', () => undefined);
  socket.end(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  await once(socket, 'close');
  return answer;
}

test('a request without the state does not end a waiting login', async () => {
  const connection: Connection = {
    server: new URL(stub.url),
    ca: undefined,
    rejectUnauthorized: false,
  } as unknown as Connection;
  let said = '';
  const terminal = { tell: (text: string) => (said += text) } as unknown as Terminal;
  const key = keyByBrowser(
    connection,
    terminal,
    () => undefined,
    () => Promise.resolve(),
  );
  while (said === '') await new Promise((resolve) => setTimeout(resolve, 10));
  const asked = new URL((/https:\S+/.exec(said) as RegExpExecArray)[0]).searchParams;
  const back = new URL(asked.get('redirect_uri') as string);
  const port = Number(back.port);
  for (const target of ['//[', ':99999/', '@[/', '//%', '/?code=theirs', '/?state=&code=theirs', '*'])
    expect([target, await raw(port, target)]).toEqual([target, expect.stringMatching(/^HTTP\/1.1 40[04] /)]);
  back.search = `?state=${asked.get('state')}&code=mine`;
  request(back)
    .on('error', () => undefined)
    .end();
  expect(await key).toBe('key for mine');
});
