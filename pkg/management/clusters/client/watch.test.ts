import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issueAuthority, issueServing } from '../../../pki/issue.js';
import { addressPolicy, parseNetwork } from './addresspolicy.js';
import { connectionOf } from './connection.js';
import type { Connection } from './interface.js';

const LOOPBACK = addressPolicy([parseNetwork('127.0.0.0/8')].filter((one) => one !== undefined));

describe('a watch of a cluster', () => {
  let server: Server;
  let connection: Connection;
  let answer: (response: ServerResponse) => void;
  let asked: string[];
  let closed: Promise<unknown>;
  let ended: AbortController;

  beforeAll(async () => {
    const ca = await issueAuthority('test');
    const { certificate, key } = await issueServing(ca, ['127.0.0.1']);
    server = createServer({ cert: certificate, key }, (request, response) => {
      asked.push(`${request.url} ${request.headers.accept}`);
      closed = once(response, 'close');
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const credentials = { server: `https://127.0.0.1:${port}`, authority: ca.certificate, token: 't' };
    connection = connectionOf(
      'cluster "east"',
      { certificate: undefined, key: undefined, ...credentials },
      LOOPBACK,
    );
  });
  beforeEach(() => {
    asked = [];
    ended = new AbortController();
  });
  afterAll(() => {
    connection?.close();
    server?.closeAllConnections();
    server?.close();
  });

  const watch = (onEvent: (event: object) => void): Promise<number> =>
    connection.watch({ path: '/watch', accept: 'application/json;as=X', signal: ended.signal, onEvent });

  test('reads events split at any byte', async () => {
    const events: object[] = [];
    answer = (response) => {
      const bytes = Buffer.from('{"type":"ADDED","object":{"a":"ä"}}\n\n{"type":"BOOKMARK"}\nno JSON\n');
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end('{"type":"cut');
    };
    expect(await watch((event) => events.push(event))).toBe(200);
    expect(events).toEqual([{ type: 'ADDED', object: { a: 'ä' } }, { type: 'BOOKMARK' }, {}]);
    expect(asked).toEqual(['/watch application/json;as=X']);
  });

  test('ends with its signal and closes its connection', async () => {
    answer = (response) => response.write('{}\n');
    expect(await watch(() => ended.abort())).toBe(200);
    await closed;
  });

  test('returns a refusal, and throws for an invalid response', async () => {
    answer = (response) => response.writeHead(410).end('{}');
    expect(await watch(() => undefined)).toBe(410);
    answer = (response) => void response.destroy();
    await expect(watch(() => undefined)).rejects.toMatchObject({ code: 504 });
  });

  test('ignores brackets inside strings', async () => {
    const object = { metadata: { annotations: { note: ',[{'.repeat(400_000) } } };
    const events: object[] = [];
    answer = (response) => response.end(`${JSON.stringify(object)}\n`);
    expect(await watch((event) => events.push(event))).toBe(200);
    expect(events).toEqual([object]);
    expect(await connection.request({ method: 'GET', path: '/one' })).toEqual({ status: 200, object });
  });

  test('closes a refusal whose body does not end', async () => {
    answer = (response) => response.writeHead(500).write('x');
    expect(await watch(() => undefined)).toBe(500);
    await closed;
  });

  test.each([
    ['long', 'x'.repeat(5 * 1024 * 1024)],
    ['long to parse', `[${'[],'.repeat(140_000)}0]\n`],
  ])('fails on an event that is too %s', async (_what, text) => {
    answer = (response) => response.end(text);
    await expect(watch(() => undefined)).rejects.toThrow('cluster "east" cannot be reached: ');
  });

  test('gives up a cluster that sends interim responses without end', async () => {
    answer = (response) => {
      const hints = 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'.repeat(50);
      const more = (error?: Error | null): void => {
        if (error === undefined || error === null) response.socket?.write(hints, more);
      };
      more();
    };
    await expect(watch(() => undefined)).rejects.toMatchObject({
      code: 504,
      message: expect.stringContaining('the connection broke off'),
    });
  });
});
