/**
 * `platform use --direct` and `platform doctor --space`: with an agent, through the tunnel, and with configuration
 * errors.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { issueAuthority, issueServing } from '../../../pkg/pki/issue.js';
import { allow } from '../../fixtures/clients/impersonation.js';
import type { AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { client } from '../../fixtures/clients/client.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { startStubCluster, type StubCluster } from '../../fixtures/stubs/stubcluster.js';
import {
  API,
  agentUser,
  create,
  peopleAndClusters,
  startDialingAgent,
  tokenOf,
  untilConnected,
} from '../../fixtures/agents/tunnel.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const SPACE = '/kubernetes/project/p/space/s';
const USE = ['use', 'space', 's', '--project', 'p', '--direct'];
const DOCTOR = ['doctor', '--space', 'p/s', '-o', 'json'];
const NAME = 'platform-space-p-s';

let server: ServerFixture;
let stub: StubCluster;
let agent: AgentProcess;
let cli: PlatformCli;
/** The CA of the agent's certificate, PEM. */
let authority = '';

beforeAll(async () => {
  server = await startServer();
  stub = await startStubCluster(server.directory);
  const { anna } = await peopleAndClusters(server);
  await allow(server, 'anna', '', { apiGroups: [GROUP], resources: ['*'], verbs: ['*'] });
  const clusterRef = { cluster: 'east', namespace: 'own', virtualCluster: 'v' };
  await create(server, `${API}/namespaces/loft-p-p/virtualclusterinstances`, 'v', { clusterRef });
  const key = await agentUser(server, 'east');
  agent = await startDialingAgent(server, {
    cluster: 'east',
    key,
    kubeconfig: stub.kubeconfig,
    flags: await certificateFlags(),
  });
  await untilConnected(server, await tokenOf(server, anna));
  cli = platformCli();
  const ca = join(cli.home, 'ca.crt');
  writeFileSync(ca, authorityOf(server));
  expect((await cli.run(['login', server.url, '--ca-file', ca], { input: anna })).code).toBe(0);
});
afterAll(async () => {
  cli?.remove();
  await agent?.kill();
  await stub?.close();
  await server?.remove();
});

async function certificateFlags(): Promise<string[]> {
  const ca = await issueAuthority('agent');
  authority = ca.certificate;
  const { certificate, key } = await issueServing(ca, ['127.0.0.1']);
  const [certFile, keyFile] = ['agent.crt', 'agent.key'].map((name) => join(server.directory, name));
  writeFileSync(certFile ?? '', certificate);
  writeFileSync(keyFile ?? '', key, { mode: 0o600 });
  return [`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`];
}

/** Sets the address of the agent on the Cluster. */
async function announce(url: string | null, ca = authority): Promise<void> {
  const annotations = {
    [`${GROUP}/direct-endpoint`]: url,
    [`${GROUP}/direct-endpoint-ca`]: Buffer.from(ca).toString('base64'),
  };
  const path = `${API}/clusters/east`;
  const { status } = await client(server).send('PATCH', path, { metadata: { annotations } }, MERGE);
  expect(status).toBe(200);
}

async function ok(...args: string[]): Promise<Run> {
  const run = await cli.run(args);
  expect([args, run.code, run.code === 0 ? '' : run.stderr]).toEqual([args, 0, '']);
  return run;
}

interface Entry {
  readonly server: string;
  readonly authority: string;
  readonly namespace: string | undefined;
  readonly args: string[];
}

interface Kubeconfig {
  readonly 'current-context': string;
  readonly contexts: readonly { name: string; context: { namespace?: string } }[];
  readonly clusters: readonly {
    name: string;
    cluster: { server: string; 'certificate-authority-data': string };
  }[];
  readonly users: readonly { name: string; user: { exec: { args: string[] } } }[];
}

