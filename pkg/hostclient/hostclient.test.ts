import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { makeCertificates, type Certificates } from '../../test/fixtures/stores/etcdcertificates.js';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { eventually } from '../../test/fixtures/wait.js';
import { connectHost } from './connect.js';
import { inTrace } from '../tracing/current.js';
import { requestTracing } from '../tracing/requesttrace.js';
import { HostUnreachable, type HostClient, type HostEvent } from './interface.js';

let directory: string;
let files: Certificates;
let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let client: HostClient | undefined;
const sockets = new Set<Socket>();

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hostclient-'));
  files = makeCertificates(directory);
  const { caFile, serverCertFile, serverKeyFile } = files;
  const tls = {
    cert: readFileSync(serverCertFile),
    key: readFileSync(serverKeyFile),
    ca: readFileSync(caFile),
  };
  server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) =>
    answer(request, response),
  );
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  client?.close();
  sockets.clear();
});

afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  rmSync(directory, { recursive: true, force: true });
});

const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

function kubeconfig(user: Record<string, unknown>, port = (server.address() as AddressInfo).port): string {
  const path = join(directory, 'kubeconfig');
  writeFileSync(
    path,
    JSON.stringify({
      clusters: [
        { name: 'it', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': 'ca.crt' } },
      ],
      users: [{ name: 'it', user }],
      contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
      'current-context': 'it',
    }),
  );
  return path;
}

async function connect(user: Record<string, unknown> = { token: 'one-token' }): Promise<HostClient> {
  return (client = await connectHost({ kubeconfig: kubeconfig(user) }));
}

describe('credentials', () => {
  const authorization = async (user: Record<string, unknown>): Promise<unknown> => {
    answer = (request, response) =>
      json(response, 200, {
        authorization: request.headers.authorization,
        subject: (request.socket as TLSSocket).getPeerCertificate().subject,
      });
    return (await (await connect(user)).send({ method: 'GET', path: '/' })).body;
  };

  test('are read from a kubeconfig with a token', async () => {
    expect(await authorization({ token: 'abc' })).toEqual({ authorization: 'Bearer abc' });
  });

  test('are read from a token file that may end with a newline', async () => {
    writeFileSync(join(directory, 'token'), 'of-file\n');
    expect(await authorization({ tokenFile: 'token' })).toEqual({ authorization: 'Bearer of-file' });
  });

  test('are read from a client certificate', async () => {
    const certificate = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
    expect(await authorization(certificate)).toEqual({ subject: { CN: 'client' } });
  });

  test('are read from an exec plugin', async () => {
    const credential = { status: { token: 'of-program', expirationTimestamp: '2100-01-01T00:00:00Z' } };
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'echo',
      args: [JSON.stringify(credential)],
    };
    expect(await authorization({ exec })).toEqual({ authorization: 'Bearer of-program' });
  });

  test('are not read from a service account outside a Pod', async () => {
    expect(process.env.KUBERNETES_SERVICE_HOST).toBeUndefined();
    await expect(connectHost({})).rejects.toThrow('this process runs in no Pod');
  });

  test('of an invalid kubeconfig are refused with its path', async () => {
    await expect(connectHost({ kubeconfig: join(directory, 'absent') })).rejects.toThrow(/absent.*ENOENT/);
    writeFileSync(join(directory, 'other'), '{"users": 1}');
    await expect(connectHost({ kubeconfig: join(directory, 'other') })).rejects.toThrow('cannot be read');
  });

  test('are reloaded after a refusal', async () => {
    answer = (request, response) =>
      json(response, request.headers.authorization === 'Bearer new' ? 200 : 401, {});
    const { send } = await connect({ token: 'old' });
    const status = async (): Promise<number> => (await send({ method: 'GET', path: '/' })).status;
    expect(await status()).toBe(401);
    kubeconfig({ token: 'new' });
    await eventually('the new token', async () => (await status()) === 200);
  });
});

