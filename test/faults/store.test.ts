/** The server while its store does not respond, while its store is gone, and afterwards. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openWatch, type OpenWatch } from '../fixtures/clients/openwatch.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../fixtures/stores/etcd.js';
import {
  ADMIN_TOKEN,
  compiledServer,
  fetchFrom,
  startServer,
  type Answer,
  type FetchOptions,
  type ServerFixture,
} from '../fixtures/servers/server.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
/** The limit where the server itself is busy. */
const END_MS = 60_000;

const suite = etcdIsThere() ? describe : describe.skip;

const configMap = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } });

suite('a server on an etcd', () => {
  let etcd: EtcdFixture;
  let server: ServerFixture;

  beforeAll(async () => {
    etcd = await startEtcd();
    server = await startServer({ etcdServers: etcd.endpoint });
    expect(await create('there')).toMatchObject({ status: 201 });
  });
  afterAll(async () => {
    etcd.continue();
    await server.remove();
    await etcd.stop();
  });

  const ask = (path: string, options?: FetchOptions): Promise<Answer> =>
    fetchFrom(server.url + path, options);
  const write = (method: string, path: string, body?: string, type = 'application/json'): Promise<Answer> =>
    ask(path, { method, ...(body !== undefined && { body, headers: { 'content-type': type } }) });
  const create = (name: string): Promise<Answer> => write('POST', CONFIGMAPS, configMap(name));

  async function eventually(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Expects responses to requests that need no store. */
  async function expectMemoryAnswers(): Promise<void> {
    for (const path of [
      `${CONFIGMAPS}/there?resourceVersion=0`,
      `${CONFIGMAPS}?resourceVersion=0`,
      `${SECRETS}?resourceVersion=0&limit=5`,
      '/api/v1/configmaps?resourceVersion=0',
      '/api',
      '/apis',
      '/api/v1',
      '/apis/management.svc.example/v1',
      '/openapi/v2',
      '/openapi/v3',
      '/openapi/v3/apis/management.svc.example/v1',
      '/version',
      '/livez/ping',
    ]) {
      expect({ path, status: (await ask(path)).status }).toEqual({ path, status: 200 });
    }
    const watch = await watchFrom(`${CONFIGMAPS}?watch=1&resourceVersion=0`);
    await eventually(async () => Promise.resolve(watch.text().includes('"there"')));
    watch.stop();
  }

  async function expectUnready(): Promise<void> {
    for (const path of ['/readyz', '/livez', '/healthz']) {
      const answer = await ask(path);
      expect(answer.status).toBe(500);
      expect(answer.text).toMatch(/^\[-\]etcd failed: reason withheld$/m);
      expect(answer.text).toMatch(/^\[\+\]ping ok$/m);
    }
    expect(await ask('/readyz/etcd')).toMatchObject({ status: 500 });
  }

  /** Expects retryable errors for requests that need the store. They are sent at once, as many clients would do. */
  async function expectRetryableFailures(): Promise<void> {
    const patch = '{"data":{"b":"2"}}';
    const calls: [string, string, string?, string?][] = [
      ['GET', `${CONFIGMAPS}/there`],
      ['GET', `${CONFIGMAPS}/absent`],
      ['GET', CONFIGMAPS],
      ['GET', `${CONFIGMAPS}?limit=1`],
      ['GET', `${CONFIGMAPS}?watch=1`],
      ['POST', CONFIGMAPS, configMap('unanswered')],
      ['POST', `${CONFIGMAPS}?dryRun=All`, configMap('unanswered')],
      ['PUT', `${CONFIGMAPS}/there`, configMap('there').replace('"1"', '"2"')],
      ['PATCH', `${CONFIGMAPS}/there`, patch, 'application/merge-patch+json'],
      ['PATCH', `${CONFIGMAPS}/absent`, patch, 'application/merge-patch+json'],
      ['DELETE', `${CONFIGMAPS}/absent`],
      ['DELETE', '/api/v1/namespaces/absent'],
      ['DELETE', SECRETS],
    ];
    await Promise.all(
      calls.map(async ([method, path, body, type]) => {
        // The second request of each pair is sent while the first waits.
        for (const delay of [0, 700]) {
          await new Promise((resolve) => setTimeout(resolve, delay));
          const began = Date.now();
          const answer = await write(method, path, body, type);
          const took = Date.now() - began;
          const about = `${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)} after ${took} ms`;
          expect({ about, inTime: took < END_MS, retryable: [500, 504].includes(answer.status) }).toEqual({
            about,
            inTime: true,
            retryable: true,
          });
          expect(JSON.parse(answer.text)).toMatchObject({
            kind: 'Status',
            code: answer.status,
            reason: expect.stringMatching(/^(ServerTimeout|Timeout)$/),
            details: { retryAfterSeconds: expect.any(Number) },
          });
          expect(answer.headers['retry-after']).toMatch(/^\d+$/);
        }
      }),
    );
  }

  async function expectRecovery(watch: OpenWatch, name: string): Promise<void> {
    await eventually(async () => (await ask('/readyz')).status === 200);
    expect(await create(name)).toMatchObject({ status: 201 });
    expect(await ask(`${CONFIGMAPS}/${name}`)).toMatchObject({ status: 200 });
    await eventually(() => Promise.resolve(watch.text().includes(`"name":"${name}"`)));
    expect(watch.text()).not.toContain('"ERROR"');
    watch.stop();
    expect(server.log()).not.toMatch(/"level":"(error|fatal)"/);
  }

  const watchFrom = (path: string): Promise<OpenWatch> =>
    openWatch(server.url, path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });

  test('that hangs answers from memory, fails the rest in time, and recovers', async () => {
    const watch = await watchFrom(`${CONFIGMAPS}?watch=1&resourceVersion=0`);
    etcd.pause();
    const first: string[] = [];
    await Promise.all([
      expectUnready()
        .then(() => first.push('probes'))
        .then(expectMemoryAnswers),
      expectRetryableFailures().then(() => first.push('requests to the store')),
    ]);
    expect(first).toEqual(['probes', 'requests to the store']);
    const usual = ask(CONFIGMAPS);
    const hurried = await Promise.race([ask(`${CONFIGMAPS}?timeout=300ms`), usual]);
    expect(hurried).toMatchObject({ status: 504 });
    expect(hurried.text).toContain('Timeout: request did not complete within requested timeout');
    await Promise.all([usual, expectUnready()]);
    etcd.continue();
    await expectRecovery(watch, 'after-pause');
  });

  test('that is gone answers from memory, fails the rest in time, and recovers when it is back', async () => {
    const watch = await watchFrom(`${CONFIGMAPS}?watch=1&resourceVersion=0`);
    await etcd.kill();
    await Promise.all([expectUnready().then(expectMemoryAnswers), expectRetryableFailures()]);
    await etcd.restart();
    await expectRecovery(watch, 'after-restart');
  });

  test.each([
    ['hangs', async () => etcd.pause(), async () => etcd.continue()],
    ['is gone', () => etcd.kill(), () => etcd.restart()],
  ])('that %s keeps another server waiting, which starts when it is back', async (_how, fail, mend) => {
    await fail();
    let mended: Promise<void> | undefined;
    const keys = `--encryption-key-file=${join(server.directory, 'encryption.key')}`;
    const { code, said } = await startOnce(['--etcd-servers', etcd.endpoint, keys], (child, text) => {
      if (text.includes('it waits for the store')) mended ??= mend();
      if (text.includes('Serving on ')) child.kill('SIGTERM');
    });
    await (mended ?? mend());
    expect(said).toMatch(/"reason":"the store (cannot be opened|fails) \(etcd at http:[^"]*"/);
    expect({ code, said }).toMatchObject({ code: 0 });
  });

  test('that stays away ends another server, which says why', async () => {
    await etcd.kill();
    const { code, said } = await startOnce(['--etcd-servers', etcd.endpoint]);
    await etcd.restart();
    expect(code).toBe(1);
    expect(said).toMatch(
      /^management-apiserver: the store (cannot be opened|fails) \(etcd at http:.*\): .+$/m,
    );
  });
});

describe('a server on its own store', () => {
  test('prevents a second server from starting there, with an error', async () => {
    const server = await startServer();
    try {
      const { code, said } = await startOnce(['--data-dir', join(server.directory, 'data')]);
      expect(code).toBe(1);
      expect(said).toMatch(
        /^management-apiserver: the store cannot be opened .*in use by another process.*$/m,
      );
      expect(await fetchFrom(`${server.url}/readyz`)).toMatchObject({ status: 200 });
    } finally {
      await server.remove();
    }
  });
});

/**
 * Runs the server until it exits. Returns its exit code and what it wrote. `heard`: called with all of that when there is more.
 */
async function startOnce(
  flags: readonly string[],
  heard: (child: ChildProcess, said: string) => void = () => undefined,
): Promise<{ code: number | null; said: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'server-once-'));
  const args = [compiledServer(), '--secure-port=0', `--data-dir=${directory}`, ...flags];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: directory, NODE_OPTIONS: '' },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      heard(child, said);
    });
  const [code] = (await once(child, 'close')) as [number | null];
  rmSync(directory, { recursive: true });
  return { code, said };
}
