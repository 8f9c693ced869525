/** The debug endpoints of a server, which only administrators may use. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, client } from '../../fixtures/clients/client.js';
import { ADMIN_TOKEN, type ServerFixture, startServer, VIEWER_TOKEN } from '../../fixtures/servers/server.js';

const PATHS = ['/debug/caches', '/debug/process', '/debug/requests'];
const SECRETS = '/api/v1/namespaces/default/secrets';
const PLANTED = 'cGxhbnRlZC12YWx1ZQ==';

let server: ServerFixture;
let admin: Client;
beforeAll(async () => {
  server = await startServer();
  admin = client(server, ADMIN_TOKEN);
});
afterAll(() => server?.stop());

async function read<T>(path: string): Promise<T> {
  const { status, text, headers } = await admin.send('GET', path);
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  const value: T = JSON.parse(text);
  return value;
}

test('the process: event loop, memory and heap', async () => {
  interface Process {
    process: { node: string };
    measuredSeconds: number;
    eventLoop: { utilization: number; delay: Record<string, number> };
    memory: { rss: number };
    heap: { used_heap_size: number };
    heapSpaces: object[];
  }
  const state = await read<Process>('/debug/process?seconds=1');
  expect(state.measuredSeconds).toBeGreaterThan(0.9);
  expect(state.eventLoop.utilization).toBeGreaterThanOrEqual(0);
  expect(Object.keys(state.eventLoop.delay)).toEqual(['mean', 'p50', 'p99', 'max']);
  expect(state.eventLoop.delay.max).toBeGreaterThanOrEqual(state.eventLoop.delay.p50 ?? Infinity);
  expect(state.memory.rss).toBeGreaterThan(state.heap.used_heap_size);
  expect(state.heapSpaces.length).toBeGreaterThan(3);
});

test.each(['0', '31', '-1', '1.5', 'x', '', '1&seconds=2'])(
  'the process is not measured for %j seconds',
  async (seconds) => {
    const { status, text } = await admin.send('GET', `/debug/process?seconds=${seconds}`);
    expect(status).toBe(400);
    expect(text).toContain('seconds must be a whole number from 1 to 30');
  },
);

test('the caches: how many objects they hold, and how often compressed lists were used again', async () => {
  interface Caches {
    resources: { resource: string; objects: number; revision: number }[];
    compressedLists: { hits: number; misses: number };
  }
  const countOf = ({ resources }: Caches): number | undefined =>
    resources.find(({ resource }) => resource === 'core/configmaps')?.objects;
  const before = await read<Caches>('/debug/caches');
  for (let at = 0; at < 300; at++) {
    const data = { text: `${at} `.repeat(200) };
    const { status } = await admin.send('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: `map-${at}` },
      data,
    });
    expect(status).toBe(201);
  }
  for (let time = 0; time < 2; time++) {
    const headers = { 'accept-encoding': 'gzip' };
    const { status } = await admin.send('GET', '/api/v1/namespaces/default/configmaps', undefined, headers);
    expect(status).toBe(200);
  }
  const after = await read<Caches>('/debug/caches');
  expect(countOf(after)).toBe((countOf(before) ?? NaN) + 300);
  expect(after.compressedLists.misses).toBeGreaterThan(before.compressedLists.misses);
  expect(after.compressedLists.hits).toBeGreaterThan(before.compressedLists.hits);
});

test('the slowest requests, with the times of their stages, and nothing that a client sent', async () => {
  const secret = { metadata: { name: 'planted' }, data: { password: PLANTED } };
  expect((await admin.send('POST', `${SECRETS}?fieldManager=${PLANTED}`, secret)).status).toBe(201);
  interface Requests {
    slowest: {
      verb: string;
      path: string;
      user: string;
      milliseconds: number;
      stages: Record<string, number>;
    }[];
  }
  const { slowest } = await read<Requests>('/debug/requests');
  expect(slowest.length).toBeGreaterThan(0);
  for (const { milliseconds, stages } of slowest) {
    const sum = Object.values(stages).reduce((one, other) => one + other, 0);
    expect(sum).toBeLessThanOrEqual(milliseconds + 0.01);
  }
  const ordered = slowest.map(({ milliseconds }) => milliseconds);
  expect(ordered).toEqual([...ordered].sort((one, other) => other - one));
  expect(JSON.stringify(slowest)).not.toContain(PLANTED);
});

describe('access to the debug endpoints', () => {
  test.each(PATHS)('is refused without the right: %s', async (path) => {
    expect((await client(server, VIEWER_TOKEN).send('GET', path)).status).toBe(403);
    expect((await client(server, '').send('GET', path)).status).toBe(403);
    expect((await admin.send('POST', path)).status).toBe(405);
  });

  test('is granted by a role with the path, until it is removed', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1';
    const role = {
      metadata: { name: 'examiner' },
      rules: [{ nonResourceURLs: ['/debug/caches'], verbs: ['get'] }],
    };
    expect((await admin.send('POST', `${roles}/clusterroles`, role)).status).toBe(201);
    const binding = {
      metadata: { name: 'examiner' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'examiner' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
    };
    expect((await admin.send('POST', `${roles}/clusterrolebindings`, binding)).status).toBe(201);
    const viewer = client(server, VIEWER_TOKEN);
    const statuses = async (): Promise<number[]> =>
      Promise.all(PATHS.map(async (path) => (await viewer.send('GET', path)).status));
    expect(await statuses()).toEqual([200, 403, 403]);
    expect((await admin.send('DELETE', `${roles}/clusterrolebindings/examiner`)).status).toBe(200);
    expect(await statuses()).toEqual([403, 403, 403]);
  });
});
