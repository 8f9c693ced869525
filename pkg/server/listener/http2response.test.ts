import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import {
  connect,
  createServer,
  type ClientHttp2Session,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createGzip, gunzipSync } from 'node:zlib';
import { Http2Request } from './http2request.js';
import { Http2Response } from './http2response.js';

type Serve = (request: Http2Request, response: Http2Response) => void;

const HEADERS = { 'Content-Type': 'text/plain', Warning: ['299 - "a"', '299 - "b"'] };
let serve: Serve = () => undefined;
const server = createServer({
  Http2ServerRequest: Http2Request as unknown as typeof Http2ServerRequest,
  Http2ServerResponse: Http2Response as unknown as typeof Http2ServerResponse,
});
server.on('request', (request, response) =>
  serve(request as unknown as Http2Request, response as unknown as Http2Response),
);
let session: ClientHttp2Session;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(() => void (serve = () => undefined));
afterAll(() => {
  session.destroy();
  server.close();
});

interface Got {
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
  readonly trailers: number;
}

async function ask(by: Serve, sent: OutgoingHttpHeaders = {}, body?: string): Promise<Got> {
  serve = by;
  const stream = session.request({ ':path': '/a?b', ...sent }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const chunks: Buffer[] = [];
  let trailers = 0;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('trailers', () => (trailers += 1));
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  if (!stream.closed) await once(stream, 'close');
  return { headers, body: Buffer.concat(chunks), trailers };
}

describe('an answer over HTTP/2', () => {
  test('has the given status, headers and body, and no trailers', async () => {
    const { headers, body, trailers } = await ask((_request, response) => {
      response.setHeader('Content-Type', 'replaced');
      response.setHeader('Audit-Id', '1');
      response.setHeader('Connection', 'close');
      response.setHeader('gone', 'x');
      response.removeHeader('Gone');
      response.writeHead(201, HEADERS).end(Buffer.from('whole'));
    });
    expect(headers).toMatchObject({ ':status': 201, 'content-type': 'text/plain', 'audit-id': '1' });
    expect(headers).toMatchObject({ warning: HEADERS.Warning.join(', '), date: expect.any(String) });
    expect(headers).not.toHaveProperty('connection');
    expect(headers).not.toHaveProperty('gone');
    expect([body.toString(), trailers]).toEqual(['whole', 0]);
  });

  test('may be written in chunks, through a pipe', async () => {
    const { body } = await ask((_request, response) => {
      const gzip = createGzip();
      gzip.pipe(response as unknown as NodeJS.WritableStream);
      gzip.write('first,');
      gzip.end('second');
    });
    expect(gunzipSync(body).toString()).toBe('first,second');
  });

  test.each([
    ['GET', 'body', 'body'],
    ['GET', '', ''],
    ['HEAD', 'body', ''],
  ])('%s of %j has the body %j', async (method, sent, got) => {
    let taken = 0;
    const answer = (_request: Http2Request, response: Http2Response): void => {
      response.statusCode = 404;
      response.end(sent, () => (taken += 1));
      response.end('again');
    };
    const { headers, body } = await ask(answer, { ':method': method });
    expect([headers[':status'], body.toString(), taken]).toEqual([404, got, 1]);
  });

  test('knows the sent bytes, whatever the writer', async () => {
    const seen: unknown[] = [];
    await ask((_request, response) => {
      response.stream.respond({ ':status': 418, 'content-type': 'a/b' });
      seen.push(response.statusCode, response.getHeader('Content-Type'), response.headersSent);
      response.end();
      seen.push(response.writableEnded);
    });
    expect(seen).toEqual([418, 'a/b', true, true]);
  });

  test('is dropped if the client has disconnected', async () => {
    const done = new Promise<unknown[]>((resolve) => {
      serve = ({ stream }, response) => {
        stream.once('close', () => {
          response.writeHead(200, HEADERS);
          response.writeContinue();
          const written = response.write('a');
          response.end('b');
          resolve([written, response.headersSent, response.destroyed]);
        });
      };
    });
    const stream = session.request({ ':path': '/' }, { endStream: false });
    stream.on('error', () => undefined);
    setTimeout(() => stream.close(8), 50);
    expect(await done).toEqual([false, false, true]);
  });
});

test('a request over HTTP/2 has the method, path, headers and body of the client', async () => {
  const seen: unknown[] = [];
  const { body } = await ask(
    (request, response) => {
      const { method, url, httpVersionMajor, headers, complete } = request;
      seen.push(method, url, httpVersionMajor, headers['x-a'], complete, request.rawHeaders.includes('x-a'));
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => void chunks.push(chunk));
      request.once('end', () => {
        seen.push(request.socket.remoteAddress, request.complete);
        response.end(Buffer.concat(chunks));
      });
    },
    { ':method': 'POST', 'x-a': '1' },
    'sent',
  );
  expect(seen).toEqual(['POST', '/a?b', 2, '1', false, true, '127.0.0.1', true]);
  expect(body.toString()).toBe('sent');
});