function written(name: string): Entry & { readonly current: string } {
  const config = parse(readFileSync(join(cli.home, '.kube', 'config'), 'utf8')) as Kubeconfig;
  const of = <T extends { name: string }>(list: readonly T[]): T => {
    const found = list.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no ${name} in ${JSON.stringify(config)}`);
    return found;
  };
  const { cluster } = of(config.clusters);
  return {
    current: config['current-context'],
    server: cluster.server,
    authority: Buffer.from(cluster['certificate-authority-data'], 'base64').toString(),
    namespace: of(config.contexts).context.namespace,
    args: of(config.users).user.exec.args,
  };
}

/** The status of a request with the credentials of a kubeconfig entry, as kubectl would send it. */
async function statusOf({ server: url, args }: Entry, path = '/version'): Promise<number> {
  const { stdout } = await ok(...args);
  const { token } = (JSON.parse(stdout) as { status: { token: string } }).status;
  return (await fetchFrom(`${url}${path}`, { token })).status;
}

async function diagnosis(): Promise<{ code: number | null; faults: Record<string, string> }> {
  const { code, stdout } = await cli.run(DOCTOR);
  const found = JSON.parse(stdout) as { check: string; state: string; found: string; advice?: string }[];
  const faults = found
    // The certificates of the stub are valid only for days.
    .filter(({ check, state }) => state !== 'ok' && !check.endsWith('certificate'))
    .map(({ check, state, advice }) => [check, advice ?? state]);
  return { code, faults: Object.fromEntries(faults) as Record<string, string> };
}

test('kubectl is pointed at the agent, with a token for the space alone', async () => {
  await announce(agent.url);
  const { stderr } = await ok(...USE);
  expect(stderr).toContain(`It reaches ${agent.url} directly`);
  const entry = written(NAME);
  expect(entry).toMatchObject({ current: NAME, server: `${agent.url}${SPACE}`, authority, namespace: 'own' });
  expect(await statusOf(entry)).toBe(200);
  expect(await statusOf(entry, '/api/v1/namespaces/other/pods')).toBe(403);
  const { args } = entry;
  expect(await statusOf({ ...entry, server: `${agent.url}/kubernetes/cluster`, args })).toBe(403);
});

test('the second context goes through the management API', async () => {
  const entry = written(`${NAME}-tunnel`);
  expect(entry).toMatchObject({ server: `${server.url}${SPACE}`, authority: authorityOf(server) });
  expect(await statusOf(entry)).toBe(200);
});

test('doctor finds nothing wrong with both ways', async () => {
  const { faults } = await diagnosis();
  expect(faults).toEqual({ apiservice: 'skipped' });
});

test('without an address of the agent kubectl is pointed at the management API', async () => {
  await announce(null);
  const { stderr } = await ok(...USE);
  expect(stderr).toContain('It goes through the management API: cluster "east" names no direct endpoint');
  expect(written(NAME).server).toBe(`${server.url}${SPACE}`);
  expect((await ok(...USE.slice(0, -1))).stderr).toBe(stderr);
  expect(await statusOf(written(NAME))).toBe(200);
  expect((await diagnosis()).faults).toMatchObject({ 'agent port': 'skipped', 'agent token': 'skipped' });
});

test('an agent that is not trusted is not used, and doctor says what to do', async () => {
  await announce(agent.url, authorityOf(server));
  expect((await ok(...USE)).stderr).toContain('It goes through the management API');
  expect(written(NAME).server).toBe(`${server.url}${SPACE}`);
  const { stdout } = await cli.run(DOCTOR);
  const found = JSON.parse(stdout) as { check: string; state: string; advice?: string }[];
  expect(found.find(({ check }) => check === 'agent certificate')).toMatchObject({
    state: 'wrong',
    advice: expect.stringContaining('direct-endpoint-ca') as unknown,
  });
  expect(found.find(({ check }) => check === 'agent token')).toMatchObject({ state: 'skipped' });
  expect(found.find(({ check }) => check === 'management API')).toMatchObject({ state: 'ok' });
});

test('an address without an agent is not used, and doctor says so', async () => {
  await announce(server.url.replace('https:', 'http:'));
  expect(await cli.run(USE)).toMatchObject({ code: 1, stderr: expect.stringContaining('no https URL') });
  await announce(`${server.url}/kubernetes/management`, authorityOf(server));
  await ok(...USE);
  expect(written(NAME).server).toBe(`${server.url}${SPACE}`);
  const { code, faults } = await diagnosis();
  expect([code, Object.keys(faults)]).toEqual([1, ['apiservice', 'agent token', 'agent scope']]);
});

test('a revoked token is reported, and replaced by a new one', async () => {
  await announce(agent.url);
  await ok(...USE);
  const records = `${API}/directclusterendpointtokens?fieldSelector=status.user%3Danna`;
  expect((await client(server).send('DELETE', records)).status).toBe(200);
  await eventually('the agent knows it', async () => (await statusOf(written(NAME))) === 401);
  const { faults } = await diagnosis();
  expect(faults['agent token']).toContain('platform use space s --project p --direct');
  expect(faults['management API']).toContain('platform use space s --project p --direct');
  await ok(...USE);
  expect(await statusOf(written(NAME))).toBe(200);
});

test.each([
  ['asked for', ['--direct']],
  ['without an ingress', []],
])('a virtual cluster that cannot be reached on either path is reported, %s', async (_why, flags) => {
  const run = await cli.run(['use', 'vcluster', 'v', '--project', 'p', ...flags]);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('virtual cluster "p/v" is not reached');
  expect(run.stderr).toContain('nor through the management API');
  expect(run.stderr).toContain('platform doctor --virtual-cluster p/v');
});

test('flags that contradict each other are refused', async () => {
  for (const args of [
    ['token', '--space', 'p/s'],
    ['doctor', '--space', 'p/s', '--virtual-cluster', 'p/v'],
    ['doctor', '--space', 's'],
  ])
    expect([args, (await cli.run(args)).code]).toEqual([args, 2]);
});

test('an unavailable agent is reported, on both paths', async () => {
  await agent.kill();
  const { code, stderr } = await cli.run(USE);
  expect([code, stderr]).toEqual([1, expect.stringContaining('no agent of the cluster "east"')]);
  const { faults } = await diagnosis();
  expect(faults).toMatchObject({
    'agent port': expect.stringContaining('Service or Ingress') as unknown,
    'agent token': 'skipped',
    'management API': expect.stringContaining('--tunnel') as unknown,
  });
});
