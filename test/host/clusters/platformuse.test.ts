/**
 * `platform use`: kubectl works with the written kubeconfig in a virtual cluster and in a space. One kube-apiserver is
 * both the connected cluster and the virtual cluster on it.
 */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { impersonating, allow } from '../../fixtures/clients/impersonation.js';
import { authenticationConfiguration } from '../../fixtures/objects/authenticationconfiguration.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { ONE_RELEASE, startHost, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { describeWith, execute, type Outcome } from '../../fixtures/program.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

for (const release of ONE_RELEASE)
  describeWith(release.apiserver, 'kubectl')(`with Kubernetes ${release.release}`, () => {
    const directory = mkdtempSync(join(tmpdir(), 'platform-use-'));
    let server: ServerFixture;
    let host: HostCluster;
    let cli: PlatformCli;

    beforeAll(async () => {
      server = await startServer({ controllers: '*' });
      const config = join(directory, 'authentication.yaml');
      writeFileSync(config, authenticationConfiguration(server, release, 'east'));
      host = await startHost(release, () => [`--authentication-config=${config}`]);
      cli = platformCli();
      const ca = join(cli.home, 'ca.crt');
      writeFileSync(ca, authorityOf(server));
      const admin = ['login', server.url, '--ca-file', ca, '--name', 'admin'];
      expect((await cli.run(admin, { input: ADMIN_TOKEN })).code).toBe(0);
      await connectHost();
      await impersonating(server).send('POST', `${API}/users`, { metadata: { name: 'anna' } });
      await allow(server, 'anna', '', { apiGroups: [GROUP], resources: ['*'], verbs: ['*'] });
      const key = (await ok('create', 'accesskey', 'annas', '--user', 'anna')).stdout;
      const annas = ['login', server.url, '--ca-file', ca, '--name', 'anna'];
      expect((await cli.run(annas, { input: key })).code).toBe(0);
    });
    afterAll(async () => {
      cli?.remove();
      await server?.remove();
      await host?.stop();
      rmSync(directory, { recursive: true });
    });

    async function ok(...args: string[]): Promise<Run> {
      const run = await cli.run(args);
      expect([args, run.code, run.code === 0 ? '' : run.stderr]).toEqual([args, 0, '']);
      return run;
    }

    /** Creates the Cluster with its addresses, a project on it, and a virtual cluster with its ingress. */
    async function connectHost(): Promise<void> {
      const admin = impersonating(server);
      await ok('connect', 'cluster', 'east', '--kubeconfig-file', host.kubeconfig);
      const authority = readFileSync(host.certificates.caFile).toString('base64');
      const annotations = {
        [`${GROUP}/direct-endpoint`]: host.url,
        [`${GROUP}/direct-endpoint-ca`]: authority,
      };
      await admin.send('PATCH', `${API}/clusters/east`, { metadata: { annotations } });
      const spec = { allowedClusters: [{ name: 'east' }] };
      await admin.send('POST', `${API}/projects`, { metadata: { name: 'web' }, spec });
      await host.api.send('POST', '/api/v1/namespaces', { metadata: { name: 'vc-space' } });
      const data = { config: readFileSync(host.kubeconfig).toString('base64') };
      const secret = { metadata: { name: 'vc-dev' }, data };
      await host.api.send('POST', '/api/v1/namespaces/vc-space/secrets', secret);
      await ok(
        'import',
        'vcluster',
        'dev',
        '--cluster',
        'east',
        '--namespace',
        'vc-space',
        '--project',
        'web',
      );
      const path = `${API}/namespaces/loft-p-web/virtualclusterinstances/dev`;
      await admin.send('PATCH', path, { spec: { accessPoint: { ingress: { enabled: true } } } });
      const ingress = { host: new URL(host.url).host };
      await admin.send('PATCH', `${path}/status`, {
        status: { virtualCluster: { accessPoint: { ingress } } },
      });
    }

    const config = (): string => join(cli.home, '.kube', 'config');
    const kubectl = (...args: string[]): Outcome =>
      execute(findProgram('kubectl') ?? '', args, { env: { ...cli.installed(), KUBECONFIG: config() } });
    const whoami = (): string => kubectl('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}').out;
    const kept = (): string[] =>
      readdirSync(join(cli.home, '.config', 'platform', 'credentials'), {
        recursive: true,
        withFileTypes: true,
      })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name));

    test('kubectl talks to a virtual cluster, with a certificate that is renewed', async () => {
      expect(kubectl('config', 'set-cluster', 'mine', '--server=https://mine.example').code).toBe(0);
      await ok('use', 'vcluster', 'dev', '--project', 'web');
      expect(statSync(config()).mode & 0o777).toBe(0o600);
      const text = readFileSync(config(), 'utf8');
      expect(text).not.toMatch(/client-key|token:/);
      expect(parse(text)).toMatchObject({
        'current-context': 'platform-vcluster-web-dev',
        clusters: [{ name: 'mine' }, { name: 'platform-vcluster-web-dev', cluster: { server: host.url } }],
      });
      expect(whoami()).toBe('management:user:anna');
      expect(kubectl('create', 'configmap', 'made-inside', '-n', 'default').out).toContain('created');
      const [file] = kept() as [string];
      const serial = (): string => {
        const { status } = JSON.parse(readFileSync(file, 'utf8')) as {
          status: { clientCertificateData: string };
        };
        return new X509Certificate(status.clientCertificateData).serialNumber;
      };
      const first = serial();
      whoami();
      expect(serial()).toBe(first);
      // The state after four fifths of its lifetime.
      const now = JSON.parse(readFileSync(file, 'utf8')) as { status: object };
      const expirationTimestamp = new Date(Date.now() + 3_600_000).toISOString();
      const old = { made: Date.now() - 5 * 3_600_000, status: { ...now.status, expirationTimestamp } };
      writeFileSync(file, JSON.stringify(old));
      expect(whoami()).toBe('management:user:anna');
      expect(serial()).not.toBe(first);
      expect(kept()).toEqual([file]);
    });

    test('a certificate has the requested lifetime', async () => {
      const args = ['token', '--virtual-cluster', 'web/dev', '--ttl', '2h'];
      const { status } = JSON.parse((await ok(...args)).stdout) as {
        status: { expirationTimestamp: string };
      };
      const hours = (Date.parse(status.expirationTimestamp) - Date.now()) / 3_600_000;
      expect(Math.round(hours)).toBe(2);
    });

    test('kubectl talks to a space, with a token of the user who is logged in', async () => {
      await ok('create', 'space', 'staging', '--project', 'web', '--cluster', 'east');
      await eventually('the space is ready', async () =>
        (await ok('list', 'spaces', '--project', 'web')).stdout.includes('Ready'),
      );
      await ok('use', 'space', 'staging', '--project', 'web');
      const { contexts } = parse(readFileSync(config(), 'utf8')) as {
        contexts: { name: string; context: { namespace?: string } }[];
      };
      const context = contexts.find(({ name }) => name === 'platform-space-web-staging')?.context;
      expect(context?.namespace).toBeDefined();
      expect(whoami()).toBe('management:anna');
      expect(kubectl('get', 'pods').err).toContain(`in the namespace "${context?.namespace}"`);
      await letEdit(context?.namespace ?? '');
      expect(kubectl('create', 'configmap', 'mine').out).toContain('created');
      expect(kubectl('get', 'configmaps', '-o', 'name').out).toContain('configmap/mine');
      await ok('use', 'vcluster', 'dev', '--project', 'web');
      expect(whoami()).toBe('management:user:anna');
      await ok('logout');
      expect(kept()).toEqual([]);
    });

    /** Grants the user of the direct tokens rights in a namespace of the cluster. */
    async function letEdit(namespace: string): Promise<void> {
      const apiGroup = 'rbac.authorization.k8s.io';
      const { status } = await host.api.send('POST', `${RBAC}/namespaces/${namespace}/rolebindings`, {
        metadata: { name: 'anna' },
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'edit' },
        subjects: [{ apiGroup, kind: 'User', name: 'management:anna' }],
      });
      expect(status).toBe(201);
    }
  });