describe('requests', () => {
  test('send a body, and return any status with its JSON', async () => {
    answer = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () =>
        json(response, 409, {
          path: request.url,
          type: request.headers['content-type'],
          body: JSON.parse(Buffer.concat(chunks).toString()) as unknown,
        }),
      );
    };
    const { send } = await connect();
    const contentType = 'application/merge-patch+json';
    expect(await send({ method: 'PATCH', path: '/a?b=c', body: { x: 'ü' }, contentType })).toEqual({
      status: 409,
      body: { path: '/a?b=c', type: contentType, body: { x: 'ü' } },
      retryAfterMs: undefined,
      date: expect.closeTo(Date.now(), -4),
    });
  });

  test('reuse connections', async () => {
    answer = (_, response) => json(response, 200, {});
    const { send } = await connect();
    for (let i = 0; i < 5; i += 1) await send({ method: 'GET', path: '/' });
    expect(sockets.size).toBe(1);
  });

  test('are retried after Retry-After, for 429 with any method', async () => {
    let asked = 0;
    answer = (_, response) => {
      asked += 1;
      if (asked < 3) json(response, 429, {}, { 'retry-after': '0' });
      else json(response, 201, { asked });
    };
    const { send } = await connect();
    expect((await send({ method: 'POST', path: '/', body: {} })).body).toEqual({ asked: 3 });
  });

  test('return the response if Retry-After exceeds the timeout', async () => {
    answer = (_, response) => json(response, 429, {}, { 'retry-after': '60' });
    const { send } = await connect();
    expect(await send({ method: 'GET', path: '/' })).toMatchObject({ status: 429, retryAfterMs: 60_000 });
  });

  test.each([
    ['GET', undefined, 3],
    ['POST', undefined, 1],
    ['POST', true, 3],
    ['DELETE', undefined, 1],
  ] as const)(
    'by %s (repeatable: %s) whose connection breaks are sent %i times',
    async (method, repeatable, times) => {
      let asked = 0;
      answer = (request) => {
        asked += 1;
        request.socket.destroy();
      };
      const { send } = await connect();
      const failed = send({ method, path: '/', ...(repeatable !== undefined && { repeatable }) });
      await expect(failed).rejects.toMatchObject({ name: 'HostUnreachable', sent: true });
      expect(asked).toBe(times);
    },
  );

  test('by POST that waited for a connection are sent once if it breaks', async () => {
    let asked = 0;
    answer = (request, response) => {
      asked += 1;
      if (request.method === 'GET') setTimeout(() => json(response, 200, {}), 100);
      else request.socket.destroy();
    };
    const { send } = await connect();
    const all = Array.from({ length: 64 }, () => send({ method: 'GET', path: '/' }));
    const waits = send({ method: 'POST', path: '/' });
    await expect(waits).rejects.toMatchObject({ sent: true });
    await Promise.all(all);
    expect(asked).toBe(65);
  });

  test('report a server that refuses connections as not sent, without address and credential', async () => {
    client = await connectHost({ kubeconfig: kubeconfig({ token: 'hidden' }, 1) });
    const error = await client.send({ method: 'POST', path: '/' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(HostUnreachable);
    expect(error).toMatchObject({
      sent: false,
      message: 'the API server of the host cannot be reached: ECONNREFUSED',
    });
  });

  test('time out', async () => {
    answer = () => undefined;
    const { send } = await connect();
    await expect(send({ method: 'GET', path: '/', timeoutMs: 50 })).rejects.toThrow('did not answer in time');
  });

  test('are aborted by the caller and by close()', async () => {
    const stop = new AbortController();
    answer = () => stop.abort();
    const { send, close } = await connect();
    await expect(send({ method: 'GET', path: '/', signal: stop.signal })).rejects.toThrow('was ended');
    answer = () => close();
    await expect(send({ method: 'GET', path: '/' })).rejects.toThrow('was ended');
  });
});

