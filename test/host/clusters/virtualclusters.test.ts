/**
 * Behind a host, roles of the host give the right to use a virtual cluster: when the right ends, the bindings inside
 * the virtual cluster are deleted.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, allow, type Actor } from '../../fixtures/clients/impersonation.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import {
  startStubVirtualCluster,
  userOfBinding,
  type StubVirtualCluster,
} from '../../fixtures/stubs/stubvirtualcluster.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/loft-p-web';
const INSTANCES = `${API}/namespaces/loft-p-web/virtualclusterinstances`;

describeWith(NEWEST_HOST.apiserver)('bindings in virtual clusters, behind a host', () => {
  let aggregated: AggregatedHost;
  let inner: StubVirtualCluster;
  let admin: Actor;
  const post = (path: string, body: object): Promise<unknown> => made(aggregated.host.api, path, body);
  const secret = (namespace: string, name: string, text: string): Promise<unknown> =>
    post(`/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name },
      data: { config: Buffer.from(text).toString('base64') },
    });

  beforeAll(async () => {
    [inner, aggregated] = await Promise.all([
      startStubVirtualCluster(),
      startAggregated(NEWEST_HOST, ours(['--allow-cluster-networks=127.0.0.0/8'])),
    ]);
    admin = impersonating(aggregated.host);
    for (const name of ['vcs', 'management-system'])
      await admin.send('POST', '/api/v1/namespaces', { metadata: { name } });
    await secret('management-system', 'self', readFileSync(aggregated.host.kubeconfig, 'utf8'));
    await secret('vcs', 'vc-one', inner.kubeconfig);
    const account = 'system:serviceaccount:management-system:management-apiserver';
    const reads = { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['self'] };
    await allow(aggregated.host, account, 'management-system', reads);
    const config = { secretName: 'self', secretNamespace: 'management-system' };
    await post(`${API}/clusters`, { metadata: { name: 'self' }, spec: { config } });
    const spec = { allowedClusters: [{ name: '*' }] };
    await post(`${API}/projects`, { metadata: { name: 'web' }, spec });
    const accessPoint = { ingress: { enabled: true } };
    const clusterRef = { cluster: 'self', namespace: 'vcs', virtualCluster: 'one' };
    await post(INSTANCES, { metadata: { name: 'one' }, spec: { accessPoint, clusterRef } });
    const status = {
      virtualCluster: { accessPoint: { ingress: { host: new URL(inner.stub.url).host } } },
    };
    expect((await admin.send('PATCH', `${INSTANCES}/one/status`, { status })).status).toBe(200);
  });
  afterAll(async () => {
    await aggregated?.stop();
    await inner?.stub.stop();
  });

  test('go with the right that the host gave', async () => {
    const rule = { apiGroups: [GROUP], resources: ['virtualclusterinstances'], verbs: ['use', 'get'] };
    const kubeconfig = { ...rule, resources: ['virtualclusterinstances/kubeconfig'] };
    await allow(aggregated.host, 'bob', 'loft-p-web', rule, kubeconfig);
    await allow(aggregated.host, 'carla', 'loft-p-web', rule, kubeconfig);
    for (const name of ['bob', 'carla'])
      await eventually(`a kubeconfig for ${name}`, async () => {
        const { status } = await impersonating(aggregated.host, name).send(
          'GET',
          `${INSTANCES}/one/kubeconfig`,
        );
        return status === 200;
      });
    expect([...inner.bound.keys()].map(userOfBinding).sort()).toEqual([
      'management:user:bob',
      'management:user:carla',
    ]);
    interface Bindings {
      items: { metadata: { name: string }; subjects?: { name: string }[] }[];
    }
    const { body } = await admin.send<Bindings>('GET', `${RBAC}/rolebindings`);
    const bobs = body.items.filter(({ subjects = [] }) => subjects.some(({ name }) => name === 'bob'));
    for (const { metadata } of bobs) await admin.send('DELETE', `${RBAC}/rolebindings/${metadata.name}`);
    await eventually('bob is not bound', () =>
      Promise.resolve(![...inner.bound.keys()].map(userOfBinding).includes('management:user:bob')),
    );
    expect([...inner.bound.keys()].map(userOfBinding)).toEqual(['management:user:carla']);
  });
});
