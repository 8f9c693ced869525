/** The host as one of the connected clusters: with the rights that the chart grants, and without a kubeconfig. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, allow } from '../../fixtures/clients/impersonation.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { ours } from '../../fixtures/host/backends.js';
import { clusterSecretCases } from '../../fixtures/agents/clustersecretsuite.js';
import {
  SecretSteps,
  base64,
  fromShared,
  secretPath,
  type Clusters,
} from '../../fixtures/agents/secretsteps.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const SPACES = `${API}/namespaces/loft-p-web/spaceinstances`;

describeWith(NEWEST_HOST.apiserver)('secrets in the host itself', () => {
  let aggregated: AggregatedHost;
  let clusters: Clusters;
  const steps = new SecretSteps(() => clusters);
  const values = ['localCluster=east'];

  beforeAll(async () => {
    aggregated = await startAggregated(NEWEST_HOST, ours(['--local-cluster=east'], values));
    const admin = impersonating(aggregated.host);
    clusters = { admin, connected: admin };
    for (const name of ['east', 'west'])
      await steps.create(admin, `${API}/clusters`, { metadata: { name }, spec: { local: true } });
    const allowedClusters = [{ name: 'east' }, { name: 'west' }];
    await steps.create(admin, `${API}/projects`, { metadata: { name: 'web' }, spec: { allowedClusters } });
  });
  afterAll(() => aggregated?.stop());

  clusterSecretCases(() => clusters);

  test('only the Cluster that the flag names is the host', async () => {
    interface Cluster {
      readonly status?: { readonly phase?: string; readonly message?: string };
    }
    const becomes = (name: string, phase: string): Promise<string | undefined> =>
      eventually(`${name} ${phase}`, async () => {
        const { status } = (await clusters.admin.send<Cluster>('GET', `${API}/clusters/${name}`)).body;
        return status?.phase === phase ? (status.message ?? phase) : undefined;
      });
    await becomes('east', 'Ready');
    expect(await becomes('west', 'Failed')).toContain('not the one that --local-cluster names');
  });

  test('a user who may not get all Secrets cannot make a Cluster the host', async () => {
    const { host } = aggregated;
    await allow(host, 'carl', '', {
      apiGroups: ['management.svc.example'],
      resources: ['clusters'],
      verbs: ['*'],
    });
    const carl = impersonating(host, 'carl');
    const create = (name: string, spec: object) =>
      carl.send<{ message: string }>('POST', `${API}/clusters`, { metadata: { name }, spec });
    await eventually('carl makes a Cluster', async () => (await create('carls', {})).status === 201);
    const { status, body } = await create('here', { local: true });
    expect([status, body.message]).toEqual([403, expect.stringContaining('cannot get secrets in all')]);
    const changed = await carl.send('PATCH', `${API}/clusters/carls`, { spec: { local: true } });
    expect(changed.status).toBe(403);
  });

  test('a space ends with its namespace, and leaves one that it did not create', async () => {
    const { admin } = clusters;
    const namespace = await steps.createSpace('ends', 'eve');
    expect((await admin.send('DELETE', `${SPACES}/ends`)).status).toBe(200);
    // No namespace controller runs here.
    await eventually('the namespace is being deleted', async () => {
      const { body } = await admin.send<{ metadata: { deletionTimestamp?: string } }>(
        'GET',
        `/api/v1/namespaces/${namespace}`,
      );
      return body.metadata.deletionTimestamp !== undefined;
    });
    await steps.create(admin, SPACES, {
      metadata: { name: 'taken' },
      spec: { clusterRef: { cluster: 'east', namespace: 'loft-p-web' }, owner: { user: 'eve' } },
    });
    await eventually('taken is Ready', async () => {
      const { body } = await admin.send<{ status?: { phase?: string } }>('GET', `${SPACES}/taken`);
      return body.status?.phase === 'Ready';
    });
    await admin.send('DELETE', `${SPACES}/taken`);
    await eventually('taken is gone', async () => {
      return (await admin.send('GET', `${SPACES}/taken`)).status === 404;
    });
    const { status } = await admin.send('GET', '/api/v1/namespaces/loft-p-web');
    expect(status).toBe(200);
  });

  test('the server writes no other Secret of the host, and none that logs in to it', async () => {
    const server = impersonating(
      aggregated.host,
      'system:serviceaccount:management-system:management-apiserver',
    );
    await steps.create(clusters.admin, '/api/v1/namespaces', { metadata: { name: 'others' } });
    const own = { metadata: { name: 'own' }, data: { a: base64('a') } };
    await steps.create(clusters.admin, '/api/v1/namespaces/others/secrets', own);
    const refused = [
      await server.send('PATCH', secretPath('others', 'own'), { data: { a: base64('b') } }),
      await server.send('DELETE', secretPath('others', 'own')),
      await server.send('POST', '/api/v1/namespaces/others/secrets', { metadata: { name: 'more' } }),
      await server.send('POST', '/api/v1/namespaces/others/secrets', {
        metadata: {
          name: 'token',
          labels: fromShared('any'),
          annotations: { 'kubernetes.io/service-account.name': 'default' },
        },
        type: 'kubernetes.io/service-account-token',
      }),
      await server.send('POST', '/api/v1/namespaces', { metadata: { name: 'instance-of-nobody' } }),
      // Without a Pod Security level.
      await server.send('POST', '/api/v1/namespaces', {
        metadata: { name: 'instance-x', annotations: { 'management.svc.example/space-instance-uid': 'x' } },
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
  });
});
