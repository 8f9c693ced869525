/**
 * Behind a host, a mirror depends on a right that roles of the host give: when the right ends there, the data are
 * removed here.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, type Actor } from '../../fixtures/clients/impersonation.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces';
const OLD = { a: 'b2xk' };
const NEW = { a: 'bmV3' };

interface Secret {
  readonly spec: { readonly data?: Record<string, string> };
  readonly status: { readonly conditions?: { type: string; status: string; reason: string }[] };
}

describeWith(NEWEST_HOST.apiserver)('mirrors behind a host', () => {
  let aggregated: AggregatedHost;
  let admin: Actor;
  const post = (path: string, body: object): Promise<unknown> => made(aggregated.host.api, path, body);

  async function allow(namespace: string, name: string, user: string, rule: object): Promise<void> {
    const apiGroup = 'rbac.authorization.k8s.io';
    const rules = [{ apiGroups: [GROUP], ...rule }];
    await post(`${RBAC}/${namespace}/roles`, { metadata: { name }, rules });
    await post(`${RBAC}/${namespace}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup, kind: 'Role', name },
      subjects: [{ apiGroup, kind: 'User', name: user }],
    });
  }

  const becomes = (name: string, data: object, condition: string): Promise<unknown> =>
    eventually(`${name} ${condition}`, async () => {
      const { body } = await admin.send<Secret>('GET', `${API}/namespaces/team/projectsecrets/${name}`);
      const found = body.status.conditions?.find(({ type }) => type === 'Synced');
      const is = `${found?.status} ${found?.reason}`;
      return JSON.stringify(body.spec.data ?? {}) === JSON.stringify(data) && is === condition;
    });

  beforeAll(async () => {
    aggregated = await startAggregated(NEWEST_HOST, ours());
    admin = impersonating(aggregated.host);
    await post('/api/v1/namespaces', { metadata: { name: 'team' } });
    await allow('team', 'writers', 'bob', { resources: ['projectsecrets'], verbs: ['*'] });
  });
  afterAll(() => aggregated?.stop());

  test.each(['the host', 'spec.access'])('go with the right that %s gave', async (by) => {
    const name = by === 'the host' ? 'bound' : 'shared';
    const path = `${API}/namespaces/default/sharedsecrets/${name}`;
    const access = [{ verbs: ['get'], users: ['bob'] }];
    const spec = { data: OLD, ...(name === 'shared' && { access }) };
    await post(`${API}/namespaces/default/sharedsecrets`, { metadata: { name }, spec });
    const give = (): Promise<unknown> =>
      name === 'bound'
        ? allow('default', 'reads', 'bob', {
            resources: ['sharedsecrets'],
            verbs: ['get'],
            resourceNames: ['bound'],
          })
        : admin.send('PATCH', path, { spec: { access } });
    if (name === 'bound') await give();
    const labels = { [`${GROUP}/sharedsecret-name`]: name, [`${GROUP}/sharedsecret-namespace`]: 'default' };
    const body = { metadata: { name, labels }, spec: {} };
    const bob = impersonating(aggregated.host, 'bob');
    await eventually('a mirror', async () => {
      const { status } = await bob.send('POST', `${API}/namespaces/team/projectsecrets`, body);
      return status === 201;
    });
    await becomes(name, OLD, 'True Synced');
    if (name === 'bound') {
      expect((await admin.send('DELETE', `${RBAC}/default/rolebindings/reads`)).status).toBe(200);
      await admin.send('DELETE', `${RBAC}/default/roles/reads`);
    } else await admin.send('PATCH', path, { spec: { access: [] } });
    await becomes(name, {}, 'False Revoked');
    await admin.send('PATCH', path, { spec: { data: NEW } });
    await give();
    await becomes(name, NEW, 'True Synced');
  });
});
