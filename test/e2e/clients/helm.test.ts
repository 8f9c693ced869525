/** The real Helm: a chart with a SharedSecret and a ConfigMap, and releases stored in ConfigMaps and in Secrets. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client } from '../../fixtures/clients/client.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { inventory } from '../../fixtures/clients/inventory.js';
import { describeWith, execute, type Outcome } from '../../fixtures/program.js';
import { fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const CHART = fileURLToPath(new URL('charts/settings', import.meta.url));

let server: ServerFixture;

beforeAll(async () => {
  server = await startServer({ controllers: 'namespace-controller,garbage-collector-controller' });
});
afterAll(() => server.remove());

interface Found {
  readonly metadata: { readonly name: string; readonly managedFields?: readonly { operation: string }[] };
  readonly type?: string;
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

interface Setting {
  /** The storage driver of releases; Secrets by default. */
  readonly driver?: string;
  readonly namespace?: string;
}

function run(args: readonly string[], { driver = '', namespace = 'default' }: Setting): Outcome {
  const env = {
    HELM_DRIVER: driver,
    HOME: server.directory,
    HELM_CACHE_HOME: join(server.directory, 'helm'),
  };
  const flags = [`--kubeconfig=${server.kubeconfig}`, `--namespace=${namespace}`];
  return execute(findProgram('helm') as string, [...flags, ...args], { env });
}

function done(args: readonly string[], setting: Setting): string {
  const { code, out, err } = run(args, setting);
  if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${code}: ${err}${out}`);
  return out;
}

describeWith('helm').each([
  { driver: 'configmap', apply: false },
  { driver: 'configmap', apply: true },
  { driver: 'secret', apply: false },
  { driver: 'secret', apply: true },
])('helm with releases in a $driver, server-side apply $apply', ({ driver, apply }) => {
  const release = `${driver}-${apply ? 'apply' : 'merge'}`;

  const helm = (...args: string[]): string => done(args, { driver });

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

describeWith('helm')('helm as it is without settings', () => {
  const namespace = 'shop';
  const setting = { namespace };
  const kept = async (): Promise<(readonly [string, string | undefined])[]> =>
    (await list(`/api/v1/namespaces/${namespace}/secrets`)).map(
      ({ metadata, type }) => [metadata.name, type] as const,
    );
  const settings = async (): Promise<unknown> =>
    (await list(`/api/v1/namespaces/${namespace}/configmaps`)).find(
      ({ metadata }) => metadata.name === 'orders-settings',
    )?.data;
  let before: string[] = [];

  test('a release is a Secret in a namespace that Helm makes', async () => {
    before = await inventory(client(server));
    done(['upgrade', '--install', 'orders', CHART, '--create-namespace', '--wait', '--timeout=20s'], setting);
    expect(await kept()).toEqual([['sh.helm.release.v1.orders.v1', 'helm.sh/release.v1']]);
    expect(done(['get', 'manifest', 'orders'], setting)).toContain('kind: SharedSecret');
    const releases = JSON.parse(done(['list', '--output=json'], setting)) as object[];
    expect(releases).toMatchObject([{ name: 'orders', namespace, revision: '1', status: 'deployed' }]);
  });

  test('an upgrade that is refused is rolled back', async () => {
    const refused = ['--set=password=no-base64!', '--set-string=replicas=7', '--rollback-on-failure'];
    const { code, err } = run(['upgrade', 'orders', CHART, ...refused, '--timeout=20s'], setting);
    expect(code).not.toBe(0);
    expect(err).toContain('spec.data[password]');
    expect(await settings()).toEqual({ replicas: '1' });
    const history = JSON.parse(done(['history', 'orders', '--output=json'], setting)) as object[];
    expect(history).toMatchObject([{ status: 'superseded' }, { status: 'failed' }, { status: 'deployed' }]);
  });

  test('history is kept as long as it is asked for', async () => {
    done(['upgrade', 'orders', CHART, '--set-string=replicas=3', '--history-max=2'], setting);
    expect(await settings()).toEqual({ replicas: '3' });
    expect((await kept()).map(([name]) => name)).toEqual([
      'sh.helm.release.v1.orders.v3',
      'sh.helm.release.v1.orders.v4',
    ]);
  });

  test('uninstall and the end of the namespace leave what was there before', async () => {
    done(['uninstall', 'orders', '--wait', '--timeout=20s'], setting);
    await eventually('the end of all but the namespace', async () => {
      const left = (await inventory(client(server))).filter((found) => !before.includes(found));
      return left.join() === `/api/v1/namespaces /${namespace}`;
    });
    const { status } = await fetchFrom(`${server.url}/api/v1/namespaces/${namespace}`, { method: 'DELETE' });
    expect(status).toBe(200);
    await eventually('the end of the namespace', async () => {
      return (await inventory(client(server))).join() === before.join();
    });
  });
});
