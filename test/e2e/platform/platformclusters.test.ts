/** `platform` and connected clusters: a second server acts as the cluster. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { impersonating } from '../../fixtures/clients/impersonation.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const CLUSTERS = '/apis/management.svc.example/v1/clusters';
let server: ServerFixture;
let cluster: ServerFixture;
let cli: PlatformCli;

beforeAll(async () => {
  [server, cluster] = await Promise.all([startServer(), startServer()]);
  cli = platformCli();
  const { fingerprint256 } = new X509Certificate(authorityOf(server));
  const login = ['login', server.url, '--fingerprint', fingerprint256];
  expect((await cli.run(login, { input: ADMIN_TOKEN })).stderr).toMatch(/^Logged in/);
  for (const name of ['web', 'shop'])
    await impersonating(server).send('POST', '/apis/management.svc.example/v1/projects', {
      metadata: { name },
      spec: { allowedClusters: [{ name: '*' }] },
    });
});
afterAll(async () => {
  cli.remove();
  await Promise.all([server.remove(), cluster.remove()]);
});

async function ok(...args: string[]): Promise<Run> {
  const run = await cli.run(args);
  expect([args, run.code, run.code === 0 ? '' : run.stderr]).toEqual([args, 0, '']);
  return run;
}

test('a cluster is connected, or created from an existing Secret', async () => {
  await ok('connect', 'cluster', 'east', '--kubeconfig-file', cluster.kubeconfig);
  await ok('create', 'cluster', 'west', '--secret', 'cluster-east');
  expect((await ok('list', 'clusters', '-o', 'name')).stdout).toBe('east\nwest\n');
  const renewed = join(cli.home, 'renewed.yaml');
  writeFileSync(renewed, `# renewed\n${readFileSync(cluster.kubeconfig, 'utf8')}`);
  expect(await cli.run(['connect', 'cluster', 'east', '--kubeconfig-file', renewed])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('cluster "west" has the Secret management-system/cluster-east'),
  });
});

test('a cluster that was deleted is connected again, unless another has its Secret, or that is none of a cluster', async () => {
  const connect = (name: string) =>
    cli.run(['connect', 'cluster', name, '--kubeconfig-file', cluster.kubeconfig]);
  await ok('connect', 'cluster', 'north', '--kubeconfig-file', cluster.kubeconfig);
  await ok('delete', 'cluster', 'north', '--yes');
  expect([(await connect('north')).code, (await ok('list', 'clusters', '-o', 'name')).stdout]).toEqual([
    0,
    expect.stringContaining('north\n'),
  ]);
  await ok('create', 'cluster', 'south', '--secret', 'cluster-north');
  await ok('delete', 'cluster', 'north', '--yes');
  expect(await connect('north')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('cluster "south" has'),
  });
  await ok('delete', 'cluster', 'south', '--yes');
  const secrets = '/api/v1/namespaces/management-system/secrets';
  const other = { metadata: { name: 'cluster-odd' }, data: { password: '' } };
  expect((await impersonating(server).send('POST', secrets, other)).status).toBe(201);
  expect(await connect('odd')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('is there already'),
  });
});

test('a virtual cluster is imported, and its kubeconfig asked for', async () => {
  const host = impersonating(cluster);
  await host.send('POST', '/api/v1/namespaces', { metadata: { name: 'vcs' } });
  const data = { config: readFileSync(cluster.kubeconfig).toString('base64') };
  await host.send('POST', '/api/v1/namespaces/vcs/secrets', { metadata: { name: 'vc-old' }, data });
  const place = ['--cluster', 'east', '--namespace', 'vcs', '--project', 'web', '--name', 'new'];
  expect((await ok('import', 'vcluster', 'old', ...place)).stderr).toContain(
    'Imported virtual cluster "new" into project "web".',
  );
  expect((await cli.run(['import', 'vcluster', 'old', ...place])).code).toBe(6);
  expect((await ok('list', 'vclusters', '--project', 'web')).stdout).toMatch(/new +east/);
  const refused = await cli.run(['kubeconfig', 'vcluster', 'new', '--project', 'web']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('no ingress endpoint') });
  await host.send('POST', '/api/v1/namespaces/vcs/secrets', { metadata: { name: 'vc-open' }, data });
  await ok('import', 'vcluster', 'open', ...place.slice(0, 6), '--ingress');
  const { stdout } = await ok(
    'get',
    'vcluster',
    'open',
    '--project',
    'web',
    '-o',
    'jsonpath={.spec.accessPoint}',
  );
  expect(stdout).toContain('"enabled":true');
});

test('a space moves, and kubectl is pointed at it', async () => {
  await ok('create', 'space', 'staging', '--project', 'web', '--cluster', 'east');
  await ok('move', 'space', 'staging', '--project', 'web', '--to', 'shop');
  const use = ['use', 'space', 'staging', '--project', 'shop'];
  const annotations = { 'management.svc.example/direct-endpoint': cluster.url };
  await impersonating(server).send('PATCH', `${CLUSTERS}/east`, { metadata: { annotations } });
  await ok(...use);
  const path = join(cli.home, '.kube', 'config');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const config = parse(readFileSync(path, 'utf8')) as {
    'current-context': string;
    clusters: { cluster: { server: string } }[];
    contexts: { context: { namespace: string } }[];
    users: { user: { exec: { args: string[] } } }[];
  };
  expect(config['current-context']).toBe('platform-space-shop-staging');
  expect(config.clusters[0]?.cluster.server).toBe(cluster.url);
  expect(config.contexts[0]?.context.namespace).toMatch(/^instance-staging-/);
  expect(config.users[0]?.user.exec.args).toEqual([
    '--context',
    new URL(server.url).host,
    '--pin',
    expect.stringMatching(/^[0-9a-f]{32}$/),
    'token',
    '--direct-cluster-endpoint',
    '--cluster',
    'east',
  ]);
});

/** The environment of a command that authenticates with a new access key of a user. */
async function withKeyOf(user: string): Promise<Record<string, string>> {
  const key = (await ok('create', 'accesskey', `${user}s`, '--user', user, '-o', 'json')).stdout;
  const { spec } = JSON.parse(key) as { spec: { key: string } };
  const authority = join(cli.home, 'ca.crt');
  writeFileSync(authority, authorityOf(server));
  return { PLATFORM_URL: server.url, PLATFORM_ACCESS_KEY: spec.key, PLATFORM_CA_FILE: authority };
}

