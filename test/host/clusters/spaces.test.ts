/**
 * Spaces and imports in real Kubernetes clusters: namespaces are created, labelled, moved between projects, and
 * deleted.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, type Actor, type Reply } from '../../fixtures/clients/impersonation.js';
import { ONE_RELEASE, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { describeWith } from '../../fixtures/program.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const LABEL = 'management.svc.example/';
const spaces = (project: string, name = ''): string =>
  `${API}/namespaces/loft-p-${project}/spaceinstances${name === '' ? '' : `/${name}`}`;

interface Namespace {
  metadata: { uid: string; labels: Record<string, string> };
}
interface Space {
  spec: { clusterRef: { namespace: string } };
  status: { phase: string };
}

for (const release of ONE_RELEASE)
  describeWith(release.apiserver)(`in Kubernetes ${release.release}`, () => {
    let host: HostCluster;
    let server: ServerFixture;
    let admin: Actor;

    beforeAll(async () => {
      host = await plainHost(release);
      server = await startServer({ controllers: '*' });
      admin = impersonating(server);
      const data = { config: readFileSync(host.kubeconfig).toString('base64') };
      await made('/api/v1/namespaces/management-system/secrets', { metadata: { name: 'east' }, data });
      await made(`${API}/clusters`, { metadata: { name: 'east' }, spec: { config: { secretName: 'east' } } });
      for (const name of ['web', 'shop'])
        await made(`${API}/projects`, { metadata: { name }, spec: { allowedClusters: [{ name: 'east' }] } });
    });
    afterAll(async () => {
      await server?.remove();
      await host?.stop();
    });

    async function made<T>(path: string, body: object): Promise<T> {
      const { status, body: answer }: Reply<T> = await admin.send<T>('POST', path, body);
      expect([path, status, answer]).toEqual([path, 201, expect.anything()]);
      return answer;
    }
    async function namespaceOf(name: string): Promise<Namespace | undefined> {
      const { status, text } = await host.api.send('GET', `/api/v1/namespaces/${name}`);
      return status === 200 ? (JSON.parse(text) as Namespace) : undefined;
    }
    const labelled = (name: string, label: string, value: string): Promise<Namespace> =>
      eventually(`${name} has ${label}=${value}`, async () => {
        const found = await namespaceOf(name);
        return found?.metadata.labels[LABEL + label] === value && found;
      });

    test('a space has a namespace, which stays when the space moves and goes with it', async () => {
      const clusterRef = { cluster: 'east' };
      const { spec } = await made<Space>(spaces('web'), { metadata: { name: 'a' }, spec: { clusterRef } });
      const { namespace } = spec.clusterRef;
      const before = await labelled(namespace, 'space-instance-project', 'web');
      await eventually('the space is ready', async () => {
        const { body } = await admin.send<Space>('GET', spaces('web', 'a'));
        return body.status.phase === 'Ready';
      });
      await made(`${API}/projects/shop/migratespaceinstance`, {
        sourceSpaceInstance: { name: 'a', namespace: 'loft-p-web' },
      });
      const after = await labelled(namespace, 'space-instance-project', 'shop');
      expect(after.metadata.uid).toBe(before.metadata.uid);
      await admin.send('DELETE', spaces('shop', 'a'));
      await eventually('the namespace is gone', async () => (await namespaceOf(namespace)) === undefined);
      await eventually('the space is gone', async () => {
        return (await admin.send('GET', spaces('shop', 'a'))).status === 404;
      });
    });

    test('a virtual cluster that is there is imported', async () => {
      const data = { config: readFileSync(host.kubeconfig).toString('base64') };
      await host.api.send('POST', '/api/v1/namespaces', { metadata: { name: 'vcluster-legacy' } });
      await host.api.send('POST', '/api/v1/namespaces/vcluster-legacy/secrets', {
        metadata: { name: 'vc-legacy' },
        data,
      });
      await made(`${API}/projects/web/importvirtualcluster`, {
        sourceVirtualCluster: { name: 'legacy', namespace: 'vcluster-legacy', cluster: 'east' },
      });
      await labelled('vcluster-legacy', 'vcluster-instance-project', 'web');
    });
  });
