/** The real Helm: a chart with a SharedSecret and a ConfigMap, releases kept in ConfigMaps and in Secrets. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findProgram } from '../fixtures/etcd.js';
import { describeWith, execute } from '../fixtures/program.js';
import { fetchFrom, startServer } from '../fixtures/server.js';
import type { ServerFixture } from '../fixtures/server.js';

const CHART = fileURLToPath(new URL('charts/settings', import.meta.url));

let server: ServerFixture;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

interface Found {
  readonly metadata: { readonly name: string; readonly managedFields?: readonly { operation: string }[] };
  readonly spec?: unknown;
  readonly data?: unknown;
}

async function list(path: string): Promise<readonly Found[]> {
  const answer = await fetchFrom(`${server.url}${path}`);
  expect(answer.status).toBe(200);
  return (JSON.parse(answer.text) as { items: Found[] }).items;
}

const secrets = (): Promise<readonly Found[]> =>
  list('/apis/management.svc.example/v1/namespaces/default/sharedsecrets');
const configMaps = (): Promise<readonly Found[]> =>
  list('/api/v1/namespaces/default/configmaps?labelSelector=app.kubernetes.io/instance');

describeWith('helm').each([
  { driver: 'configmap', apply: false },
  { driver: 'configmap', apply: true },
  { driver: 'secret', apply: false },
  { driver: 'secret', apply: true },
])('helm with releases in a $driver, server-side apply $apply', ({ driver, apply }) => {
  const release = `${driver}-${apply ? 'apply' : 'merge'}`;

  function helm(...args: string[]): string {
    const env = {
      HELM_DRIVER: driver,
      HOME: server.directory,
      HELM_CACHE_HOME: join(server.directory, 'helm'),
    };
    const flags = [`--kubeconfig=${server.kubeconfig}`, '--namespace=default'];
    const { code, out, err } = execute(findProgram('helm') as string, [...flags, ...args], { env });
    if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${code}: ${err}${out}`);
    return out;
  }

  test('install', async () => {
    helm('install', release, CHART, `--server-side=${apply}`, '--wait', '--timeout=20s');
    expect(await secrets()).toMatchObject([
      {
        metadata: { name: `${release}-database` },
        spec: { displayName: 'Database', data: { password: 'c2VjcmV0' } },
      },
    ]);
    expect(await configMaps()).toMatchObject([{ data: { replicas: '1' } }]);
    const operations = (await secrets())[0]?.metadata.managedFields?.map(({ operation }) => operation);
    expect(operations).toContain(apply ? 'Apply' : 'Update');
  });

  test('upgrade changes what the values change', async () => {
    const values = ['--set=displayName=Store', '--set-string=replicas=2'];
    helm('upgrade', release, CHART, `--server-side=${apply}`, ...values);
    expect(await secrets()).toMatchObject([
      { spec: { displayName: 'Store', data: { password: 'c2VjcmV0' } } },
    ]);
    expect(await configMaps()).toMatchObject([{ data: { replicas: '2' } }]);
  });

  test('rollback brings the first revision back', async () => {
    helm('rollback', release, '1');
    expect(await secrets()).toMatchObject([{ spec: { displayName: 'Database' } }]);
    expect(await configMaps()).toMatchObject([{ data: { replicas: '1' } }]);
    const history = JSON.parse(helm('history', release, '--output=json')) as {
      revision: number;
      status: string;
    }[];
    expect(history.map(({ revision, status }) => `${revision} ${status}`)).toEqual([
      '1 superseded',
      '2 superseded',
      '3 deployed',
    ]);
  });

  test('uninstall leaves nothing', async () => {
    helm('uninstall', release, '--wait', '--timeout=20s');
    expect(await secrets()).toEqual([]);
    expect(await configMaps()).toEqual([]);
    const kept = driver === 'secret' ? 'secrets' : 'configmaps';
    expect(await list(`/api/v1/namespaces/default/${kept}?labelSelector=owner%3Dhelm`)).toEqual([]);
  });
});
