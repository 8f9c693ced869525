import type { ServerResponse } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { execFile } from 'node:child_process';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { makeAuthority, makeClient } from '../../../test/fixtures/clients/clientcertificates.js';
import { eventually } from '../../../test/fixtures/wait.js';
import { credentialsOf } from '../filters/credentials.js';
import type { Handler } from '../httpexchange.js';
import { listen, type Listener } from './listener.js';
import { issueAuthority, issueServing, type KeyPair } from '../../pki/issue.js';

let authority: KeyPair;
let pair: KeyPair;
const open: Listener[] = [];

beforeAll(async () => {
  authority = await issueAuthority('test');
  pair = await issueServing(authority, ['localhost', '127.0.0.1']);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.drain(0)));
});
afterAll(() => agent.destroy());

const agent = new Agent({ keepAlive: true });
const echo: Handler = async (exchange) => {
  const { request, response } = exchange;
  response.end(`${request.httpVersion} ${JSON.stringify(credentialsOf(exchange))}`);
};

/** Returns the client's certificate, and the chain that it sent. */
const shows: Handler = async (exchange) => {
  const { request, response } = exchange;
  const { certificate } = credentialsOf(exchange);
  const all = certificate === undefined ? [] : [certificate.leaf, ...certificate.intermediates];
  const socket = (request as { stream?: { session?: { socket: TLSSocket } } }).stream?.session?.socket;
  const resumed = ((socket ?? request.socket) as TLSSocket).isSessionReused() ? ' resumed' : '';
  response.end((all.map(({ subject }) => subject).join(',') || '-') + resumed);
};

async function openssl(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `openssl ${command} </dev/null 2>/dev/null`]);
  return stdout;
}

function makeGate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

async function start(handler: Handler, clientCertificates = false): Promise<Listener> {
  const listener = await listen({
    address: '127.0.0.1',
    port: 0,
    tls: { key: pair.key, cert: pair.certificate },
    clientCertificates,
    handler,
    failed: () => undefined,
  });
  open.push(listener);
  return listener;
}

function http1(
  port: number,
  options: object = {},
): Promise<{ status: number; body: string; reused: boolean }> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      { host: '127.0.0.1', port, ca: authority.certificate, agent, ...options },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body, reused: request.reusedSocket }),
        );
      },
    );
    request.on('error', reject);
    request.end();
  });
}

function http2(port: number, options: object = {}): ClientHttp2Session {
  return connectHttp2(`https://127.0.0.1:${port}`, { ca: authority.certificate, ...options });
}

async function get2(session: ClientHttp2Session, headers: object = {}): Promise<string> {
  const stream = session.request({ ':path': '/', ...headers });
  let body = '';
  stream.on('data', (chunk: Buffer) => (body += chunk.toString()));
  await once(stream, 'end');
  return body;
}

