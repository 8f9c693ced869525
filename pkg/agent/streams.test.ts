import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../api/resource.js';
import {
  MAX_AGE_MS,
  startAgentParts,
  userObject,
  type AgentParts,
} from '../../test/fixtures/agents/agentparts.js';
import { eventually } from '../../test/fixtures/wait.js';

const NS = '/kubernetes/cluster/api/v1/namespaces/own';

let agent: AgentParts;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeEach(async () => {
  answer = (_request, response) => void response.end('{}');
  agent = await startAgentParts((request, response) => answer(request, response));
});
afterEach(async () => {
  expect(agent.failures).toEqual([]);
  await agent.stop();
});

interface Open {
  readonly sent: ReturnType<typeof httpsRequest>;
  readonly response: Promise<IncomingMessage>;
}

async function open(path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Open> {
  const authorization = `Bearer ${await agent.token()}`;
  const sent = httpsRequest({
    host: '127.0.0.1',
    port: agent.port,
    ca: agent.authority,
    agent: false,
    path: NS + path,
    method,
    headers: { authorization, ...headers },
  });
  sent.on('error', () => undefined);
  const response = once(sent, 'response').then(([one]) => one as IncomingMessage);
  response.catch(() => undefined);
  return { sent, response };
}

async function upgraded(
  lines: readonly string[],
  method = 'GET',
): Promise<{ socket: TLSSocket; head: string }> {
  const socket = connect({ host: '127.0.0.1', port: agent.port, ca: agent.authority });
  await once(socket, 'secureConnect');
  const first = [
    `${method} ${NS}/pods/a/exec?command=sh HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    ...lines,
  ];
  socket.write(`${first.join('\r\n')}\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  return { socket, head: head.toString('latin1') };
}

describe('streams', () => {
  test('a watch starts before its first event, and delivers events one by one', async () => {
    let events: ServerResponse | undefined;
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      events = response;
    };
    const { sent, response } = await open('/pods?watch=true');
    sent.end();
    const watch = await response;
    for (const text of ['{"a":1}\n', '{"b":2}\n']) {
      events?.write(text);
      const [piece] = (await once(watch, 'data')) as [Buffer];
      expect(piece.toString()).toBe(text);
    }
    const gone = once(events as ServerResponse, 'close');
    sent.destroy();
    await gone;
  });

  test('a response that breaks off is not taken as complete', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    };
    const { sent, response } = await open('/pods');
    sent.end();
    const got = await response;
    const [error] = (await once(got.resume(), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });

  test('a large upload is streamed, and a slow reader slows the sender', async () => {
    const MIB = 1024 * 1024;
    // More than the kernel buffers for two connections: up to 32 MiB on each side of one.
    const UPLOAD_MIB = 256;
    let received = 0;
    let go: (() => void) | undefined;
    answer = (request, response) => {
      request.removeAllListeners('data');
      request.pause();
      go = () => {
        request.on('data', (chunk: Buffer) => (received += chunk.length));
        request.on('end', () => response.end(String(received)));
        request.resume();
      };
    };
    const { sent, response } = await open('/services/a/proxy/upload', 'POST', {
      'content-length': String(UPLOAD_MIB * MIB),
    });
    const piece = Buffer.alloc(MIB, 1);
    let written = 0;
    const write = (): void => {
      while (written < UPLOAD_MIB) {
        written += 1;
        if (!sent.write(piece)) return void sent.once('drain', write);
      }
      sent.end();
    };
    write();
    await eventually('the upload stops', async () => {
      const before = written;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return go !== undefined && written === before;
    });
    expect(written).toBeLessThan(UPLOAD_MIB);
    go?.();
    let text = '';
    for await (const chunk of await response) text += String(chunk);
    expect(text).toBe(String(UPLOAD_MIB * MIB));
  });

  test('a response that the client does not read is not fetched', async () => {
    let sentOn = 0;
    const MIB = Buffer.alloc(1024 * 1024, 1);
    answer = (_request, response) => {
      response.writeHead(200);
      const write = (): void => {
        while (sentOn < 256) {
          sentOn += 1;
          if (!response.write(MIB)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    };
    const { sent, response } = await open('/pods');
    sent.end();
    (await response).pause();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(sentOn).toBeLessThan(128);
    sent.destroy();
  });

  test('a request without a body is retried when a pooled connection is gone', async () => {
    for (let times = 0; times < 3; times += 1) {
      const { sent, response } = await open('/pods');
      sent.end();
      expect((await response).resume().statusCode).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
      agent.upstream.closeAllConnections();
    }
  });

  test('a request that may change something is sent once, even if a pooled connection breaks', async () => {
    const seen: string[] = [];
    answer = (request, response) => {
      seen.push(String(request.method));
      if (request.method === 'GET') response.end('{}');
      else request.socket.destroy();
    };
    for (const method of ['POST', 'DELETE']) {
      const kept = await open('/pods');
      kept.sent.end();
      await once((await kept.response).resume(), 'close');
      const { sent, response } = await open('/pods', method);
      sent.end();
      expect((await response).resume().statusCode).toBe(503);
    }
    expect(seen).toEqual(['GET', 'POST', 'GET', 'DELETE']);
  });

  test('a stream that its client aborts is aborted upstream, and others continue', async () => {
    // They may arrive upstream in either order.
    const watches = new Map<string, ServerResponse>();
    answer = ({ url = '' }, response) => {
      response.writeHead(200).flushHeaders();
      watches.set(url.replace(/^.*\/own/, ''), response);
    };
    const session = connectHttp2(`https://127.0.0.1:${agent.port}`, { ca: agent.authority });
    const authorization = `Bearer ${await agent.token()}`;
    const [pods, services] = ['/pods?watch=1', '/services?watch=1'];
    const streams = [
      session.request({ ':path': NS + pods, authorization }),
      session.request({ ':path': NS + services, authorization }),
    ] as const;
    for (const stream of streams) stream.on('error', () => undefined);
    await Promise.all(streams.map((stream) => once(stream, 'response')));
    expect(agent.sent).toHaveLength(2);
    const gone = once(watches.get(pods) as ServerResponse, 'close');
    streams[0].close(8);
    await gone;
    watches.get(services)?.write('event');
    expect(String((await once(streams[1], 'data'))[0])).toBe('event');
    session.destroy();
  });

  test('connections to the API server are pooled', async () => {
    let connections = 0;
    agent.upstream.on('secureConnection', () => (connections += 1));
    for (let times = 0; times < 10; times += 1) {
      const { sent, response } = await open('/pods', times % 2 === 0 ? 'GET' : 'POST');
      sent.end();
      await once((await response).resume(), 'close');
    }
    expect(connections).toBe(1);
  });

  test('closes the connection of a client that keeps sending after the response, on either protocol', async () => {
    answer = (_request, response) => void response.writeHead(413).end('too large');
    const { sent, response } = await open('/pods', 'POST', { 'transfer-encoding': 'chunked' });
    sent.write('x');
    expect((await response).resume().statusCode).toBe(413);
    await once(sent.socket as Socket, 'close');
    const session = connectHttp2(`https://127.0.0.1:${agent.port}`, { ca: agent.authority });
    const authorization = `Bearer ${await agent.token()}`;
    const stream = session.request(
      { ':path': `${NS}/pods`, ':method': 'POST', authorization },
      { endStream: false },
    );
    stream.write('x');
    expect((await once(stream, 'response'))[0]).toMatchObject({ ':status': 413 });
    await once(stream.resume(), 'close');
    session.close();
  });

  test('a stream without a body is not cut after its response', async () => {
    const session = connectHttp2(`https://127.0.0.1:${agent.port}`, { ca: agent.authority });
    const headers = { ':path': `${NS}/pods`, authorization: `Bearer ${await agent.token()}` };
    const frames: number[] = [];
    for (let times = 0; times < 3; times += 1) {
      const stream = session.request(headers);
      stream.once('aborted', () => frames.push(times));
      await once(stream.resume(), 'close');
      expect(stream.rstCode).toBe(0);
    }
    expect([session.destroyed, frames]).toEqual([false, []]);
    session.close();
  });

  test('an unavailable API server is reported as 503 with Retry-After', async () => {
    agent.upstream.close();
    agent.upstream.closeAllConnections();
    const { sent, response } = await open('/pods');
    sent.end();
    const refused = (await response).resume();
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1']);
  });
});

describe('protocol upgrades', () => {
  beforeEach(() => {
    agent.upstream.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const protocol = request.headers['sec-websocket-protocol'];
      const more = protocol === undefined ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`;
      const upgrade = request.headers.upgrade ?? '';
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n${more}\r\n`,
      );
      agent.sent.push({
        method: request.method ?? '',
        url: request.url ?? '',
        rawHeaders: request.rawHeaders,
        body: '',
      });
      if (head.length > 0) socket.write(head);
      socket.pipe(socket);
      socket.on('error', () => undefined);
    });
  });

  test('SPDY by POST passes data both ways until either end closes', async () => {
    const authorization = `Authorization: Bearer ${await agent.token()}`;
    const { socket, head } = await upgraded(
      [authorization, 'Upgrade: SPDY/3.1', 'Content-Length: 0'],
      'POST',
    );
    expect(head).toMatch(/^HTTP\/1.1 101 [^]*Upgrade: SPDY\/3.1\r\n/);
    socket.write('echo');
    expect(String((await once(socket, 'data'))[0])).toBe('echo');
    socket.end();
    await once(socket.resume(), 'close');
    expect(agent.sent[0]?.rawHeaders.join()).toMatch(/Impersonate-User,management:anna/);
  });

  test('a WebSocket of a browser carries its token as a protocol', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(await agent.token()).toString('base64url')}`;
    const { socket, head } = await upgraded([
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      `Sec-WebSocket-Protocol: v5.channel.k8s.io, ${token}`,
    ]);
    expect(head).toMatch(/^HTTP\/1.1 101 [^]*sec-websocket-protocol: v5.channel.k8s.io\r\n/i);
    expect(JSON.stringify(agent.sent)).not.toContain('bearer.authorization');
    socket.destroy();
  });

  test.each<[string, () => void]>([
    [
      'the token of the user is revoked',
      () => agent.people.users.put(userObject('anna', { tokenGeneration: 1 })),
    ],
    ['it is not known who was revoked', () => (agent.age = MAX_AGE_MS + 1)],
  ])('a stream ends when %s', async (_name, end) => {
    const { socket } = await upgraded([`Authorization: Bearer ${await agent.token()}`, 'Upgrade: SPDY/3.1']);
    await agent.open.check(0);
    expect(socket.closed).toBe(false);
    end();
    const closed = once(socket.resume(), 'close');
    socket.on('error', () => undefined);
    await agent.open.check(0);
    await closed;
  });

  test('a stream ends when its user leaves a team that it depends on, and by no other change', async () => {
    const ops = {
      metadata: { name: 'ops', uid: 'uid-ops' },
      spec: { users: ['anna'] },
    } as unknown as KubeObject;
    agent.people.teams.put(ops);
    const token = await agent.token({ groups: ['management:team:ops', 'devs'] });
    const { socket } = await upgraded([`Authorization: Bearer ${token}`, 'Upgrade: SPDY/3.1']);
    expect(agent.sent[0]?.rawHeaders.join()).toContain('Impersonate-Group,management:management:team:ops');
    agent.people.users.put(userObject('anna', { groups: ['others'] }));
    await agent.open.check(0);
    expect(socket.closed).toBe(false);
    agent.people.teams.put({ ...ops, spec: { users: [] } } as unknown as KubeObject);
    const closed = once(socket.resume(), 'close');
    socket.on('error', () => undefined);
    await agent.open.check(0);
    await closed;
  });

  test('a WebSocket whose token is a protocol ends with that token', async () => {
    const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(await agent.token()).toString('base64url')}`;
    const { socket } = await upgraded([
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      `Sec-WebSocket-Protocol: v5.channel.k8s.io, ${bearer}`,
    ]);
    await agent.open.check(0);
    expect(socket.closed).toBe(false);
    agent.people.users.put(userObject('anna', { disabled: true }));
    const closed = once(socket.resume(), 'close');
    socket.on('error', () => undefined);
    await agent.open.check(0);
    await closed;
  });
});
