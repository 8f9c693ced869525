/**
 * The kubeconfig of a virtual cluster. A real kube-apiserver with its controller manager acts as the virtual cluster; a
 * second server of this project acts as the connected cluster that hosts it.
 */
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { client, type Client } from '../../fixtures/clients/client.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { HOST_RELEASES, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { describeWith } from '../../fixtures/program.js';
import { ADMIN_TOKEN, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

const [release] = HOST_RELEASES;
if (release === undefined) throw new Error('no release');

describeWith(release.apiserver)('the kubeconfig of a virtual cluster', () => {
  let inner: HostCluster;
  let connected: ServerFixture;
  let server: ServerFixture;
  let admin: Client;
  let outer: Client;
  const users: Record<string, Client> = {};

  const must = async (answer: Promise<Answer>, code = 201): Promise<string> => {
    const { status, text } = await answer;
    expect([status, text]).toEqual([code, expect.anything()]);
    return text;
  };
  const create = (
    by: Client,
    path: string,
    kind: string,
    apiVersion: string,
    more: object,
  ): Promise<string> => must(by.send('POST', path, { kind, apiVersion, ...more }));
  const namespace = (by: Client, name: string): Promise<string> =>
    create(by, '/api/v1/namespaces', 'Namespace', 'v1', { metadata: { name } });
  const secret = (by: Client, place: string, name: string, text: string): Promise<string> =>
    create(by, `/api/v1/namespaces/${place}/secrets`, 'Secret', 'v1', {
      metadata: { name },
      data: { config: Buffer.from(text).toString('base64') },
    });
  const instance = async (place: string, name: string, spec: object, status: object = {}): Promise<void> => {
    const path = `${API}/namespaces/${place}/virtualclusterinstances`;
    const type = { 'content-type': 'application/merge-patch+json' };
    await create(admin, path, 'VirtualClusterInstance', `${GROUP}/v1`, { metadata: { name }, spec });
    await must(admin.send('PATCH', `${path}/${name}/status`, { status }, type), 200);
  };

  async function user(name: string, places: readonly string[], verbs: readonly string[]): Promise<void> {
    const apiVersion = `${GROUP}/v1`;
    await create(admin, `${API}/users`, 'User', apiVersion, { metadata: { name } });
    const key = await create(admin, `${API}/ownedaccesskeys`, 'OwnedAccessKey', apiVersion, {
      metadata: { name },
      spec: { user: name },
    });
    users[name] = client(server, (JSON.parse(key) as { spec: { key: string } }).spec.key);
    for (const place of places) {
      const role = { metadata: { name }, rules: [] as object[] };
      role.rules.push({ verbs, apiGroups: [GROUP], resources: ['virtualclusterinstances'] });
      role.rules.push({
        verbs: ['get', 'create'],
        apiGroups: [GROUP],
        resources: ['virtualclusterinstances/kubeconfig'],
      });
      const group = 'rbac.authorization.k8s.io';
      await create(admin, `${RBAC}/namespaces/${place}/roles`, 'Role', `${group}/v1`, role);
      await create(admin, `${RBAC}/namespaces/${place}/rolebindings`, 'RoleBinding', `${group}/v1`, {
        metadata: { name },
        roleRef: { apiGroup: group, kind: 'Role', name },
        subjects: [{ apiGroup: group, kind: 'User', name }],
      });
    }
  }

  beforeAll(async () => {
    inner = await plainHost(release);
    connected = await startServer();
    server = await startServer({ controllers: '*', flags: ['--audit-policy-file', policyFile()] });
    [admin, outer] = [client(server), client(connected)];
    await namespace(outer, 'vc-space');
    const config = readFileSync(inner.kubeconfig, 'utf8');
    // A virtual cluster belongs to one instance, but here the same one is used for all of them.
    for (const name of ['one', 'twice-web', 'twice-shop', 'closed', 'hostless'])
      await secret(outer, 'vc-space', `vc-${name}`, config);
    const proxied = config.replace('"server":', '"proxy-url":"http://p","server":');
    await secret(outer, 'vc-space', 'vc-proxied', proxied);
    const open = config.replace(/,"certificate-authority-data":"[^"]*"/, '');
    await secret(outer, 'vc-space', 'vc-open', open);
    await secret(admin, 'management-system', 'east', readFileSync(connected.kubeconfig, 'utf8'));
    await create(admin, `${API}/clusters`, 'Cluster', `${GROUP}/v1`, {
      metadata: { name: 'east' },
      spec: { config: { secretName: 'east' } },
    });
    await create(admin, `${API}/clusters`, 'Cluster', `${GROUP}/v1`, {
      metadata: { name: 'away', annotations: { 'management.svc.example/ingress-suffix': 'away.invalid' } },
      spec: { config: { secretName: 'away' } },
    });
    const away = readFileSync(connected.kubeconfig, 'utf8').replace(`:${connected.port}`, ':1');
    await secret(admin, 'management-system', 'away', away);
    for (const name of ['web', 'shop', 'bare'])
      await create(admin, `${API}/projects`, 'Project', `${GROUP}/v1`, {
        metadata: { name },
        spec: { allowedClusters: [{ name: '*' }] },
      });
    const ingress = { accessPoint: { ingress: { enabled: true } } };
    const at = (virtualCluster: string, cluster = 'east') => ({
      clusterRef: { cluster, namespace: 'vc-space', virtualCluster },
    });
    const host = new URL(inner.url).host;
    const status = { virtualCluster: { accessPoint: { ingress: { host } } } };
    await instance('loft-p-web', 'one', { ...ingress, ...at('one') }, status);
    await instance('loft-p-web', 'twice', { ...ingress, ...at('twice-web') }, status);
    await instance('loft-p-shop', 'twice', { ...ingress, ...at('twice-shop') }, status);
    await instance('loft-p-bare', 'closed', at('closed'), status);
    await instance('loft-p-bare', 'hostless', { ...ingress, ...at('hostless') });
    await instance('loft-p-bare', 'nowhere', ingress, status);
    await instance('loft-p-bare', 'lost', { ...ingress, ...at('lost') }, status);
    await instance('loft-p-bare', 'proxied', { ...ingress, ...at('proxied') }, status);
    await instance('loft-p-bare', 'open', { ...ingress, ...at('open') }, status);
    await instance('loft-p-bare', 'far', { ...ingress, ...at('inner', 'away') });
    await user('anna', ['loft-p-web', 'loft-p-shop', 'loft-p-bare'], ['use', 'get']);
    await user('ben', ['loft-p-web'], ['get']);
    await user('carla', ['loft-p-shop'], ['use']);
  });
  afterAll(async () => {
    await Promise.all([server.remove(), connected.remove()]);
    await inner.stop();
  });

  /** An audit policy that records everything. */
  function policyFile(): string {
    const path = join(inner.directory, 'policy.yaml');
    writeFileSync(path, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n');
    return path;
  }

  const ask = (name: string, path: string): Promise<Answer> =>
    (users[name] as Client).send('GET', `${API}/${path}`);
  const kubeConfigIn = (text: string): string =>
    (JSON.parse(text) as { status: { kubeConfig: string } }).status.kubeConfig;
  const certificateIn = (text: string): X509Certificate => {
    const { users: listed } = parse(kubeConfigIn(text)) as {
      users: { user: { 'client-certificate-data': string } }[];
    };
    return new X509Certificate(Buffer.from(listed[0]?.user['client-certificate-data'] ?? '', 'base64'));
  };
  const hoursLeft = ({ validTo }: X509Certificate): number => (Date.parse(validTo) - Date.now()) / 3_600_000;

  test('is used by kubectl, as a user of the virtual cluster', async () => {
    const text = await must(ask('anna', 'virtualclusterinstances/one/kubeconfig'), 200);
    expect(JSON.parse(text)).toMatchObject({
      kind: 'VirtualClusterInstanceKubeConfig',
      metadata: { name: 'one', namespace: 'loft-p-web' },
    });
    const config = kubeConfigIn(text);
    expect(parse(config)).toMatchObject({
      'current-context': 'one',
      clusters: [{ cluster: { server: inner.url } }],
      users: [{ name: 'vcluster' }],
    });
    const file = join(inner.directory, 'annas');
    writeFileSync(file, config, { mode: 0o600 });
    const kubectl = (...args: string[]): string => kubectlWith(file, ...args);
    expect(kubectl('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe(
      'management:user:anna',
    );
    expect(kubectl('create', 'configmap', 'made-inside')).toContain('created');
    expect(kubectl('auth', 'can-i', '*', '*')).toBe('yes\n');
    expect(config).not.toContain(ADMIN_TOKEN);
    expect(hoursLeft(certificateIn(text))).toBeGreaterThan(23);
    const csrs = await must(
      inner.api.send('GET', '/apis/certificates.k8s.io/v1/certificatesigningrequests'),
      200,
    );
    expect((JSON.parse(csrs) as { items: unknown[] }).items).toEqual([]);
  });

  test('has the requested lifetime, and is recorded without its key', async () => {
    const path = `${API}/namespaces/loft-p-web/virtualclusterinstances/one/kubeconfig`;
    const body = (certificateTTL: number): object => ({
      kind: 'VirtualClusterInstanceKubeConfig',
      apiVersion: `${GROUP}/v1`,
      spec: { certificateTTL },
    });
    const anna = users.anna as Client;
    const text = await must(anna.send('POST', path, body(7_200)));
    const hours = hoursLeft(certificateIn(text));
    expect(hours > 1.9 && hours < 2.1).toBe(true);
    for (const seconds of [0, -1, 599, 2 ** 31]) {
      const refused = JSON.parse(await must(anna.send('POST', path, body(seconds)), 422)) as object;
      expect(refused).toMatchObject({ details: { causes: [{ field: 'spec.certificateTTL' }] } });
    }
    await server.stop();
    const log = readFileSync(join(server.directory, 'data', 'audit', 'audit.log'), 'utf8');
    await server.restart();
    expect(log).toContain(certificateIn(text).serialNumber);
    expect(log).toContain('"management.svc.example/namespace":"loft-p-web"');
    expect(log).not.toContain('client-key-data');
    expect(log).not.toContain('client-certificate-data');
  });

  test.each<[string, string, number, string]>([
    [
      'anna',
      'virtualclusterinstances/twice/kubeconfig',
      400,
      'in the namespaces "loft-p-shop", "loft-p-web"',
    ],
    [
      'carla',
      'virtualclusterinstances/one/kubeconfig',
      404,
      'virtualclusterinstances.management.svc.example "one" not found',
    ],
    ['anna', 'virtualclusterinstances/none/kubeconfig', 404, '"none" not found'],
    ['ben', 'virtualclusterinstances/one/kubeconfig', 404, '"one" not found'],
    ['ben', 'namespaces/loft-p-web/virtualclusterinstances/one/kubeconfig', 403, 'cannot use it'],
    ['carla', 'namespaces/loft-p-web/virtualclusterinstances/one/kubeconfig', 403, 'cannot get resource'],
    [
      'anna',
      'virtualclusterinstances/closed/kubeconfig',
      400,
      'has no ingress endpoint: spec.accessPoint.ingress.enabled',
    ],
    [
      'anna',
      'virtualclusterinstances/hostless/kubeconfig',
      400,
      'has no ingress endpoint: neither its status',
    ],
    ['anna', 'virtualclusterinstances/nowhere/kubeconfig', 400, 'is not on a cluster yet'],
    [
      'anna',
      'virtualclusterinstances/lost/kubeconfig',
      400,
      'Secret vc-space/vc-lost of cluster "east" cannot be read (404)',
    ],
    ['anna', 'virtualclusterinstances/proxied/kubeconfig', 400, 'clusters[0].cluster.proxy-url: Forbidden'],
    ['anna', 'virtualclusterinstances/open/kubeconfig', 400, 'has no certificate-authority-data'],
    ['anna', 'virtualclusterinstances/far/kubeconfig', 504, 'cluster "away" cannot be reached: ECONNREFUSED'],
  ])('%s asks for %s: %d', async (name, path, code, text) => {
    const answer = await ask(name, path);
    expect([answer.status, answer.text.replaceAll('\\"', '"')]).toEqual([
      code,
      expect.stringContaining(text),
    ]);
  });

  test('of one of several is given to users who may use that one alone', async () => {
    const text = await must(ask('carla', 'virtualclusterinstances/twice/kubeconfig'), 200);
    expect(JSON.parse(text)).toMatchObject({ metadata: { namespace: 'loft-p-shop' } });
    expect(certificateIn(text).subject).toMatch(
      /^O=management\.svc\.example\/user:[0-9a-f]{32}\nCN=management:user:carla$/,
    );
  });

  test('leaves no binding for users whose right has ended', async () => {
    await must(ask('carla', 'virtualclusterinstances/twice/kubeconfig'), 200);
    const bindings = async (): Promise<string> =>
      must(inner.api.send('GET', `${RBAC}/clusterrolebindings`), 200);
    expect(await bindings()).toContain('"management:user:carla:');
    await must(admin.send('DELETE', `${RBAC}/namespaces/loft-p-shop/rolebindings/carla`), 200);
    await eventually('unbound', async () => !(await bindings()).includes('"management:user:carla:'));
    expect(await bindings()).toContain('"management:user:anna:');
  });

  const kubectlWith = (file: string, ...args: string[]): string =>
    spawnSync(
      findProgram('kubectl') ?? 'kubectl',
      ['--kubeconfig', file, '--cache-dir', join(inner.directory, 'kubectl'), ...args],
      { encoding: 'utf8' },
    ).stdout;
  const may = (file: string, ...what: [string, string]): string =>
    kubectlWith(join(inner.directory, file), 'auth', 'can-i', ...what);
  const kubeconfig = async (name: string, file: string): Promise<void> => {
    const text = await must(ask(name, 'namespaces/loft-p-web/virtualclusterinstances/one/kubeconfig'), 200);
    writeFileSync(join(inner.directory, file), kubeConfigIn(text), { mode: 0o600 });
  };

  test('has the role that an administrator of the virtual cluster chose', async () => {
    await user('erik', ['loft-p-web'], ['use', 'get']);
    const bound = ['clusterrolebinding', 'management:user:erik', '--clusterrole', 'view'];
    expect(kubectlWith(inner.kubeconfig, 'create', ...bound)).toContain('created');
    await kubeconfig('erik', 'eriks');
    expect([may('eriks', 'list', 'pods'), may('eriks', '*', '*')]).toEqual(['yes\n', 'no\n']);
  });

  test('ends with its user and its key, also when another gets the name', async () => {
    await user('dora', ['loft-p-web'], ['use', 'get']);
    await kubeconfig('dora', 'first');
    expect(may('first', '*', '*')).toBe('yes\n');
    await must(admin.send('DELETE', `${API}/users/dora`), 200);
    await eventually('the certificate has no rights', async () => may('first', '*', '*') === 'no\n');
    await eventually('the key goes with its user', async () => {
      return (await admin.send('GET', `${API}/ownedaccesskeys/dora`)).status === 404;
    });
    await user('dora', [], []);
    await kubeconfig('dora', 'second');
    expect([may('second', '*', '*'), may('first', '*', '*')]).toEqual(['yes\n', 'no\n']);
    await must(admin.send('DELETE', `${API}/ownedaccesskeys/dora`), 200);
    await eventually('the certificate ends with its key', async () => may('second', '*', '*') === 'no\n');
  });
});