test('tokens for clusters are kept until shortly before their end', async () => {
  // The administrator of the token file is not a User, so the test needs the access key of one.
  await impersonating(server).send('POST', '/apis/management.svc.example/v1/users', {
    metadata: { name: 'anna' },
  });
  const access = [{ verbs: ['use'], users: ['anna'] }];
  await impersonating(server).send('PATCH', `${CLUSTERS}/east`, { spec: { access } });
  const env = await withKeyOf('anna');
  const token = (...more: string[]): Promise<Run> =>
    cli.run(['token', '--direct-cluster-endpoint', '--cluster', 'east', ...more], { env });
  const unbound = await cli.run(['token', '--direct-cluster-endpoint'], { env });
  expect(unbound.stderr).toContain('--direct-cluster-endpoint needs --cluster');
  const first = await token();
  expect(first.stderr).toBe('');
  const credential = JSON.parse(first.stdout) as { kind: string; status: { expirationTimestamp: string } };
  expect(credential).toMatchObject({
    kind: 'ExecCredential',
    apiVersion: 'client.authentication.k8s.io/v1',
    status: { token: expect.stringMatching(/^ey/), expirationTimestamp: expect.stringMatching(/Z$/) },
  });
  expect((await token()).stdout).toBe(first.stdout);
  expect((await token('--ttl', '2h')).stdout).not.toBe(first.stdout);
  const kept = join(cli.home, '.config', 'platform', 'credentials');
  const files = readdirSync(kept, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files).toHaveLength(2);
  for (const { parentPath, name } of files) expect(statSync(join(parentPath, name)).mode & 0o777).toBe(0o600);
});

