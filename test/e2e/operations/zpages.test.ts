/** `/statusz` and `/flagz`, which describe the process. What they answer to each Accept header is in test/conformance. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FLAGS } from '../../../cmd/apiserver/options/flags/flags.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, VIEWER_TOKEN, type ServerFixture } from '../../fixtures/servers/server.js';

const document = (kind: string) => ({ accept: `application/json;g=config.k8s.io;v=v1beta1;as=${kind}` });

let server: ServerFixture;
let admin: Client;
beforeAll(async () => {
  server = await startServer();
  admin = client(server);
});
afterAll(() => server?.remove());

async function read<T>(path: string, headers?: Record<string, string>): Promise<T> {
  const { status, text } = await admin.send('GET', path, undefined, headers);
  expect(status).toBe(200);
  return JSON.parse(text) as T;
}

test('/statusz has the start of the process, its version and the first folders of what / lists', async () => {
  interface Statusz {
    readonly startTime: string;
    readonly uptimeSeconds: number;
    readonly paths: string[];
  }
  const status = await read<Statusz>('/statusz', document('Statusz'));
  expect(status).toMatchObject({ metadata: { name: 'management-apiserver' }, emulationVersion: '1.37' });
  expect(status.paths).toEqual([
    '/debug',
    '/flagz',
    '/healthz',
    '/livez',
    '/metrics',
    '/readyz',
    '/statusz',
    '/version',
  ]);
  const started = Date.parse(status.startTime) + status.uptimeSeconds * 1000;
  expect(Math.abs(Date.now() - started)).toBeLessThan(60_000);
  const { text } = await admin.send('GET', '/statusz');
  expect(text).toMatch(/^\nmanagement-apiserver statusz\nWarning: .*\n\nStarted: /);
  expect(text).toMatch(/\nUp: \d+ hr \d\d min \d\d sec\nNode version: \d/);
  expect((await read<{ paths: string[] }>('/')).paths).toEqual(
    expect.arrayContaining(['/flagz', '/statusz']),
  );
});

test('/flagz has every flag, as given or by default, and no content of a file', async () => {
  const { flags } = await read<{ flags: Record<string, string> }>('/flagz', document('Flagz'));
  expect(Object.keys(flags)).toEqual(Object.values(FLAGS).map(({ name }) => name));
  expect(flags).toMatchObject({
    'secure-port': String(server.port),
    'event-ttl': '1h0m0s',
    'etcd-servers': '',
  });
  const { text } = await admin.send('GET', '/flagz');
  expect(text).toContain(`\nsecure-port=${server.port}\n`);
  expect(text).not.toContain(VIEWER_TOKEN);
});

test('a role grants them: system:monitoring has both', async () => {
  const watcher = client(server, VIEWER_TOKEN);
  expect((await watcher.send('GET', '/flagz')).status).toBe(403);
  const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  const binding = {
    metadata: { name: 'watcher' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:monitoring' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
  };
  expect((await admin.send('POST', bindings, binding)).status).toBe(201);
  for (const path of ['/flagz', '/statusz']) {
    expect((await watcher.send('GET', path)).status).toBe(200);
    expect((await watcher.send('POST', path)).status).toBe(403);
    expect((await admin.send('POST', path)).status).toBe(405);
  }
});
