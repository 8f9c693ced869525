/**
 * A space in a real cluster without an agent, whose kubeconfig has the rights of docs/clusters.md and no others: `platform use
 * space` and kubectl work in it, through the management API.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { kubeconfigOf } from '../../fixtures/agents/manyclusters.js';
import { impersonating } from '../../fixtures/clients/impersonation.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { ONE_RELEASE, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { describeWith, execute, type Outcome } from '../../fixtures/program.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const RBAC_GROUP = 'rbac.authorization.k8s.io';
const ANNA = { kind: 'User', name: 'anna', clusterRole: 'management-project-user' };
const ACCOUNT = { namespace: 'kube-system', name: 'management-apiserver' };
const ACCOUNTS = `/api/v1/namespaces/${ACCOUNT.namespace}/serviceaccounts`;

interface Role {
  readonly metadata: { readonly name: string };
  readonly rules: readonly { readonly verbs: readonly string[] }[];
}

/** The ClusterRole of the page. */
function documentedRole(): Role {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/clusters.md', import.meta.url)), 'utf8');
  const [, text = ''] = /## Rights in the cluster\n[^]*?```yaml\n([^]*?)```/.exec(page) ?? [];
  return parse(text) as Role;
}

for (const release of ONE_RELEASE)
  describeWith(release.apiserver, 'kubectl')(`with Kubernetes ${release.release}`, () => {
    const role = documentedRole();
    let host: HostCluster;
    let server: ServerFixture;
    let cli: PlatformCli;

    beforeAll(async () => {
      host = await plainHost(release);
      server = await startServer({ controllers: '*' });
      cli = platformCli();
      const ca = join(cli.home, 'ca.crt');
      writeFileSync(ca, authorityOf(server));
      const login = async (name: string, input: string): Promise<void> => {
        const args = ['login', server.url, '--ca-file', ca, '--name', name];
        expect((await cli.run(args, { input })).code).toBe(0);
      };
      await login('admin', ADMIN_TOKEN);
      await made(`${RBAC}/clusterroles`, role);
      await ok('connect', 'cluster', 'north', '--kubeconfig-file', await accountsKubeconfig());
      const admin = impersonating(server);
      await admin.send('POST', `${API}/projects`, {
        metadata: { name: 'web' },
        spec: { allowedClusters: [{ name: 'north' }], members: [ANNA] },
      });
      await admin.send('POST', `${API}/users`, { metadata: { name: 'anna' } });
      await login('anna', (await ok('create', 'accesskey', 'annas', '--user', 'anna')).stdout);
      await ok('create', 'space', 'staging', '--project', 'web', '--cluster', 'north', '--wait');
    });
    afterAll(async () => {
      cli?.remove();
      await server?.remove();
      await host?.stop();
    });

    async function made(path: string, body: object): Promise<string> {
      const { status, text } = await host.api.send('POST', path, body);
      expect([path, status, status < 300 ? '' : text]).toEqual([path, 201, '']);
      return text;
    }
    async function ok(...args: string[]): Promise<Run> {
      const run = await cli.run(args);
      expect([args, run.code, run.code === 0 ? '' : run.stderr]).toEqual([args, 0, '']);
      return run;
    }
    /** Of an account that has the role of the page. */
    async function accountsKubeconfig(): Promise<string> {
      await made(ACCOUNTS, { metadata: { name: ACCOUNT.name } });
      const roleRef = { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: role.metadata.name };
      const subjects = [{ kind: 'ServiceAccount', ...ACCOUNT }];
      await made(`${RBAC}/clusterrolebindings`, { metadata: { name: ACCOUNT.name }, roleRef, subjects });
      const answer = await made(`${ACCOUNTS}/${ACCOUNT.name}/token`, {});
      const { token } = (JSON.parse(answer) as { status: { token: string } }).status;
      const config = JSON.parse(kubeconfigOf(host.url, readFileSync(host.certificates.caFile, 'utf8'))) as {
        users: object[];
      };
      config.users = [{ name: 'u', user: { token } }];
      const file = join(cli.home, 'north.kubeconfig');
      writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
      return file;
    }
    const kubectl = (...args: string[]): Outcome =>
      execute(findProgram('kubectl') ?? '', args, {
        env: { ...cli.installed(), KUBECONFIG: join(cli.home, '.kube', 'config') },
      });

    test('kubectl works in the space by the command that is shown beside it', async () => {
      const { stderr } = await ok('use', 'space', 'staging', '--project', 'web');
      expect(stderr).toContain('It goes through the management API');
      expect(stderr).not.toContain('rolebinding');
      expect(kubectl('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}').out).toBe(
        'management:anna',
      );
      expect(kubectl('create', 'configmap', 'mine').out).toContain('created');
      expect(kubectl('get', 'configmaps', '-o', 'name').out).toContain('configmap/mine');
      expect((await ok('use', 'space', 'staging', '--project', 'web', '--direct')).stderr).toContain(
        'It goes through the management API',
      );
    });

    test('and not beside it', () => {
      expect(kubectl('get', 'configmaps', '-n', 'default').err).toContain('alone');
      expect(kubectl('get', 'nodes').err).toContain('alone');
      expect(kubectl('get', 'pods', '--as', 'system:admin').err).toContain('impersonation');
    });

    test('doctor finds nothing wrong', async () => {
      const { stdout } = await cli.run(['doctor', '--space', 'web/staging', '-o', 'json']);
      const found = JSON.parse(stdout) as { check: string; state: string }[];
      expect(found.filter(({ check, state }) => state === 'wrong' && check !== 'certificate')).toEqual([]);
      for (const way of ['management API', 'rights in the space'])
        expect(found.find(({ check }) => check === way)).toMatchObject({ state: 'ok' });
    });

    test('who is no member any more has no rights there, also with the same token', async () => {
      const members = (list: object[]): Promise<{ status: number }> =>
        impersonating(server).send('PATCH', `${API}/projects/web`, { spec: { members: list } });
      expect((await members([])).status).toBe(200);
      await eventually('the cluster gives none', () =>
        Promise.resolve(kubectl('get', 'configmaps').err.includes('User "management:anna" cannot list')),
      );
      expect((await members([ANNA])).status).toBe(200);
      await eventually('the cluster gives them again', () =>
        Promise.resolve(kubectl('get', 'configmaps', '-o', 'name').out.includes('configmap/mine')),
      );
    });

    test('a cluster that lets the server bind nobody is told of', async () => {
      const { status, text } = await host.api.send('GET', `${RBAC}/clusterroles/${role.metadata.name}`);
      expect(status).toBe(200);
      const merge = { 'content-type': 'application/merge-patch+json' };
      const path = `${RBAC}/clusterroles/${role.metadata.name}`;
      const rules = role.rules.filter(({ verbs }) => !verbs.includes('bind'));
      await host.api.send('PATCH', path, { rules }, merge);
      await eventually('the cluster knows the rules', async () => {
        const answer = await ok('create', 'space', `late${Date.now()}`, '--project', 'web', '--wait');
        const name = /"(late\d+)"/.exec(answer.stdout + answer.stderr)?.[1] ?? '';
        const { stdout } = await ok('get', 'space', name, '--project', 'web', '-o', 'json');
        return stdout.includes('the cluster refuses RoleBindings in namespace');
      });
      await host.api.send('PATCH', path, { rules: (JSON.parse(text) as Role).rules }, merge);
    });

    test('without the right to impersonate the error says what is missing', async () => {
      const rules = role.rules.filter(({ verbs }) => !verbs.includes('impersonate'));
      const merge = { 'content-type': 'application/merge-patch+json' };
      const path = `${RBAC}/clusterroles/${role.metadata.name}`;
      expect((await host.api.send('PATCH', path, { rules }, merge)).status).toBe(200);
      // The server asks the cluster anew with the next kubeconfig.
      const secret = '/api/v1/namespaces/management-system/secrets/cluster-north';
      const config = Buffer.from(`${readFileSync(join(cli.home, 'north.kubeconfig'), 'utf8')}\n`);
      const data = { config: config.toString('base64') };
      await impersonating(server).send('PATCH', secret, { data });
      await eventually('the error says so', () =>
        Promise.resolve(kubectl('get', 'configmaps').err.includes('may not impersonate users')),
      );
      const { stdout } = await cli.run(['doctor', '--space', 'web/staging', '-o', 'json']);
      const found = JSON.parse(stdout) as { check: string; state: string; found: string }[];
      expect(found.find(({ check }) => check === 'management API')).toMatchObject({
        state: 'wrong',
        found: expect.stringContaining('may not impersonate users') as unknown,
      });
    });
  });
