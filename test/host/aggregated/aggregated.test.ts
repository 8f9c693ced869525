/** A server of this project behind kube-apiserver: the basic functions of aggregated mode. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { availability } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { client } from '../../fixtures/clients/client.js';
import { kubectl as kubectlOf } from '../../fixtures/clients/kubectl.js';
import { HOST_RELEASES } from '../../fixtures/host/hostcluster.js';
import { VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = { group: 'management.svc.example', version: 'v1' };
const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
interface KubeList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const secret = (name: string): object => ({
  apiVersion: 'management.svc.example/v1',
  kind: 'SharedSecret',
  metadata: { name },
  spec: { data: { word: 'aGk=' } },
});

describe.each(HOST_RELEASES)('behind kube-apiserver $release', (release) => {
  let behind: AggregatedHost;
  beforeAll(async () => {
    // Without the controllers that would restore what a test deletes in the host.
    behind = await startAggregated(release, ours(['--controllers=*,-access-rules-controller']));
  });
  afterAll(() => behind.stop());

  const kubectl = (...args: string[]): string =>
    kubectlOf({ kubeconfig: behind.host.kubeconfig, directory: behind.directory }).run(args);

  test('kinds are used through the host, and owners of objects need no roles there', async () => {
    expect(await availability(behind.host.api, GROUP)).toMatchObject({ status: 'True' });
    const { api } = behind.host;
    expect(await api.send('POST', SECRETS, secret('one'))).toMatchObject({ status: 201 });
    expect(kubectl('get', 'sharedsecrets', '--no-headers')).toMatch(/^one +1 +admin/);
    const { items } = JSON.parse((await api.send('GET', ROLES)).text) as KubeList;
    expect(items.filter(({ metadata }) => metadata.name.startsWith('management:'))).toEqual([]);
    kubectl('delete', 'sharedsecret', 'one');
  });

  test('shared objects are visible, and those no longer shared are not', async () => {
    const { api, url } = behind.host;
    const viewer = client({ url }, VIEWER_TOKEN);
    const seen = async (): Promise<{ version: string; names: (string | undefined)[] }> => {
      const { metadata, items } = JSON.parse((await viewer.send('GET', SECRETS)).text) as KubeList;
      return { version: metadata.resourceVersion, names: items.map((item) => item.metadata.name) };
    };
    expect((await seen()).names).toEqual([]);
    const shared = secret('shared') as { spec: object };
    const access = [{ users: ['viewer'], verbs: ['get'] }];
    await api.send('POST', SECRETS, { ...shared, spec: { ...shared.spec, access } });
    const before = await seen();
    expect(before.names).toEqual(['shared']);
    // The objects that the server creates in the host reveal nothing about its object.
    await api.send('DELETE', `${BINDINGS}?labelSelector=`);
    expect((await seen()).names).toEqual(['shared']);
    await api.send(
      'PATCH',
      `${SECRETS}/shared`,
      { spec: { access: null } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await eventually('it is seen no more', async () => (await seen()).names.length === 0);
    const { status, text } = await viewer.send(
      'GET',
      `${SECRETS}?watch=true&timeoutSeconds=1&resourceVersion=${before.version}`,
    );
    expect([status, text]).toEqual([200, expect.stringContaining('"code":410')]);
  });

  test('projects limit what is made here, and have members with the roles for projects', async () => {
    const { api } = behind.host;
    const project = (name: string, spec: object): Promise<{ status: number; text: string }> =>
      api.send('POST', '/apis/management.svc.example/v1/projects', {
        apiVersion: 'management.svc.example/v1',
        kind: 'Project',
        metadata: { name },
        spec,
      });
    const own = { 'sharedsecrets.management.svc.example': 1 };
    expect(await project('one', { quotas: { objects: { configmaps: 1, ...own } } })).toMatchObject({
      status: 422,
      text: expect.stringContaining('for others use a ResourceQuota of the cluster'),
    });
    const members = [{ kind: 'User', name: 'viewer', clusterRole: 'cluster-admin' }];
    expect(await project('one', { members })).toMatchObject({ status: 422 });
    expect(await project('one', { quotas: { objects: own } })).toMatchObject({ status: 201 });
    const secrets = SECRETS.replace('/default/', '/loft-p-one/');
    expect(await api.send('POST', secrets, secret('a'))).toMatchObject({ status: 201 });
    expect(await api.send('POST', secrets, secret('b'))).toMatchObject({ status: 403 });
  });

  test('a store that is away, also at a start, delays requests for objects and nothing else', async () => {
    const { api } = behind.host;
    behind.etcd.pause();
    await eventually('the store is known to be away', async () => {
      const { status, headers } = await api.send('GET', SECRETS);
      return status === 503 && headers['retry-after'] === '1';
    });
    const discovered = async (): Promise<void> => {
      expect(await api.send('GET', '/apis/management.svc.example/v1')).toMatchObject({ status: 200 });
      expect(kubectl('api-resources', '--api-group=management.svc.example')).toContain('sharedsecrets');
      expect(await availability(api, GROUP)).toMatchObject({ status: 'True' });
    };
    await discovered();
    await behind.server.kill();
    await behind.server.start();
    await discovered();
    expect(await api.send('GET', SECRETS)).toMatchObject({ status: 503 });
    behind.etcd.continue();
    await eventually('objects are served', async () => (await api.send('GET', SECRETS)).status === 200);
    expect(await api.send('POST', SECRETS, secret('two'))).toMatchObject({ status: 201 });
  });
});