describe('watches', () => {
  const all = async (events: AsyncIterable<HostEvent>, into: HostEvent[] = []): Promise<HostEvent[]> => {
    for await (const event of events) into.push(event);
    return into;
  };
  const event = (name: string): HostEvent => ({ type: 'ADDED', object: { metadata: { name } } });

  test('decode events split at any byte', async () => {
    const text = Buffer.from(['ä', 'b', 'c'].map((name) => `${JSON.stringify(event(name))}\n`).join(''));
    answer = (_, response) => {
      const write = (at: number): void => {
        if (at >= text.length) response.end();
        else response.write(text.subarray(at, at + 7), () => write(at + 7));
      };
      write(0);
    };
    const { watch } = await connect();
    expect(await all(watch('/', new AbortController().signal))).toEqual(['ä', 'b', 'c'].map(event));
  });

  test('return one ERROR event for a response that is no watch', async () => {
    answer = (_, response) => json(response, 410, { code: 410 });
    const { watch } = await connect();
    const events = await all(watch('/', new AbortController().signal));
    expect(events).toEqual([{ type: 'ERROR', object: { code: 410 } }]);
  });

  test('report their start before the first event, unless they are refused', async () => {
    let open: (() => void) | undefined;
    answer = (request, response) => {
      if (request.url === '/refused') return json(response, 403, { code: 403 });
      response.writeHead(200);
      response.flushHeaders();
      open = () => response.end(`${JSON.stringify(event('a'))}\n`);
    };
    const { watch } = await connect();
    const { signal } = new AbortController();
    const begun: string[] = [];
    await all(watch('/refused', signal, () => begun.push('refused')));
    // What it waits for is sent after its start.
    await all(watch('/', signal, () => begun.push('begun') && open?.()));
    expect(begun).toEqual(['begun']);
  });

  test('throw when the connection breaks, and end when aborted', async () => {
    answer = (request, response) => {
      response.write(`${JSON.stringify(event('a'))}\n`, () => {
        if (request.url === '/break') request.socket.destroy();
      });
    };
    const { watch } = await connect();
    const seen: HostEvent[] = [];
    await expect(all(watch('/break', new AbortController().signal), seen)).rejects.toThrow(HostUnreachable);
    expect(seen).toEqual([event('a')]);
    const stop = new AbortController();
    for await (const one of watch('/go-on', stop.signal)) {
      expect(one).toEqual(event('a'));
      stop.abort();
    }
  });

  test('bound the buffer of a consumer that does not read', async () => {
    let written = 0;
    const line = `${JSON.stringify(event('x'.repeat(60_000)))}\n`;
    const filled = new Promise<void>((resolve) => {
      answer = (_, response) => {
        const more = (): void => {
          while (response.write(line)) written += 1;
          if (written < 1000) response.once('drain', more);
        };
        more();
        const check = (last: number): void => {
          if (written === last) resolve();
          else setTimeout(check, 200, written).unref();
        };
        setTimeout(check, 200, -1).unref();
      };
    });
    const { watch } = await connect();
    const events = watch('/', new AbortController().signal)[Symbol.asyncIterator]();
    await events.next();
    await filled;
    expect(written).toBeLessThan(1000);
    await events.return?.();
  });
});

describe('traces', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracing = requestTracing(provider.getTracer('test'));

  test('continue in requests of a traced request by traceparent', async () => {
    answer = (request, response) => json(response, 200, { traceparent: request.headers.traceparent ?? '' });
    const connected = await connect();
    const trace = tracing.begin({}, performance.now());
    const sent = await inTrace(trace, () => connected.send({ method: 'GET', path: '/apis/one?secret=two' }));
    const [span] = exporter.getFinishedSpans();
    const { traceId, spanId } = span!.spanContext();
    expect(sent.body).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
    expect(span).toMatchObject({
      name: 'GET',
      attributes: { 'url.path': '/apis/one', 'http.response.status_code': 200 },
    });
    trace.end({ name: 'request', attributes: {}, failed: false, ended: performance.now() });
    expect(exporter.getFinishedSpans()[1]?.spanContext().spanId).toBe(span!.parentSpanContext?.spanId);
    // Spans that start after its end do not belong to it.
    const later = await inTrace(trace, () => connected.send({ method: 'GET', path: '/' }));
    expect(later.body).toEqual({ traceparent: '' });
  });

  test('are absent from other requests', async () => {
    answer = (request, response) => json(response, 200, { has: 'traceparent' in request.headers });
    expect((await (await connect()).send({ method: 'GET', path: '/' })).body).toEqual({ has: false });
  });
});
