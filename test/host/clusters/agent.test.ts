/** The agent in front of real API servers: kubectl through the agent, with tokens of a real management API. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { startAgent, type AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { AGENT_CHART, render, renderText } from '../../fixtures/host/chart.js';
import { client } from '../../fixtures/clients/client.js';
import { HOST_RELEASES, NEWEST_HOST, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { writeKubeconfig } from '../../fixtures/host/hostfiles.js';
import { kubectl, type Kubectl } from '../../fixtures/clients/kubectl.js';
import { describeWith } from '../../fixtures/program.js';
import { VIEWER_TOKEN, fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVOCATIONS = 'directclusterendpointtokenrevocations';
const FOLLOWED = [
  'users',
  'teams',
  'ownedaccesskeys',
  REVOCATIONS,
  'spaceinstances',
  'virtualclusterinstances',
];
/** Values of the chart. */
const VALUES = ['cluster=east', 'management.kubeconfigSecretName=management'];
const APIGROUP = 'rbac.authorization.k8s.io';

for (const release of HOST_RELEASES) {
  describeWith(
    release.apiserver,
    'kubectl',
    'helm',
  )(`Kubernetes ${release.release}`, () => {
    const directory = mkdtempSync(join(tmpdir(), 'agent-'));
    let server: ServerFixture;
    let host: HostCluster;
    let agent: AgentProcess;
    let annasKey = '';
    let managementKubeconfig = '';
    /** The kubeconfig of the agent: its user has the rights that the chart grants. */
    let kubeconfig = '';

    beforeAll(async () => {
      server = await startServer();
      host = await plainHost(release);
      await create(server, `${API}/users`, 'anna', { groups: ['devs'] });
      await create(server, `${API}/users`, 'agent', {});
      await create(server, `${API}/clusters`, 'east', {});
      await grant(server, 'agent', [
        { apiGroups: ['management.svc.example'], resources: FOLLOWED, verbs: ['get', 'list', 'watch'] },
        { apiGroups: ['management.svc.example'], resources: ['clusters/tunnel'], verbs: ['create'] },
      ]);
      await grant(server, 'anna', [
        { apiGroups: ['management.svc.example'], resources: ['clusters'], verbs: ['get'] },
      ]);
      await create(server, `${API}/projects`, 'p', { allowedClusters: [{ name: '*' }] });
      const clusterRef = { cluster: 'east', namespace: 'own' };
      await create(server, `${API}/namespaces/loft-p-p/spaceinstances`, 's', { clusterRef });
      annasKey = (await create(server, `${API}/ownedaccesskeys`, 'anna', { user: 'anna' })).spec
        .key as string;
      const agentsKey = (await create(server, `${API}/ownedaccesskeys`, 'agent', { user: 'agent' })).spec
        .key as string;
      managementKubeconfig = join(directory, 'management');
      const config = parse(readFileSync(server.kubeconfig, 'utf8')) as { users: { user: object }[] };
      for (const one of config.users) one.user = { token: agentsKey };
      writeFileSync(managementKubeconfig, JSON.stringify(config), { mode: 0o600 });
      await host.api.send('POST', '/api/v1/namespaces', { metadata: { name: 'own' } });
      await bindEdit();
      await grantAgent();
      agent = await startAgent({ cluster: 'east', managementKubeconfig, kubeconfig, flags: ['--tunnel'] });
    });
    afterAll(async () => {
      await agent?.stop();
      await host?.stop();
      await server?.remove();
      rmSync(directory, { recursive: true });
    });

    async function create(
      to: ServerFixture,
      path: string,
      name: string,
      spec: object,
    ): Promise<{ spec: Record<string, unknown> }> {
      const { status, text } = await client(to).send('POST', path, { metadata: { name }, spec });
      if (status !== 201) throw new Error(`${path} ${name}: ${text}`);
      return JSON.parse(text) as { spec: Record<string, unknown> };
    }
    async function grant(to: ServerFixture, user: string, rules: object[]): Promise<void> {
      const metadata = { name: `agent-test-${user}` };
      const roleRef = { kind: 'ClusterRole', apiGroup: APIGROUP, name: metadata.name };
      const subjects = [{ apiGroup: APIGROUP, kind: 'User', name: user }];
      for (const [plural, body] of [
        ['clusterroles', { metadata, rules }],
        ['clusterrolebindings', { metadata, roleRef, subjects }],
      ] as const)
        expect((await client(to).send('POST', `${RBAC}/${plural}`, body)).status).toBe(201);
    }
    async function grantAgent(): Promise<void> {
      const role = render(VALUES, AGENT_CHART).find(({ kind }) => kind === 'ClusterRole');
      expect((await host.api.send('POST', `${RBAC}/clusterroles`, role)).status).toBe(201);
      const roleRef = { kind: 'ClusterRole', apiGroup: APIGROUP, name: role?.metadata.name };
      const subjects = [{ apiGroup: APIGROUP, kind: 'User', name: 'viewer' }];
      const body = { metadata: { name: 'the-agent' }, roleRef, subjects };
      expect((await host.api.send('POST', `${RBAC}/clusterrolebindings`, body)).status).toBe(201);
      kubeconfig = writeKubeconfig(directory, host.url, host.certificates.caFile, VIEWER_TOKEN, 'cluster');
    }
    /** Grants anna rights in the cluster, with the user name that the agent sends. */
    async function bindEdit(): Promise<void> {
      const roleRef = { kind: 'ClusterRole', apiGroup: APIGROUP, name: 'edit' };
      const subjects = [{ apiGroup: APIGROUP, kind: 'User', name: 'management:anna' }];
      const body = { metadata: { name: 'anna' }, roleRef, subjects };
      expect((await host.api.send('POST', `${RBAC}/namespaces/own/rolebindings`, body)).status).toBe(201);
    }
    async function changed(name: string, change: object): Promise<void> {
      const merge = { 'content-type': 'application/merge-patch+json' };
      const path = `/api/v1/namespaces/own/configmaps/${name}`;
      expect((await host.api.send('PATCH', path, change, merge)).status).toBe(200);
    }
    async function tokenOf(spec: object = {}): Promise<string> {
      const path = `${API}/directclusterendpointtokens`;
      const answer = await client(server, annasKey).send('POST', path, {
        spec: { cluster: 'east', ...spec },
      });
      if (answer.status !== 201) throw new Error(answer.text);
      return (JSON.parse(answer.text) as { status: { token: string } }).status.token;
    }
    /** The flags of anna for a path of the agent. The agent's certificate is self-signed, and is not verified. */
    async function through(path: string, spec: object = {}, url = agent.url): Promise<Kubectl> {
      const flags = [
        `--server=${url}${path}`,
        '--insecure-skip-tls-verify',
        `--token=${await tokenOf(spec)}`,
      ];
      const plain = kubectl({ kubeconfig: '/dev/null', directory });
      const bound = (args: readonly string[]): string[] => [...flags, ...args];
      return {
        attempt: (args, options) => plain.attempt(bound(args), options),
        run: (args, options) => plain.run(bound(args), options),
        printed: (args, pattern, meanwhile) => plain.printed(bound(args), pattern, meanwhile),
      };
    }

    test('the cluster takes all that the chart makes', () => {
      const values = [
        ...VALUES,
        'tunnel.enabled=true',
        'tunnel.apiServer=true',
        'tlsSecretName=tls',
        'networkPolicy.enabled=true',
        'virtualClusterNamespaces={own}',
      ];
      const admin = kubectl({ kubeconfig: host.kubeconfig, directory });
      const apply = [
        'apply',
        '--server-side',
        '--force-conflicts',
        '--dry-run=server',
        '-o',
        'name',
        '-f',
        '-',
      ];
      const input = renderText(values, [], AGENT_CHART).replaceAll('namespace: management', 'namespace: own');
      const made = admin.run(apply, { input });
      expect(made).toContain('deployment.apps/release-management-agent');
      expect(made).toContain('networkpolicy.networking.k8s.io/release-management-agent');
    });

    test('kubectl gets, applies, watches and deletes; the cluster decides what', async () => {
      const anna = await through('/kubernetes/cluster');
      expect(anna.run(['version', '-o', 'json'])).toContain(`"v${release.release}.`);
      expect(anna.run(['api-resources'])).toContain('deployments');
      expect(anna.run(['explain', 'configmap.data'])).toContain('Data contains the configuration data');
      const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } };
      const apply = ['apply', '-n', 'own', '-f', '-'];
      expect(anna.run(apply, { input: JSON.stringify(configMap) })).toContain('created');
      const second = { ...configMap, data: { a: 'x'.repeat(500_000) } };
      expect(
        anna.run([...apply, '--server-side', '--force-conflicts'], { input: JSON.stringify(second) }),
      ).toContain('serverside-applied');
      expect(anna.run(['get', '-n', 'own', 'configmap', 'a', '-o', 'jsonpath={.data.a}'])).toHaveLength(
        500_000,
      );
      const change = { data: { b: 'seen' } };
      await anna.printed(
        ['get', '-n', 'own', 'configmap', 'a', '--watch', '-o', 'jsonpath={.metadata.name}={.data.b};'],
        /seen/,
        () => changed('a', change),
      );
      expect(anna.run(['delete', '-n', 'own', 'configmap', 'a'])).toContain('deleted');
      expect(anna.attempt(['get', 'nodes']).err).toContain(
        'User "management:anna" cannot list resource "nodes"',
      );
      expect(anna.attempt(['get', 'configmaps', '-n', 'default']).err).toContain('Forbidden');
      expect(anna.attempt(['get', 'configmaps', '-n', 'own', '--as=system:admin']).err).toContain(
        'impersonation is not supported here',
      );
      expect(anna.attempt(['exec', '-n', 'own', 'nopod', '--', 'sh']).err).toContain(
        'pods "nopod" not found',
      );
    });

    test('the cluster knows the user and the token', async () => {
      const who = (await through('/kubernetes/cluster')).run(['auth', 'whoami', '-o', 'json']);
      const { userInfo } = (JSON.parse(who) as { status: { userInfo: Record<string, unknown> } }).status;
      expect(userInfo).toMatchObject({
        username: 'management:anna',
        groups: expect.arrayContaining([
          'management:management:user:anna',
          'management:devs',
          'system:authenticated',
        ]),
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
      });
      expect(JSON.stringify(userInfo)).not.toContain('system:masters');
    });

    // What follows is the agent's and the management API's.
    if (release !== NEWEST_HOST) return;

    test('a space is reached by its path, and nothing beside it', async () => {
      const scope = { spaces: [{ project: 'p', space: 's' }] };
      const inSpace = await through('/kubernetes/project/p/space/s', { scope });
      expect(inSpace.run(['create', '-n', 'own', 'configmap', 'b'])).toContain('created');
      expect(inSpace.run(['get', '-n', 'own', 'configmaps', '-o', 'name'])).toContain('configmap/b');
      expect(inSpace.attempt(['get', 'configmaps', '-n', 'default']).err).toContain(
        'reaches the namespace "own" alone',
      );
      expect(inSpace.attempt(['get', 'configmaps', '-A']).code).toBe(1);
      const beside = await through('/kubernetes/cluster', { scope });
      expect(beside.attempt(['get', '-n', 'own', 'configmaps']).err).toContain('denied by token scope');
      const who = inSpace.run(['auth', 'whoami', '-o', 'json']);
      expect(who).toContain('management.svc.example/scope');
    });

    test('through the tunnel it is the same', async () => {
      const path = '/kubernetes/cluster/east';
      const anna = await through(path, {}, server.url);
      expect(anna.run(['version', '-o', 'json'])).toContain(`"v${release.release}.`);
      expect(anna.run(['explain', 'configmap.data'])).toContain('Data contains the configuration data');
      const data = { a: 'x'.repeat(700_000) };
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 't' }, data });
      const apply = ['apply', '-n', 'own', '--server-side', '-f', '-'];
      expect(anna.run(apply, { input })).toContain('serverside-applied');
      const change = { data: { b: 'seen' } };
      await anna.printed(
        ['get', '-n', 'own', 'configmap', 't', '--watch', '-o', 'jsonpath={.metadata.name}={.data.b};'],
        /seen/,
        () => changed('t', change),
      );
      expect(anna.run(['delete', '-n', 'own', 'configmap', 't'])).toContain('deleted');
      expect(anna.attempt(['exec', '-n', 'own', 'nopod', '--', 'sh']).err).toContain(
        'pods "nopod" not found',
      );
      expect(anna.attempt(['get', 'nodes']).err).toContain(
        'User "management:anna" cannot list resource "nodes"',
      );
      const scope = { spaces: [{ project: 'p', space: 's' }] };
      const inSpace = await through('/kubernetes/project/p/space/s', { scope }, server.url);
      expect(inSpace.run(['create', '-n', 'own', 'configmap', 'c'])).toContain('created');
      expect(inSpace.attempt(['get', 'configmaps', '-n', 'default']).err).toContain(
        'reaches the namespace "own" alone',
      );
      const beside = await through(path, { scope }, server.url);
      expect(beside.attempt(['get', '-n', 'own', 'configmaps']).err).toContain('denied by token scope');
    });

    test('a revoked token is refused, and its watch ends, within five seconds', async () => {
      const token = await tokenOf();
      const path = '/kubernetes/cluster/api/v1/namespaces/own/configmaps';
      const get = async (): Promise<number> => (await fetchFrom(`${agent.url}${path}`, { token })).status;
      expect(await get()).toBe(200);
      const watch = fetchFrom(`${agent.url}${path}?watch=true`, { token }).catch(() => 'cut');
      const patch = { 'content-type': 'application/merge-patch+json' };
      await client(server).send('PATCH', `${API}/users/anna`, { spec: { tokenGeneration: 1 } }, patch);
      await eventually('it is refused', async () => (await get()) === 401);
      expect(await Promise.race([watch, new Promise((resolve) => setTimeout(resolve, 5_000, 'open'))])).toBe(
        'cut',
      );
    });

    test('is not ready if it may not list revocations', async () => {
      const path = `${RBAC}/clusterroles/agent-test-agent`;
      const read = async (): Promise<{ rules: { resources: string[] }[] }> =>
        JSON.parse((await client(server).send('GET', path)).text) as { rules: { resources: string[] }[] };
      const { rules } = await read();
      const without = rules.map((rule) => ({
        ...rule,
        resources: rule.resources.filter((each) => each !== REVOCATIONS),
      }));
      const setRules = async (to: object): Promise<void> => {
        const patch = { 'content-type': 'application/merge-patch+json' };
        expect((await client(server).send('PATCH', path, { rules: to }, patch)).status).toBe(200);
      };
      await setRules(without);
      let other: AgentProcess | undefined;
      try {
        other = await startAgent({ cluster: 'east', managementKubeconfig, kubeconfig, untilReady: false });
        const { log, url } = other;
        await eventually('it says why', () => Promise.resolve(log().includes(`${REVOCATIONS}: 403`)));
        expect((await fetchFrom(`${url}/readyz`, { token: '' })).status).toBe(503);
        const token = await tokenOf();
        expect((await fetchFrom(`${url}/kubernetes/cluster/version`, { token })).status).toBe(503);
        await setRules(rules);
        const ready = async (): Promise<boolean> =>
          (await fetchFrom(`${url}/readyz`, { token: '' })).status === 200;
        await eventually('it is ready', ready);
      } finally {
        await setRules(rules);
        await other?.stop();
      }
    });

    test('while the management API is away tokens stay valid, for the configured time', async () => {
      const flags = ['--revocation-max-age=5s'];
      const strict = await startAgent({
        cluster: 'east',
        managementKubeconfig,
        kubeconfig,
        flags,
      });
      const token = await tokenOf();
      const get = async (of: AgentProcess): Promise<number> =>
        (await fetchFrom(`${of.url}/kubernetes/cluster/version`, { token })).status;
      try {
        expect([await get(agent), await get(strict)]).toEqual([200, 200]);
        await server.kill();
        expect([await get(agent), await get(strict)]).toEqual([200, 200]);
        await eventually('nobody is let in', async () => (await get(strict)) === 503);
        expect((await fetchFrom(`${strict.url}/readyz`, { token: '' })).status).toBe(503);
        expect(await get(agent)).toBe(200);
        await server.restart();
        await eventually('tokens are good again', async () => (await get(strict)) === 200);
        const metrics = await (await fetch(strict.metricsUrl)).text();
        expect(metrics).toMatch(
          /management_agent_requests_total\{method="GET",destination="none",code="503"\} \d+/,
        );
        expect(metrics).toContain('management_agent_revocations_age_seconds 0');
      } finally {
        await strict.stop();
      }
    });

    test('requests under way end before the agent does', async () => {
      const other = await startAgent({
        cluster: 'east',
        managementKubeconfig,
        kubeconfig,
        flags: ['--shutdown-timeout=2s'],
      });
      const token = await tokenOf();
      const watch = fetchFrom(`${other.url}/kubernetes/cluster/api/v1/namespaces/own/configmaps?watch=true`, {
        token,
      });
      watch.catch(() => undefined);
      const open = async (): Promise<boolean> =>
        (await (await fetch(other.metricsUrl)).text()).includes(
          'management_agent_lasting_requests_in_flight 1',
        );
      await eventually('the watch is open', open);
      expect(await other.stop()).toBe(0);
      expect(other.log()).not.toContain(token);
    });
  });
}
