/** The errors and exit codes of `platform` if the server or the connection to it fails. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { startStub, type StubOptions } from '../../fixtures/stubs/stubserver.js';

const DAY_MS = 86_400_000;
const KEY = 'mk_planted-key';
let cli: PlatformCli;
beforeAll(() => {
  cli = platformCli();
});
afterAll(() => cli.remove());

interface Story {
  readonly ended: Run;
  readonly asked: readonly string[];
}

/** Runs the program with a server that responds with `answer`. */
async function against(answer: RequestListener, args: string[], options: StubOptions = {}): Promise<Story> {
  const stub = await startStub(answer, options);
  const caFile = join(cli.home, 'stub.crt');
  writeFileSync(caFile, stub.authority);
  const env = { PLATFORM_URL: stub.url, PLATFORM_ACCESS_KEY: KEY, PLATFORM_CA_FILE: caFile };
  try {
    return { ended: await cli.run(args, { env }), asked: stub.asked };
  } finally {
    await stub.stop();
  }
}

const status =
  (code: number, message: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(code).end(JSON.stringify({ kind: 'Status', message }));
const self: RequestListener = (_request, response) =>
  void response.end(JSON.stringify({ kind: 'Self', status: { user: { name: 'anna' } } }));

test.each([
  [401, 3, 'log in again'],
  [403, 4, 'said so'],
  [404, 5, 'said so'],
  [409, 6, 'said so'],
  [422, 1, 'said so'],
  [500, 1, 'said so'],
])('an answer %d ends with %d', async (code, exit, text) => {
  const { ended } = await against(status(code, 'said\n so'), ['whoami']);
  expect(ended).toMatchObject({ code: exit, stdout: '', stderr: expect.stringContaining(text) });
  expect(ended.stderr).toMatch(/^platform: .*\n$/);
});

describe('a certificate', () => {
  test.each<[string, StubOptions, string]>([
    ['that has ended', { made: Date.now() - 400 * DAY_MS }, "renew the server's certificate"],
    ['that is of tomorrow', { made: Date.now() + DAY_MS }, 'set the clock'],
    ['of another server', { names: ['other.example'] }, 'use a name of the server that its certificate has'],
  ])('%s is said, and nothing is asked', async (_name, options, text) => {
    const { ended, asked } = await against(self, ['whoami'], options);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(text) });
    expect(asked).toEqual([]);
  });

  test('of an unknown authority is said', async () => {
    const stub = await startStub(self);
    const env = { PLATFORM_URL: stub.url, PLATFORM_ACCESS_KEY: KEY };
    const ended = await cli.run(['whoami'], { env });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('with PLATFORM_CA_FILE') });
    await stub.stop();
  });
});

describe('a server that is busy', () => {
  const busy = (retryAfter: string, times: number): RequestListener => {
    let asked = 0;
    return (request, response) => {
      asked += 1;
      if (asked > times) return self(request, response);
      response.writeHead(429, { 'retry-after': retryAfter }).end(JSON.stringify({ message: 'slow down' }));
    };
  };

  test('is retried if it has a Retry-After', async () => {
    const { ended, asked } = await against(busy('0', 2), ['whoami']);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/User +anna/) });
    expect(asked).toHaveLength(3);
  });

  test.each([
    ['an hour', '3600', 1],
    ['a moment', '0', 4],
    ['nothing that is a number', 'soon', 1],
  ])('and wants %s each time is given up', async (_name, retryAfter, times) => {
    const { ended, asked } = await against(busy(retryAfter, 9), ['whoami']);
    expect(ended).toMatchObject({
      code: 1,
      stderr: 'platform: the server answers 429: slow down; try again later\n',
    });
    expect(asked).toHaveLength(times);
  });
});

test.each<[string, RequestListener, string]>([
  ['hangs up', (request) => void request.socket.destroy(), 'cannot be reached'],
  [
    'stops in the middle',
    (request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{', () => request.socket.destroy());
    },
    'cannot be reached',
  ],
  ['answers without JSON', (_request, response) => void response.end('<html>'), 'with JSON'],
])('a server that %s fails in one line', async (_name, answer, text) => {
  const { ended } = await against(answer, ['whoami']);
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(text) });
  expect(ended.stderr).toMatch(/^platform: .*\n$/);
});

