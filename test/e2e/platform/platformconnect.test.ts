/**
 * `platform connect cluster` with an agent: the printed command has a token by which the agent joins, and the cluster is
 * connected once the server has spoken to it. A second server of this project is the cluster.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startAgent, type AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { API } from '../../fixtures/agents/tunnel.js';
import { client } from '../../fixtures/clients/client.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { runJoin } from '../../../cmd/agent/join.js';
import { eventually } from '../../fixtures/wait.js';

const NAMESPACE = 'management-agent';
const SECRET = 'management-agent-management';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;

const IMAGE = ['--image-repository', 'registry.example.com/management-apiserver'];

let server: ServerFixture;
let cluster: ServerFixture;
let cli: PlatformCli;
/** Without them it says what is missing: the server of a test has a loopback address. */
const agentFlags = (): string[] => [...IMAGE, '--server-url', server.url, '--chart', 'chart.tgz'];
let agent: AgentProcess | undefined;

beforeAll(async () => {
  server = await startServer({ controllers: '*' });
  cluster = await startServer();
  cli = platformCli();
  const ca = join(cli.home, 'ca.crt');
  writeFileSync(ca, authorityOf(server));
  expect((await cli.run(['login', server.url, '--ca-file', ca], { input: ADMIN_TOKEN })).code).toBe(0);
  for (const [path, name] of [
    ['/api/v1/namespaces', NAMESPACE],
    [SECRETS, SECRET],
  ] as const)
    expect((await client(cluster).send('POST', path, { metadata: { name } })).status).toBe(201);
});
afterAll(async () => {
  await agent?.kill();
  cli?.remove();
  await server?.remove();
  await cluster?.remove();
});

async function ok(...args: string[]): Promise<Run> {
  const run = await cli.run(args);
  expect([args, run.code, run.code === 0 ? '' : run.stderr]).toEqual([args, 0, '']);
  return run;
}

