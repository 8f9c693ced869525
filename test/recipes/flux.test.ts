/** docs/recipes/flux.md: Flux's kustomize-controller, in a cluster, applies the page to a standalone server. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort, type Running, start } from '../../hack/bench/processes.js';
import { type Client, client, usualType } from '../fixtures/clients/client.js';
import { stepsOf } from '../fixtures/docs/docssteps.js';
import { defineKinds } from '../fixtures/recipes/definitions.js';
import { findProgram } from '../fixtures/stores/etcd.js';
import { type HostCluster, NEWEST_HOST, startHost } from '../fixtures/host/hostcluster.js';
import { type Kubectl, kubectl } from '../fixtures/clients/kubectl.js';
import { type PlatformCli, platformCli } from '../fixtures/clients/platformcli.js';
import { describeWith, execute } from '../fixtures/program.js';
import { fileOf, recipe, writeFiles } from '../fixtures/docs/recipes.js';
import { type ServerFixture, startServer } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const PAGE = recipe('flux');
const APIS = '/apis/management.svc.example/v1';
const PATCH = { 'content-type': usualType('PATCH') };

describeWith(
  'kustomize-controller',
  'kubectl',
  NEWEST_HOST.apiserver,
)('Flux', () => {
  let server: ServerFixture;
  let api: Client;
  let host: HostCluster;
  let admin: Kubectl;
  let cli: PlatformCli;
  let files: Server;
  let flux: Running;
  let archive: Buffer;

  /** As source-controller does it: the folder `management` of the repository, packed and served, and its checksum in the status. */
  function commit(revision: string): void {
    const { code } = execute('tar', ['czf', join(cli.home, 'artifact.tgz'), '-C', cli.home, 'management']);
    expect(code).toBe(0);
    archive = readFileSync(join(cli.home, 'artifact.tgz'));
    const artifact = {
      digest: `sha256:${createHash('sha256').update(archive).digest('hex')}`,
      lastUpdateTime: new Date().toISOString(),
      path: 'artifact.tgz',
      revision: `main@sha1:${createHash('sha1').update(revision).digest('hex')}`,
      url: `http://127.0.0.1:${(files.address() as AddressInfo).port}/artifact.tgz`,
      size: archive.length,
    };
    const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'stored' };
    const conditions = [{ ...ready, lastTransitionTime: artifact.lastUpdateTime }];
    const patch = JSON.stringify({ status: { artifact, conditions } });
    const args = ['patch', 'gitrepository', 'management', '-n', 'flux-system', '--subresource=status'];
    admin.run([...args, '--type=merge', '-p', patch]);
  }

  /** As `flux reconcile` does it. */
  const reconcile = (): string =>
    admin.run([
      'annotate',
      '--overwrite',
      'kustomization',
      'management',
      '-n',
      'flux-system',
      `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
    ]);
  const project = async (): Promise<unknown> => {
    const { status, text } = await api.send('GET', `${APIS}/projects/web`);
    return status === 200 ? (JSON.parse(text) as { spec: { displayName: string } }).spec.displayName : status;
  };
  const becomes = (value: unknown): Promise<boolean> =>
    eventually(`the project is ${String(value)}`, async () => (await project()) === value).catch(
      (error: unknown) => {
        throw new Error(
          `${String(error)}: ${admin.run(['get', 'kustomization', '-A', '-o', 'jsonpath={.items[0].status}'])}`,
        );
      },
    );

  beforeAll(async () => {
    [server, host] = await Promise.all([startServer({ controllers: '*' }), startHost(NEWEST_HOST)]);
    api = client(server);
    cli = platformCli();
    admin = kubectl({ kubeconfig: host.kubeconfig, directory: host.directory });
    const login = await cli.run(['--kubeconfig', server.kubeconfig, 'login', '--name', 'admin']);
    expect(login).toMatchObject({ code: 0 });
    for (const { command } of stepsOf(PAGE)) {
      const done = execute(
        'bash',
        ['-c', `cd ${cli.home}; ${command.replace('https://management.example.com:6443', server.url)}`],
        { env: cli.installed() },
      );
      expect([command, done.code, done.err]).toEqual([command, 0, '']);
    }
    admin.run(['create', 'namespace', 'flux-system']);
    const secret = ['create', 'secret', 'generic', 'management-kubeconfig', '-n', 'flux-system'];
    admin.run([...secret, `--from-file=${join(cli.home, 'value')}`]);
    defineKinds(admin, 'fluxcd');
    files = createServer((_request, response) => void response.end(archive)).listen(0, '127.0.0.1');
    await once(files, 'listening');
    mkdirSync(join(cli.home, 'management'));
    writeFiles(PAGE, join(cli.home, 'management'), { 'web.yaml': {} });
    admin.run(['apply', '-f', '-'], { input: fileOf(PAGE, 'flux.yaml') });
    commit('first');
    flux = start(
      findProgram('kustomize-controller') as string,
      [`--metrics-addr=127.0.0.1:${await freePort()}`, `--health-addr=127.0.0.1:${await freePort()}`],
      join(cli.home, 'flux.log'),
      { ...process.env, KUBECONFIG: host.kubeconfig, RUNTIME_NAMESPACE: 'flux-system' },
    );
  });
  afterAll(async () => {
    await flux?.kill();
    files?.close();
    cli?.remove();
    await host?.stop();
    await server?.remove();
  });

  test('applies what is in Git, and becomes ready', async () => {
    await becomes('The website');
    const wait = ['wait', '--for=condition=Ready', 'kustomization/management', '-n', 'flux-system'];
    expect(admin.run([...wait, '--timeout=60s'])).toContain('condition met');
  });

  test('takes back what others change', async () => {
    const mine = { spec: { displayName: 'Mine' } };
    expect((await api.send('PATCH', `${APIS}/projects/web`, mine, PATCH)).status).toBe(200);
    reconcile();
    await becomes('The website');
  });

  test('applies the next commit', async () => {
    writeFiles(PAGE, join(cli.home, 'management'), { 'web.yaml': { 'The website': 'The shop' } });
    commit('second');
    await becomes('The shop');
  });

  test('deletes what is removed from Git, the project with its namespace', async () => {
    const [user = ''] = fileOf(PAGE, 'web.yaml').split('---\n');
    writeFiles(PAGE, join(cli.home, 'management'), { 'web.yaml': { [fileOf(PAGE, 'web.yaml')]: user } });
    commit('third');
    await becomes(404);
    expect((await api.send('GET', '/api/v1/namespaces/loft-p-web')).status).toBe(404);
    expect((await api.send('GET', `${APIS}/users/anna`)).status).toBe(200);
  });
});