test('tokens for clusters are listed and revoked', async () => {
  const api = '/apis/management.svc.example/v1';
  const admin = impersonating(server);
  await admin.send('POST', `${api}/users`, { metadata: { name: 'carl' } });
  const env = await withKeyOf('carl');
  const access = [{ verbs: ['use'], users: ['anna', 'carl'] }];
  await admin.send('PATCH', `${CLUSTERS}/east`, { spec: { access } });
  const carl = (...args: string[]): Promise<Run> => cli.run(['token', ...args], { env });
  const issue = async (...more: string[]): Promise<string> =>
    (await carl('--direct-cluster-endpoint', '--cluster', 'east', '--raw', ...more)).stdout;
  const idOf = (token: string): string =>
    (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }).jti;

  expect(await carl('list')).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing found.\n' });
  const [one, two] = [await issue(), await issue('--ttl', '2h')];
  const listed = await carl('list');
  expect(listed.stdout).toMatch(/^NAME +USER +TEAM +CLUSTER +SCOPED +FROM +EXPIRES +AGE\n/);
  expect(listed.stdout).toMatch(new RegExp(`${idOf(one)} +carl +east +false +\\S*127.0.0.1 +in `));
  expect(listed.stdout).not.toContain('eyJ');
  const names = (...more: string[]): Promise<string[]> =>
    carl('list', '-o', 'name', ...more).then(({ stdout }) =>
      stdout.trim().split('\n').filter(Boolean).sort(),
    );
  expect(await names()).toEqual([idOf(one), idOf(two)].sort());
  expect(await names('--cluster', 'west')).toEqual([]);
  expect((await ok('token', 'list', '--user', 'carl', '-o', 'name')).stdout.trim().split('\n')).toHaveLength(
    2,
  );
  const offered = await cli.run(['__complete', 'token', 'revoke', idOf(two).slice(0, 8)], { env });
  expect(offered.stdout.trim()).toBe(idOf(two));

  for (const [args, why] of [
    [['revoke'], 'name the tokens, or say --all'],
    [['revoke', idOf(one)], `say --yes to revoke token "${idOf(one)}"`],
    [['revoke', idOf(one), '--all'], 'not both'],
    [['revoke', '--user', 'carl'], 'need --all'],
    [['list', '--raw'], "unknown option '--raw'"],
  ] as const)
    expect(await carl(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  expect(await carl('revoke', idOf(one), '--yes')).toMatchObject({
    code: 0,
    stderr: `Revoked token "${idOf(one)}".\n`,
  });
  expect(await names()).toEqual([idOf(two)]);
  // The token in the local cache is not used again.
  expect(idOf(await issue())).not.toBe(idOf(one));
  expect((await carl('revoke', idOf(one), '--yes')).code).toBe(4);
  expect((await carl('revoke', '--all', '--yes')).stderr).toBe('Revoked 2 tokens of user carl.\n');
  expect(await names()).toEqual([]);
  await issue();
  expect((await cli.run(['token', 'revoke', '--all', '--yes'])).stderr).toContain('Nothing found.');
  expect((await ok('token', 'revoke', '--all', '--user', 'carl', '--yes')).stderr).toBe(
    'Revoked 1 token of user carl.\n',
  );
});

test('a disconnection warns of spaces, whose namespaces stay', async () => {
  const { stderr } = await ok('disconnect', 'cluster', 'east', '--yes');
  expect(stderr).toContain('Warning: the namespaces of these spaces stay in cluster "east": shop/staging\n');
});