/** The values of the printed command. */
async function printed(): Promise<Map<string, string>> {
  const { stdout, stderr } = await ok('connect', 'cluster', 'north', '--print', ...agentFlags());
  expect(stdout).toMatch(/^helm upgrade --install management-agent \S+ --namespace management-agent /);
  expect(stdout).toContain('--set image.repository=registry.example.com/management-apiserver');
  expect(stdout).toContain('--set tunnel.enabled=true --set service.enabled=false');
  expect(stderr).toContain('within 15 minutes');
  return new Map(
    [...stdout.matchAll(/--set(?:-string)? '?([\w.]+)=([^'\s]*)'?/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

/** Does in this process what the chart has its init container do. */
async function joined(values: Map<string, string>): Promise<string> {
  const out = join(server.directory, `joined-${Math.random()}`);
  const of = (name: string): string => values.get(name) ?? '';
  const flags = {
    cluster: of('cluster'),
    server: of('join.server'),
    'ca-bundle': of('join.caBundle'),
    token: of('join.token'),
    namespace: NAMESPACE,
    secret: SECRET,
    kubeconfig: cluster.kubeconfig,
    out,
  };
  await runJoin(Object.entries(flags).map(([name, value]) => `--${name}=${value}`));
  return out;
}

const startJoined = async (managementKubeconfig: string): Promise<AgentProcess> =>
  startAgent({
    cluster: 'north',
    managementKubeconfig,
    kubeconfig: cluster.kubeconfig,
    flags: ['--tunnel'],
  });
const keys = async (): Promise<string[]> => {
  const { text } = await client(server).send('GET', `${API}/ownedaccesskeys`);
  const { items } = JSON.parse(text) as { items: { metadata: { name: string }; spec: { user?: string } }[] };
  return items.filter(({ spec }) => spec.user === 'agent-north').map(({ metadata }) => metadata.name);
};

test('an agent joins with the printed token, once; further Pods find what it has got', async () => {
  const values = await printed();
  expect(values.get('management.user')).toBe('agent-north');
  expect(values.get('join.server')).toBe(server.url);
  const [one, other] = await Promise.all([joined(values), joined(values)]);
  expect(readFileSync(one, 'utf8')).toBe(readFileSync(other, 'utf8'));
  expect(readFileSync(await joined(values), 'utf8')).toBe(readFileSync(one, 'utf8'));
  expect(await keys()).toHaveLength(1);
  agent = await startJoined(one);
  await eventually('the Cluster is ready', async () => {
    const { stdout } = await ok('get', 'cluster', 'north', '-o', 'jsonpath={.status.phase}');
    return stdout.trim() === 'Ready';
  });
});

test('an agent with a used or foreign token is told what to do', async () => {
  const values = await printed();
  await client(cluster).send('DELETE', `${SECRETS}/${SECRET}`);
  await client(cluster).send('POST', SECRETS, { metadata: { name: SECRET } });
  await joined(values);
  values.set('join.token', `${values.get('join.token')}x`);
  await expect(joined(values)).rejects.toThrow('platform connect cluster north');
});

test('a user of the name of the agent is left alone', async () => {
  const path = `${API}/users`;
  expect((await client(server).send('POST', path, { metadata: { name: 'agent-south' } })).status).toBe(201);
  const { code, stderr } = await cli.run(['connect', 'cluster', 'south', '--print', ...agentFlags()]);
  expect([code, stderr]).toEqual([6, expect.stringContaining('delete that user')]);
});

/** A folder with a `helm` that installs nothing, and keeps what it was given: here nothing runs Pods. */
function recordingHelm(): { bin: string; args: () => string; input: string } {
  const bin = join(cli.home, 'recording');
  mkdirSync(bin);
  const [args, input] = [join(bin, 'args'), join(bin, 'input')];
  const script = `#!/bin/sh
echo "$*" >> ${args}
case $1 in
  get) echo 'Error: release: not found' >&2; exit 1 ;;
  upgrade) cat > ${input}.part && mv ${input}.part ${input} ;;
esac
`;
  writeFileSync(join(bin, 'helm'), script, { mode: 0o755 });
  return { bin, args: () => readFileSync(args, 'utf8'), input };
}

interface InstalledValues {
  readonly cluster: string;
  readonly join: Readonly<Record<string, string>>;
}

test('it is Connected when the agent of the new token is, and that token is no argument', async () => {
  const { bin, args, input } = recordingHelm();
  const before = await keys();
  let hasEnded = false;
  const running = cli
    .run(['connect', 'cluster', 'north', '--yes', ...agentFlags()], {
      env: { PATH: [bin, cli.env.PATH].join(delimiter) },
    })
    .finally(() => (hasEnded = true));
  await eventually('helm has run', () => Promise.resolve(existsSync(input)));
  const values = JSON.parse(readFileSync(input, 'utf8')) as InstalledValues;
  expect(args()).toContain('upgrade --install management-agent ');
  expect(args()).not.toContain(values.join.token);
  const flags = Object.entries(values.join).map(([name, value]) => [`join.${name}`, value] as const);
  const kubeconfig = await joined(new Map([['cluster', values.cluster], ...flags]));
  expect(await keys()).toHaveLength(before.length + 1);
  // The earlier agent is connected all the time.
  expect(hasEnded).toBe(false);
  const earlier = agent;
  agent = await startJoined(kubeconfig);
  const { code, stderr } = await running;
  expect([code, stderr]).toEqual([0, expect.stringContaining('Connected: the server reaches')]);
  const left = await keys();
  expect([left.length, before.includes(left.join())]).toEqual([1, false]);
  await earlier?.kill();
});

test('without the chart nothing is made, and the error says where it is', async () => {
  const env = {
    PATH: dirname(findProgram('helm') ?? ''),
    KUBECONFIG: cluster.kubeconfig,
  };
  const { code, stderr } = await cli.run(
    ['connect', 'cluster', 'west', '--yes', ...agentFlags(), '--chart', join(cli.home, 'nosuch.tgz')],
    { env },
  );
  expect([code, stderr]).toEqual([1, expect.stringMatching(/nosuch\.tgz.*--chart/)]);
  expect((await client(server).send('GET', `${API}/clusters/west`)).status).toBe(404);
});

test.each([
  ['clusterroles', {}],
  ['clusterrolebindings', { roleRef: { kind: 'ClusterRole', name: 'view' } }],
])('%s of the name of those of the agent are left alone', async (plural, rest) => {
  const path = `${RBAC}/${plural}`;
  const name = 'management-agent-west';
  const made = await client(server).send('POST', path, { metadata: { name }, ...rest });
  expect(made.status).toBe(201);
  const { code, stderr } = await cli.run(['connect', 'cluster', 'west', '--print', ...agentFlags()]);
  expect([code, stderr]).toEqual([6, expect.stringContaining('delete that cluster role')]);
  expect((await client(server).send('GET', `${API}/clusters/west`)).status).toBe(404);
  expect((await client(server).send('DELETE', `${path}/${name}`)).status).toBe(200);
});

test('connecting again works, and the earlier agent ends with its disconnection', async () => {
  const again = await joined(await printed());
  await agent?.kill();
  agent = await startJoined(again);
  await ok('disconnect', 'cluster', 'north', '--keep-agent', '--yes');
  for (const place of ['clusters/north', 'users/agent-north'])
    expect((await client(server).send('GET', `${API}/${place}`)).status).toBe(404);
  const role = `${RBAC}/clusterroles/management-agent-north`;
  expect((await client(server).send('GET', role)).status).toBe(404);
  await eventually('no key is left', async () => (await keys()).length === 0);
  expect(await cli.run(['disconnect', 'cluster', 'north', '--keep-agent', '--yes'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('there is no cluster "north"') as unknown,
  });
});

test('by a kubeconfig it says Connected only when the server has spoken to the cluster', async () => {
  const connected = await ok('connect', 'cluster', 'east', '--kubeconfig-file', cluster.kubeconfig);
  expect(connected.stderr).toContain('Connected: the server reaches cluster "east"');
  const taken = await cli.run(['connect', 'cluster', 'east', '--print', ...agentFlags()]);
  expect([taken.code, taken.stderr]).toEqual([
    6,
    expect.stringContaining('platform disconnect cluster east'),
  ]);
  await ok('disconnect', 'cluster', 'east', '--yes');
  expect(await kept('cluster-east')).toBe(404);
  await ok('connect', 'cluster', 'east', '--kubeconfig-file', cluster.kubeconfig);
});

const KEPT = '/api/v1/namespaces/management-system/secrets';
const kept = async (name: string): Promise<number> =>
  (await client(server).send('GET', `${KEPT}/${name}`)).status;

test('the Secret of a cluster that is gone already is removed, and no other', async () => {
  expect((await client(server).send('DELETE', `${API}/clusters/east`)).status).toBe(200);
  expect(await kept('cluster-east')).toBe(200);
  await ok('disconnect', 'cluster', 'east', '--keep-agent', '--yes');
  expect(await kept('cluster-east')).toBe(404);
  const data = { config: readFileSync(cluster.kubeconfig).toString('base64') };
  for (const name of ['mine', 'cluster-own', 'cluster-other'])
    expect((await client(server).send('POST', KEPT, { metadata: { name }, data })).status).toBe(201);
  for (const [name, secret] of [
    ['own', 'mine'],
    ['other', 'cluster-other'],
  ] as const) {
    await ok('create', 'cluster', name, '--secret', secret);
    const { stderr } = await ok('disconnect', 'cluster', name, '--yes');
    expect(stderr).toContain(`The Secret management-system/${secret} stays.`);
  }
  for (const name of ['mine', 'cluster-own', 'cluster-other']) expect(await kept(name)).toBe(200);
  const taken = await cli.run(['connect', 'cluster', 'own', '--kubeconfig-file', cluster.kubeconfig]);
  expect([taken.code, taken.stderr]).toEqual([6, expect.stringContaining('cluster-own is there already')]);
});

test('without helm the error says what to do instead', async () => {
  const { code, stderr } = await cli.run(['connect', 'cluster', 'west', '--yes', ...agentFlags()], {
    env: { PATH: '/nowhere' },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('--print')]);
});