describe('one port', () => {
  test('serves HTTP/1.1 and HTTP/2', async () => {
    const { port } = await start(echo);
    expect((await http1(port)).body).toMatch(/^1\.1 /);
    const session = http2(port);
    expect(await get2(session)).toMatch(/^2\.0 /);
    session.close();
  });

  test('shows the certificates of clients with their chains over both protocols', async () => {
    const { port } = await start(shows, true);
    const root = await makeAuthority('root');
    const middle = await makeAuthority('middle', { issuer: root });
    const eve = await makeClient(middle, 'eve');
    const cases = [
      [{}, '-'],
      [{ key: pair.key, cert: pair.certificate }, 'CN=management-apiserver,CN=test'],
      [{ key: eve.key, cert: eve.certificate + middle.certificate }, 'CN=eve,CN=middle'],
    ] as const;
    for (const [certificate, read] of cases) {
      const session = http2(port, certificate);
      expect(await get2(session)).toBe(read);
      expect((await http1(port, { ...certificate, agent: false })).body).toBe(read);
      session.close();
    }
  });

  test('a resumed session has the certificate chain of the first session', async () => {
    const { port } = await start(shows, true);
    const root = await makeAuthority('root');
    const middle = await makeAuthority('middle', { issuer: root });
    const eve = await makeClient(middle, 'eve');
    const certificate = { key: eve.key, cert: eve.certificate + middle.certificate };
    const resuming = new Agent({ maxCachedSessions: 1 });
    const bodies: string[] = [];
    for (let times = 0; times < 2; times += 1)
      bodies.push((await http1(port, { ...certificate, agent: resuming })).body);
    expect(bodies).toEqual(['CN=eve,CN=middle', 'CN=eve,CN=middle resumed']);
  });

  test('asks clients for certificates of any authority', async () => {
    const { port } = await start(shows, true);
    expect(await openssl(`s_client -connect 127.0.0.1:${port}`)).toContain(
      'No client certificate CA names sent',
    );
  });

  test('accepts headers of up to 1 MiB in total, and refuses larger ones', async () => {
    const { port } = await start(echo);
    const headers = (kilobytes: number): object => ({ headers: { 'x-large': 'x'.repeat(kilobytes * 1024) } });
    expect((await http1(port, headers(900))).status).toBe(200);
    expect((await http1(port, headers(1100))).status).toBe(431);
  });

  test('survives plain-text and broken clients', async () => {
    const { port } = await start(echo);
    const { connect } = await import('node:net');
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    const broken = connectTls({ port, host: '127.0.0.1', ca: authority.certificate });
    broken.write('nonsense\r\n\r\n');
    broken.resume();
    await once(broken, 'close');
    expect((await http1(port)).status).toBe(200);
  });

  test('fails with the system error if the port is in use', async () => {
    const { port } = await start(echo);
    const options = { address: '127.0.0.1', tls: { key: pair.key, cert: pair.certificate } };
    await expect(
      listen({ ...options, port, clientCertificates: false, handler: echo, failed: () => undefined }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('uses a renewed certificate for new connections', async () => {
    const listener = await start(echo);
    const next = await issueServing(authority, ['localhost', '127.0.0.1']);
    listener.setCertificate({ key: next.key, cert: next.certificate });
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: authority.certificate });
    await once(socket, 'secureConnect');
    const { X509Certificate } = await import('node:crypto');
    expect(socket.getPeerCertificate().serialNumber).toBe(new X509Certificate(next.certificate).serialNumber);
    socket.destroy();
  });
});

const HYBRID = 'X25519MLKEM768';

/** OpenSSL has it from 3.5 on, as the Node that is released. */
function knowsHybrid(): boolean {
  try {
    createSecureContext({ ecdhCurve: HYBRID });
    return true;
  } catch {
    return false;
  }
}

(knowsHybrid() ? test : test.skip)(
  'agrees on keys by a post-quantum exchange with clients that offer it',
  async () => {
    const { port } = await start(echo);
    const socket = connectTls({ port, host: '127.0.0.1', ca: authority.certificate, ecdhCurve: HYBRID });
    await once(socket, 'secureConnect');
    expect(socket.getProtocol()).toBe('TLSv1.3');
    socket.destroy();
  },
);

describe('drain', () => {
  test('lets requests in flight finish on both protocols, and ends idle connections', async () => {
    const gate = makeGate();
    const bothIn = makeGate();
    let arrived = 0;
    const listener = await start(async ({ request, response }) => {
      if (request.url === '/slow') {
        arrived += 1;
        if (arrived === 2) bothIn.open();
        await gate.opened;
      }
      response.end('done');
    });
    await http1(listener.port);
    const session = http2(listener.port);
    const slow1 = http1(listener.port, { path: '/slow', agent: false });
    const slow2 = get2(session, { ':path': '/slow' });
    await bothIn.opened;
    const drained = listener.drain(20_000);
    await expect(http1(listener.port, { agent: false })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    gate.open();
    expect((await slow1).body).toBe('done');
    expect(await slow2).toBe('done');
    await drained;
  });

  test('closes connections after the timeout', async () => {
    const arrived = makeGate();
    const listener = await start(async ({ response }) => {
      (response as ServerResponse).write('half');
      arrived.open();
    });
    const stuck = http1(listener.port, { agent: false });
    stuck.catch(() => undefined);
    await arrived.opened;
    await listener.drain(50);
  });
});

test.each(['GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab'])(
  'tells a client without TLS to use it: %j',
  async (request) => {
    const listener = await start(echo);
    const socket = connectTcp(listener.port, '127.0.0.1');
    socket.write(request);
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.0 400 Bad Request\r\n/);
    expect(text).toMatch(/\r\n\r\nClient sent an HTTP request to an HTTPS server\.\n$/);
  },
);

test('closes a connection with neither TLS nor HTTP', async () => {
  const listener = await start(echo);
  const socket = connectTcp(listener.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('neither of these\r\n\r\n');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await once(socket, 'close');
  expect(text).not.toContain('HTTP');
});

test('receives a whole body while the previous answer waits to be read', async () => {
  const asked = makeGate();
  const { port } = await start(async ({ request, response }) => {
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    if (bytes === 0) response.end(Buffer.alloc(16_000_000, 'a'));
    else response.end(`had ${bytes} bytes`);
    asked.open();
  });
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.certificate });
  await once(socket, 'secureConnect');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await asked.opened;
  const body = Buffer.alloc(900_000, 'b');
  const head = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), body]));
  let last = '';
  for await (const chunk of socket) last = (last + (chunk as Buffer).toString('latin1')).slice(-200);
  expect(last).toMatch(/had 900000 bytes$/);
});

test('keeps little of a body that is not read yet, and all of it comes when it is', async () => {
  const MIB = 1024 * 1024;
  const [asked, wanted] = [makeGate(), makeGate()];
  let kept = (): number => 0;
  const { port } = await start(async ({ request, response }) => {
    kept = () => request.readableLength;
    asked.open();
    await wanted.opened;
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    response.end(`had ${bytes} bytes`);
  });
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.certificate });
  await once(socket, 'secureConnect');
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${64 * MIB}\r\n\r\n`);
  await asked.opened;
  for (let times = 0; times < 64; times += 1) socket.write(Buffer.alloc(MIB));
  let [waiting, looks] = [0, 0];
  await eventually('it is not read any more', async () => {
    looks = waiting === socket.writableLength ? looks + 1 : 0;
    waiting = socket.writableLength;
    return looks === 20;
  });
  expect([waiting > 32 * MIB, kept() < MIB]).toEqual([true, true]);
  wanted.open();
  let last = '';
  for await (const chunk of socket) last = (last + (chunk as Buffer).toString('latin1')).slice(-200);
  expect(last).toContain(`had ${64 * MIB} bytes`);
});
