/** docs/recipes/external-secrets.md: External Secrets Operator, in a cluster, copies secrets of a standalone server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort, type Running, start } from '../../hack/bench/processes.js';
import { blocksOf } from '../docs/page.js';
import { type Client, client, usualType } from '../fixtures/clients/client.js';
import { type Kubectl, kubectl } from '../fixtures/clients/kubectl.js';
import { type PlatformCli, platformCli } from '../fixtures/clients/platformcli.js';
import { recipe, writeFiles } from '../fixtures/docs/recipes.js';
import { made } from '../fixtures/host/apiservice.js';
import { defineKinds } from '../fixtures/recipes/definitions.js';
import { type HostCluster, NEWEST_HOST, startHost } from '../fixtures/host/hostcluster.js';
import { describeWith, execute } from '../fixtures/program.js';
import { type ServerFixture, startServer } from '../fixtures/servers/server.js';
import { findProgram } from '../fixtures/stores/etcd.js';
import { eventually } from '../fixtures/wait.js';

const PAGE = recipe('external-secrets');
const [FIRST_KEY, NEXT_KEY] = blocksOf(PAGE);
const APIS = '/apis/management.svc.example/v1';
const SOURCE = `${APIS}/namespaces/loft-p-web/projectsecrets/database`;
const PATCH = { 'content-type': usualType('PATCH') };
/** What the operator is not asked for here, which would take more definitions. */
const LEFT_OUT = ['cluster-store', 'cluster-external-secret', 'cluster-push-secret', 'push-secret'];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describeWith(
  'external-secrets',
  'kubectl',
  NEWEST_HOST.apiserver,
)('External Secrets Operator', () => {
  let server: ServerFixture;
  let api: Client;
  let host: HostCluster;
  let admin: Kubectl;
  let cli: PlatformCli;
  let operator: Running;

  /** As somebody who is logged in to the server, and whose kubectl is of the cluster. */
  function follow(script: string): void {
    const { code, err } = execute('bash', ['-euc', `cd '${cli.home}'; ${script}`], {
      env: { ...cli.installed(), KUBECONFIG: host.kubeconfig },
    });
    expect([script, code, code === 0 ? '' : err]).toEqual([script, 0, '']);
  }
  /** The objects of the page; under another name, for another path and with another key where these are told. */
  function apply(changes: Readonly<Record<string, string>> = {}): void {
    writeFiles(PAGE, cli.home, {
      'store.yaml': {
        'https://management.example.com:6443': server.url,
        'Interval: 1m': 'Interval: 1s',
        ...changes,
      },
    });
    admin.run(['apply', '-f', join(cli.home, 'store.yaml')]);
  }
  const named = (name: string): Record<string, string> => ({
    'name: database': `name: ${name}`,
    'name: management\nspec': `name: ${name}\nspec`,
    'StoreRef:\n    name: management': `StoreRef:\n    name: ${name}`,
  });
  const keyOf = (secret: string): Record<string, string> => ({
    'secretRef:\n            name: management': `secretRef:\n            name: ${secret}`,
  });
  const create = (path: string, name: string, spec: object): Promise<unknown> =>
    made(api, `${APIS}/${path}`, { metadata: { name }, spec });
  const write = async (password: string): Promise<void> => {
    const { status } = await api.send(
      'PATCH',
      SOURCE,
      { spec: { data: { password: base64(password) } } },
      PATCH,
    );
    expect(status).toBe(200);
  };
  /** What arrived in the cluster; undefined where there is no such Secret. */
  async function copied(name: string): Promise<string | undefined> {
    const { status, text } = await host.api.send('GET', `/api/v1/namespaces/default/secrets/${name}`);
    const { data } = JSON.parse(text) as { data?: { password: string } };
    return status === 200 ? Buffer.from(data?.password ?? '', 'base64').toString() : undefined;
  }
  async function condition(name: string): Promise<{ status: string; reason: string } | undefined> {
    const path = `/apis/external-secrets.io/v1/namespaces/default/externalsecrets/${name}`;
    const { status } = JSON.parse((await host.api.send('GET', path)).text) as {
      status?: { conditions?: { type: string; status: string; reason: string }[] };
    };
    return status?.conditions?.find(({ type }) => type === 'Ready');
  }
  const log = (): string => readFileSync(join(cli.home, 'operator.log'), 'utf8').slice(-2000);
  const becomes = async (name: string, password: string): Promise<void> => {
    const arrived = async (): Promise<boolean> => (await copied(name)) === password;
    await eventually(`${password} in the Secret ${name}`, arrived).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${log()}`);
    });
  };
  const becomesReason = (name: string, reason: string): Promise<boolean> =>
    eventually(`${name}: ${reason}`, async () => (await condition(name))?.reason === reason);

  beforeAll(async () => {
    [server, host] = await Promise.all([startServer({ controllers: '*' }), startHost(NEWEST_HOST)]);
    api = client(server);
    cli = platformCli();
    admin = kubectl({ kubeconfig: host.kubeconfig, directory: host.directory });
    const login = await cli.run(['--kubeconfig', server.kubeconfig, 'login', '--name', 'admin']);
    expect(login).toMatchObject({ code: 0 });
    for (const name of ['web', 'shop']) {
      await create('projects', name, {});
      const data = { password: base64(`of the ${name}`) };
      await create(`namespaces/loft-p-${name}/projectsecrets`, 'database', { data });
    }
    defineKinds(admin, 'external-secrets.io');
    follow(FIRST_KEY?.text ?? '');
    operator = start(
      findProgram('external-secrets') as string,
      [
        `--metrics-addr=127.0.0.1:${await freePort()}`,
        ...LEFT_OUT.map((name) => `--enable-${name}-reconciler=false`),
      ],
      join(cli.home, 'operator.log'),
      { ...process.env, KUBECONFIG: host.kubeconfig },
    );
    apply();
  });
  afterAll(async () => {
    await operator?.kill();
    cli?.remove();
    await host?.stop();
    await server?.remove();
  });

  test('copies a secret of the project, and the store and the secret become ready', async () => {
    await becomes('database', 'of the web');
    const wait = ['wait', '--for=condition=Ready', 'secretstore/management', 'externalsecret/database'];
    expect(admin.run([...wait, '--timeout=60s'])).toContain(
      'externalsecret.external-secrets.io/database condition met',
    );
  });

  test('copies the next value', async () => {
    await write('rotated');
    await becomes('database', 'rotated');
  });

  test('copies a SharedSecret by its path, with a key for it', async () => {
    const shared = FIRST_KEY?.text
      .replace('create accesskey external-secrets --project web', 'create accesskey shared')
      .replaceAll('secret generic management', 'secret generic key-of-all')
      .replace('label secret management', 'label secret key-of-all');
    follow(shared ?? '');
    await create('namespaces/default/sharedsecrets', 'database', { data: { password: base64('shared') } });
    const path = { 'loft-p-web/projectsecrets': 'default/sharedsecrets' };
    apply({ ...path, ...named('shared'), ...keyOf('key-of-all') });
    await becomes('shared', 'shared');
  });

  test('reads no other project with the key of the page, and does with another', async () => {
    const path = { 'loft-p-web': 'loft-p-shop' };
    apply({ ...path, ...named('shop') });
    await becomesReason('shop', 'SecretSyncedError');
    expect(await copied('shop')).toBeUndefined();
    apply({ ...path, ...named('shop'), ...keyOf('key-of-all') });
    await becomes('shop', 'of the shop');
  });

  test('switches to the next key, and continues when the first is deleted', async () => {
    follow(NEXT_KEY?.text ?? '');
    await write('by the next key');
    await becomes('database', 'by the next key');
  });

  test('leaves the Secret unchanged when the key is revoked', async () => {
    follow('platform delete accesskey external-secrets-2 --yes');
    await write('too late');
    await becomesReason('database', 'SecretSyncedError');
    expect(await condition('database')).toMatchObject({ status: 'False' });
    expect(await copied('database')).toBe('by the next key');
  });
});