test('a port that does not speak TLS is said to be one', async () => {
  const plain = createServer(self).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const url = `https://127.0.0.1:${(plain.address() as AddressInfo).port}`;
  const env = { PLATFORM_URL: url, PLATFORM_ACCESS_KEY: KEY };
  for (const args of [['whoami'], ['login', url]]) {
    const { code, stderr } = await cli.run(args, { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('this port does not speak TLS')]);
    expect(stderr).toMatch(/^platform: [^\n]*\n$/);
    expect(stderr).not.toContain('SSL');
  }
  plain.close();
});

test.each([
  ['127.0.0.1:6443', 'as in https://127.0.0.1:6443;'],
  ['localhost:6443', 'as in https://localhost:6443;'],
  ['management.corp.example', 'as in https://management.corp.example;'],
  ['http://management.corp.example', 'as in https://management.example.com;'],
  [KEY, 'as in https://management.example.com;'],
  ['https://m.example/console/#login=planted', 'this is a link for a browser: open it there'],
  ['https://m.example/console/#invitation=planted', 'log in with "platform login https://m.example"'],
])('login %s says what is wrong, and repeats no secret', async (url, said) => {
  const { code, stderr } = await cli.run(['login', url]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(stderr).not.toContain('planted');
});

describe('with a proxy between', () => {
  test('login and what comes after go through it', async () => {
    const stub = await startStub(self, { names: ['management.test'] });
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', (request, client: Duplex, head: Buffer) => {
      tunnels.push(request.url ?? '');
      const upstream = connect(Number(new URL(stub.url).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.write(head);
        upstream.pipe(client).pipe(upstream);
      });
      for (const end of [client, upstream]) end.on('error', () => upstream.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const { fingerprint256 } = new X509Certificate(stub.authority);
    const login = ['login', 'https://management.test', '--fingerprint', fingerprint256, '--access-key', KEY];
    expect((await cli.run(login, { env })).stderr).toBe('Logged in to https://management.test as anna.\n');
    expect((await cli.run(['whoami'], { env })).stdout).toMatch(/User +anna/);
    expect(new Set(tunnels)).toEqual(new Set(['management.test:443']));
    expect((await cli.run(['whoami'], { env: { ...env, NO_PROXY: '.test' } })).code).toBe(1);
    proxy.close();
    proxy.closeAllConnections();
    await stub.stop();
  });
});

test('a name leads to no other path', async () => {
  for (const name of ['', '.', '..', 'a/b', 'a%2fb', '../../users/x']) {
    const { ended, asked } = await against(self, ['delete', 'project', name, '--yes']);
    expect([name, ended.code, asked]).toEqual([name, 2, []]);
  }
});

test('--debug shows requests, without credentials and values', async () => {
  const value = 'planted-value';
  const { ended, asked } = await against(status(409, 'taken'), [
    '--debug',
    'set',
    'secret',
    'a',
    value,
    '--entry',
    'b',
    '--yes',
  ]);
  expect(ended.code).toBe(6);
  expect(ended.stderr.match(/^> PATCH /gm)).toHaveLength(5);
  expect(asked).toHaveLength(5);
  for (const secret of [KEY, value, Buffer.from(value).toString('base64'), 'Bearer', 'authorization'])
    expect(ended.stderr).not.toContain(secret);
});

test('doctor checks the store itself if /readyz does not report it', async () => {
  const answer: RequestListener = (request, response) => {
    const away = request.url === '/readyz/etcd';
    const body =
      request.url === '/version' ? '{"gitVersion":"v1"}' : request.url?.includes('selves') ? '{}' : 'ok';
    response.writeHead(away ? 500 : request.url?.includes('apiregistration') ? 404 : 200).end(body);
  };
  const { ended } = await against(answer, ['doctor', '-o', 'json']);
  expect(ended.code).toBe(1);
  const found = JSON.parse(ended.stdout) as { check: string; state: string }[];
  expect(found.filter(({ state }) => state === 'wrong').map(({ check }) => check)).toContain('store');
  expect(found).toContainEqual(expect.objectContaining({ check: 'apiservice', state: 'skipped' }));
});

test('doctor reports a connection error, and skips further checks', async () => {
  const { ended, asked } = await against(self, ['doctor'], { made: Date.now() - 400 * DAY_MS });
  expect(ended).toMatchObject({ code: 1, stdout: expect.stringMatching(/wrong +certificate .*has expired/) });
  expect(ended.stdout).toMatch(/skipped +server +see certificate/);
  expect(ended.stdout).toMatch(/skipped +credentials +see certificate/);
  expect(ended.stdout.match(/^wrong /gm)).toHaveLength(1);
  expect(asked).toEqual([]);
});
