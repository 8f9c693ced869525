/** docs/recipes/argocd.md: the engine of Argo CD applies the page to a standalone server, by the Secret that the page makes. */
import { readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { freePort, type Running, start } from '../../hack/bench/processes.js';
import { type Client, client, usualType } from '../fixtures/clients/client.js';
import { stepsOf } from '../fixtures/docs/docssteps.js';
import { findProgram } from '../fixtures/stores/etcd.js';
import { type PlatformCli, platformCli } from '../fixtures/clients/platformcli.js';
import { describeWith, execute } from '../fixtures/program.js';
import { fileOf, recipe, writeFiles } from '../fixtures/docs/recipes.js';
import { type ServerFixture, startServer } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const PAGE = recipe('argocd');
const APIS = '/apis/management.svc.example/v1';
const PATCH = { 'content-type': usualType('PATCH') };

describeWith('gitops-agent', 'git')('Argo CD', () => {
  let server: ServerFixture;
  let api: Client;
  let cli: PlatformCli;
  let engine: Running;
  let port: number;

  function git(...args: string[]): void {
    const who = ['-c', 'user.name=anna', '-c', 'user.email=anna@example.com'];
    const { code, err } = execute('git', ['-C', cli.home, ...who, ...args]);
    expect([args, code, err]).toEqual([args, 0, expect.any(String)]);
  }
  function commit(message: string): void {
    git('add', 'management');
    git('commit', '-qm', message);
  }
  /** As the Secret of the page has it. */
  function kubeconfig(): string {
    const { stringData } = parse(readFileSync(join(cli.home, 'cluster.yaml'), 'utf8')) as {
      stringData: { server: string; config: string };
    };
    const { bearerToken, tlsClientConfig } = JSON.parse(stringData.config) as {
      bearerToken: string;
      tlsClientConfig: { caData: string };
    };
    const name = 'management';
    return stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name,
          cluster: { server: stringData.server, 'certificate-authority-data': tlsClientConfig.caData },
        },
      ],
      users: [{ name, user: { token: bearerToken } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    });
  }
  const sync = async (): Promise<unknown> => fetch(`http://127.0.0.1:${port}/api/v1/sync`);
  const displayName = async (): Promise<unknown> => {
    const { status, text } = await api.send('GET', `${APIS}/projects/web`);
    return status === 200 ? (JSON.parse(text) as { spec: { displayName: string } }).spec.displayName : status;
  };
  const becomes = (value: unknown): Promise<boolean> =>
    eventually(`the project is ${String(value)}`, async () => (await displayName()) === value).catch(
      (error: unknown) => {
        throw new Error(
          `${String(error)}: ${readFileSync(join(cli.home, 'engine.log'), 'utf8').slice(-3_000)}`,
        );
      },
    );

  beforeAll(async () => {
    server = await startServer({ controllers: '*' });
    api = client(server);
    cli = platformCli();
    const login = await cli.run(['--kubeconfig', server.kubeconfig, 'login', '--name', 'admin']);
    expect(login).toMatchObject({ code: 0 });
    for (const { command } of stepsOf(PAGE)) {
      const text = `cd ${cli.home}; ${command.replace('https://management.example.com:6443', server.url)}\n`;
      const done = execute('bash', ['-c', text], { env: cli.installed() });
      expect([command, done.code, done.err]).toEqual([command, 0, '']);
    }
    writeFileSync(join(cli.home, 'kubeconfig'), kubeconfig(), { mode: 0o600 });
    mkdirSync(join(cli.home, 'management'));
    writeFiles(PAGE, join(cli.home, 'management'), { 'web.yaml': {} });
    git('init', '-q');
    commit('first');
    port = await freePort();
    const { path } = (parse(fileOf(PAGE, 'application.yaml')) as { spec: { source: { path: string } } }).spec
      .source;
    engine = start(
      findProgram('gitops-agent') as string,
      [
        cli.home,
        `--path=${path}`,
        `--kubeconfig=${join(cli.home, 'kubeconfig')}`,
        '--default-namespace=default',
        `--port=${port}`,
      ],
      join(cli.home, 'engine.log'),
    );
  });
  afterAll(async () => {
    await engine?.kill();
    cli?.remove();
    await server?.remove();
  });

  test('applies what is in Git', async () => {
    await becomes('The website');
    expect((await api.send('GET', `${APIS}/users/anna`)).status).toBe(200);
  });

  test('takes back what others change', async () => {
    const mine = { spec: { displayName: 'Mine' } };
    expect((await api.send('PATCH', `${APIS}/projects/web`, mine, PATCH)).status).toBe(200);
    await sync();
    await becomes('The website');
  });

  test('deletes what is removed from Git, the project with its namespace', async () => {
    const [user = ''] = fileOf(PAGE, 'web.yaml').split('---\n');
    writeFiles(PAGE, join(cli.home, 'management'), { 'web.yaml': { [fileOf(PAGE, 'web.yaml')]: user } });
    commit('second');
    await sync();
    await becomes(404);
    expect((await api.send('GET', '/api/v1/namespaces/loft-p-web')).status).toBe(404);
    expect((await api.send('GET', `${APIS}/users/anna`)).status).toBe(200);
  });
});
