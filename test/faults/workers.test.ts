/**
 * Several processes with one port and one store respond like a single server. Each request uses a new connection, so
 * any worker may serve it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../fixtures/clients/client.js';
import { ENGINES, type EngineServer } from '../fixtures/servers/engines.js';
import { writeAtRandom } from '../fixtures/clients/randomwrites.js';
import { eventually } from '../fixtures/wait.js';
import { streamOf, versionsIn, type StreamEvent } from '../fixtures/clients/watchstream.js';
import { isAlive, workersOf } from '../fixtures/servers/workerprocesses.js';

const WORKERS = 3;
const MAPS = '/api/v1/namespaces/default/configmaps';
const KEYS = '/apis/management.svc.example/v1/ownedaccesskeys';
const OBJECTS = 16;
/**
 * A connection that is passed to a worker at the moment when the worker dies gets no response: clients close it after
 * this time.
 */
const GIVEN_UP_MS = 5_000;

describe.each(ENGINES)('a server with three workers on %s', (engine, start) => {
  let running: EngineServer;

  beforeAll(async () => {
    running = await start({ flags: [`--workers=${WORKERS}`, '--v=2'] });
  });
  afterAll(() => running?.remove());

  const send: ReturnType<typeof client>['send'] = (...args) => client(running.server).send(...args);
  const workers = (): number[] => workersOf(running.server.pid());
  const total = async (verb: string): Promise<number> => {
    const { text } = await send('GET', '/metrics');
    const lines = text
      .split('\n')
      .filter((line) => line.includes(`verb="${verb}"`) && line.includes('resource="configmaps"'))
      .filter((line) => line.startsWith('apiserver_request_total'));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };

  test('every worker answers', async () => {
    expect(workers()).toHaveLength(WORKERS);
    const answered = new Set<string>();
    await eventually('requests at each worker', async () => {
      await send('GET', `${MAPS}/none`);
      for (const [, worker] of running.server.log().matchAll(/"worker":(\d+)[^\n]*configmaps/g))
        answered.add(worker ?? '');
      return answered.size === WORKERS;
    });
  });

  test('all workers serve a write of one; metrics and the audit log have each request once', async () => {
    const before = await total('POST');
    const names = Array.from({ length: OBJECTS }, (_, at) => `object-${at}`);
    await Promise.all(
      names.map(async (name) => {
        expect((await send('POST', MAPS, { metadata: { name }, data: { at: '0' } })).status).toBe(201);
        const again = await send('POST', MAPS, { metadata: { name } });
        expect(again.status).toBe(409);
        const reads = await Promise.all([0, 1, 2].map(() => send('GET', `${MAPS}/${name}`)));
        expect(reads.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect((await send('GET', MAPS)).text).toContain(`"name":"${name}"`);
      }),
    );
    expect(await total('POST')).toBe(before + 2 * OBJECTS);
    const log = join(running.server.directory, 'data', 'audit', 'audit.log');
    await eventually('all lines of the audit log', () => {
      const created = readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"verb":"create"') && line.includes('"configmaps"'))
        .map((line) => (JSON.parse(line) as { auditID: string; stage: string }).auditID);
      return Promise.resolve(created.length === 2 * OBJECTS && new Set(created).size === 2 * OBJECTS);
    });
  });

  test('watches that go on at other workers see every write once, in order', async () => {
    const { text } = await send('GET', MAPS);
    const from = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? '';
    let over = false;
    const follow = async (enough: number): Promise<StreamEvent[]> => {
      const all: StreamEvent[] = [];
      for (let after = from; ; after = all.at(-1)?.version ?? after) {
        const last = over;
        const seen = await streamOf(running.server, MAPS, { after, enough });
        all.push(...seen);
        if (last && !seen.some(({ type }) => type !== 'BOOKMARK')) return all;
      }
    };
    const followers = Promise.all([7, 13, 29].map(follow));
    const written = await Promise.all(
      [1, 2, 3, 4].map((seed) =>
        writeAtRandom({
          seed,
          collection: MAPS,
          servers: () => [running.server],
          goesOn: (writes) => writes < 40,
          body: (count) => ({ data: { count: String(count) } }),
        }),
      ),
    );
    over = true;
    const expected = new Map(written.flatMap((versions) => [...versions]));
    for (const seen of await followers) expect(versionsIn(seen)).toEqual(expected);
  });

  test('a key that is deleted is refused by every worker', async () => {
    const spec = { user: 'admin', type: 'User', ttl: 3_600 };
    const made = await send('POST', KEYS, { metadata: { name: 'short' }, spec });
    expect(made.status).toBe(201);
    const { key } = (JSON.parse(made.text) as { spec: { key: string } }).spec;
    const withKey = client(running.server, key);
    const answers = async (): Promise<number[]> =>
      Promise.all(Array.from({ length: 12 }, async () => (await withKey.send('GET', '/api')).status));
    expect(new Set(await answers())).toEqual(new Set([200]));
    expect((await send('DELETE', `${KEYS}/short`)).status).toBe(200);
    expect(new Set(await answers())).toEqual(new Set([401]));
  });

  // On etcd each worker has its own connection, as replicas have: what they share is the same.
  if (engine !== 'embedded') return;

  test.each([
    ['dies', false],
    ['hangs, with connections on their way to it, and dies', true],
  ])('a worker that %s is replaced, and nothing that was answered is lost', async (_what, hangs) => {
    const before = workers();
    const victim = before[1] ?? 0;
    const acknowledged: string[] = [];
    let over = false;
    let successor = 0;
    const write = async (writer: number): Promise<void> => {
      for (let count = 0; !over; count += 1) {
        const name = `kept-${hangs}-${writer}-${count}`;
        const status = await Promise.race([
          send('POST', MAPS, { metadata: { name } }).then(
            (answer) => answer.status,
            () => 0,
          ),
          sleep(GIVEN_UP_MS, 0, { ref: false }),
        ]);
        if (status === 201) acknowledged.push(name);
      }
    };
    const writers = Promise.all([1, 2, 3].map(write));
    try {
      await eventually('some writes', () => Promise.resolve(acknowledged.length > 10));
      if (hangs) {
        process.kill(victim, 'SIGSTOP');
        await sleep(500);
      }
      process.kill(victim, 'SIGKILL');
      successor = await eventually('another worker', () =>
        Promise.resolve(workers().find((pid) => !before.includes(pid))),
      );
      const { length } = acknowledged;
      await eventually('more writes', () => Promise.resolve(acknowledged.length > length + 10));
    } finally {
      over = true;
      await writers;
    }
    const { text } = await send('GET', MAPS);
    expect(acknowledged.filter((name) => !text.includes(`"name":"${name}"`))).toEqual([]);
    await eventually('that it answers', async () => {
      await send('GET', `${MAPS}/none`);
      return new RegExp(`"worker":${successor}[^\\n]*configmaps`).test(running.server.log());
    });
  });

  test('SIGTERM to all processes ends them, with status 0, and all is there after a restart', async () => {
    const all = workers();
    for (const pid of all) process.kill(pid, 'SIGTERM');
    await running.server.restart();
    expect(all.filter(isAlive)).toEqual([]);
    expect((await send('GET', `${MAPS}/object-1`)).status).toBe(200);
  });

  test('workers do not outlive the process that started them', async () => {
    const all = workers();
    expect(all).toHaveLength(WORKERS);
    await running.server.kill();
    await eventually('the end of the workers', () => Promise.resolve(!all.some(isAlive)));
    await running.server.restart();
    expect((await send('GET', `${MAPS}/object-1`)).status).toBe(200);
  });
});
