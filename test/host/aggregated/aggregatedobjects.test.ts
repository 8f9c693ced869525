/**
 * Namespaces and owners in the host: its garbage collector deletes objects of this server, and Projects have namespaces
 * there.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, type Actor } from '../../fixtures/clients/impersonation.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { NEWEST_HOST, OLDEST_HOST } from '../../fixtures/host/hostcluster.js';
import { isObjectRole } from '../../fixtures/objects/objectroles.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MANY = 40;
const OBJECTS = 30;

const secretsIn = (namespace: string): string => `${API}/namespaces/${namespace}/sharedsecrets`;
const configMapsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

interface Named {
  readonly metadata: { readonly name: string; readonly uid: string; readonly finalizers?: string[] };
}
interface Namespace {
  readonly metadata: { readonly labels: Record<string, string>; readonly deletionTimestamp?: string };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly { readonly status: string; readonly message: string }[];
  };
}

for (const release of [OLDEST_HOST, NEWEST_HOST])
  describeWith(release.apiserver)(`objects behind Kubernetes ${release.release}`, () => {
    let aggregated: AggregatedHost;
    let admin: Actor;

    beforeAll(async () => {
      aggregated = await startAggregated(release, ours());
      await aggregated.host.restartControllers();
      admin = impersonating(aggregated.host);
    });
    afterAll(() => aggregated?.stop());

    const namespace = (name: string): Promise<Named> =>
      made(aggregated.host.api, '/api/v1/namespaces', { metadata: { name } });
    const secret = (where: string, metadata: object): Promise<Named> =>
      made(aggregated.host.api, secretsIn(where), { metadata, spec: { data: { a: 'YQ==' } } });
    const gone = async (path: string): Promise<void> =>
      void (await eventually(
        `the end of ${path}`,
        async () => (await admin.send('GET', path)).status === 404,
      ));
    const names = async (path: string): Promise<string[]> =>
      (await admin.send<{ items: Named[] }>('GET', path)).body.items.map(({ metadata }) => metadata.name);

    /** Resolves when the garbage collector has processed everything that was created before. */
    async function collectorHasLooked(name: string): Promise<void> {
      const absent = { kind: 'SharedSecret', name: 'absent', uid: '00000000-0000-4000-8000-000000000000' };
      const ownerReferences = [{ apiVersion: 'management.svc.example/v1', ...absent }];
      await made(aggregated.host.api, configMapsIn('default'), { metadata: { name, ownerReferences } });
      await gone(`${configMapsIn('default')}/${name}`);
    }

    test('an object of the host that is made for one of ours stays, and goes with it', async () => {
      const { api } = aggregated.host;
      await collectorHasLooked('first');
      const objects = Array.from({ length: OBJECTS }, (_, at) => `made-${at}`);
      const access = [{ verbs: ['get'], users: ['jo'] }];
      await Promise.all([
        ...objects.map((name) => made(api, secretsIn('default'), { metadata: { name }, spec: { access } })),
        made(api, `${API}/projects`, { metadata: { name: 'kept' } }),
      ]);
      await collectorHasLooked('second');
      await eventually('the roles of all', async () => {
        const roles = await names(`${RBAC}/namespaces/default/roles`);
        return objects.every((name) => roles.some((role) => isObjectRole(role, ['sharedsecrets', name, 0])));
      });
      expect((await admin.send('GET', '/api/v1/namespaces/loft-p-kept')).status).toBe(200);
      await admin.send('DELETE', `${API}/projects/kept`);
      await gone(`${API}/projects/kept`);
      expect((await admin.send('GET', '/api/v1/namespaces/loft-p-kept')).status).toBe(404);
    });

    test('a create needs an active namespace of the host', async () => {
      const post = (where: string) =>
        admin.send('POST', secretsIn(where), { metadata: { name: 'x' }, spec: {} });
      expect(await post('nowhere')).toMatchObject({
        status: 404,
        body: { message: 'namespaces "nowhere" not found' },
      });
      await namespace('ending');
      await made(aggregated.host.api, configMapsIn('ending'), {
        metadata: { name: 'holds', finalizers: ['example.com/hold'] },
      });
      await admin.send('DELETE', '/api/v1/namespaces/ending');
      expect(await post('ending')).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
      await admin.send('PATCH', `${configMapsIn('ending')}/holds`, { metadata: { finalizers: null } });
      await gone('/api/v1/namespaces/ending');
    });

    test('a namespace that is deleted is emptied of our kinds', async () => {
      await namespace('full');
      await Promise.all(Array.from({ length: MANY }, (_, index) => secret('full', { name: `s-${index}` })));
      await secret('full', { name: 'held', finalizers: ['example.com/hold'] });
      expect((await admin.send('DELETE', '/api/v1/namespaces/full')).status).toBe(200);
      await eventually('that the rest is named', async () => {
        const { body } = await admin.send<Namespace>('GET', '/api/v1/namespaces/full');
        return body.status.conditions?.some(
          ({ status, message }) =>
            status === 'True' && message.includes('sharedsecrets.management.svc.example has 1 resource'),
        );
      });
      expect(await names(secretsIn('full'))).toEqual(['held']);
      await admin.send('PATCH', `${secretsIn('full')}/held`, { metadata: { finalizers: null } });
      await gone('/api/v1/namespaces/full');
      expect(await names(`${API}/sharedsecrets`)).not.toContain('held');
    });

    test('our object goes with its owner, an object of the host', async () => {
      await namespace('family');
      const owner = await made<Named>(aggregated.host.api, configMapsIn('family'), {
        metadata: { name: 'owner' },
      });
      const { uid } = owner.metadata;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
      await secret('family', { name: 'dependent', ownerReferences });
      await secret('family', { name: 'free' });
      expect((await admin.send('DELETE', `${configMapsIn('family')}/owner`)).status).toBe(200);
      await gone(`${secretsIn('family')}/dependent`);
      expect(await names(secretsIn('family'))).toEqual(['free']);
    });

    test('an object of the host goes with its owner, our object', async () => {
      await namespace('other');
      const { metadata } = await secret('other', { name: 'owner' });
      const ownerReferences = [
        { apiVersion: 'management.svc.example/v1', kind: 'SharedSecret', name: 'owner', uid: metadata.uid },
      ];
      await made(aggregated.host.api, configMapsIn('other'), {
        metadata: { name: 'dependent', ownerReferences },
      });
      expect((await admin.send('DELETE', `${secretsIn('other')}/owner`)).status).toBe(200);
      await gone(`${configMapsIn('other')}/dependent`);
    });

    test('in the foreground, the owner waits for what it owns', async () => {
      await namespace('waiting');
      const { metadata } = await secret('waiting', { name: 'owner' });
      const owner = { apiVersion: 'management.svc.example/v1', kind: 'SharedSecret', name: 'owner' };
      await made(aggregated.host.api, configMapsIn('waiting'), {
        metadata: {
          name: 'dependent',
          ownerReferences: [{ ...owner, uid: metadata.uid, blockOwnerDeletion: true }],
          finalizers: ['example.com/hold'],
        },
      });
      const { status, body } = await admin.send<Named>('DELETE', `${secretsIn('waiting')}/owner`, {
        propagationPolicy: 'Foreground',
      });
      expect([status, body.metadata.finalizers]).toEqual([200, ['foregroundDeletion']]);
      const dependent = `${configMapsIn('waiting')}/dependent`;
      await eventually(
        'that the dependent ends',
        async () =>
          (await admin.send<Namespace>('GET', dependent)).body.metadata.deletionTimestamp !== undefined,
      );
      expect((await admin.send('GET', `${secretsIn('waiting')}/owner`)).status).toBe(200);
      await admin.send('PATCH', dependent, { metadata: { finalizers: null } });
      await gone(`${secretsIn('waiting')}/owner`);
    });

    test('a Project has a namespace of the host, its members have rights there, and both end with it', async () => {
      await made(aggregated.host.api, `${API}/projects`, {
        metadata: { name: 'web' },
        spec: { members: [{ kind: 'User', name: 'mia', clusterRole: 'management-project-admin' }] },
      });
      const { status, body } = await admin.send<Namespace>('GET', '/api/v1/namespaces/loft-p-web');
      expect([status, body.status.phase]).toEqual([200, 'Active']);
      expect(await names(`${RBAC}/namespaces/loft-p-web/rolebindings`)).not.toEqual([]);
      const mia = impersonating(aggregated.host, 'mia');
      const mine = { metadata: { name: 'mine' }, spec: { data: { a: 'YQ==' } } };
      expect((await mia.send('POST', secretsIn('loft-p-web'), mine)).status).toBe(201);
      expect((await mia.send('POST', secretsIn('default'), mine)).status).toBe(403);
      expect((await mia.send('GET', '/api/v1/namespaces/loft-p-web/configmaps')).status).toBe(200);
      expect((await admin.send('DELETE', `${API}/projects/web`)).status).toBe(200);
      await gone('/api/v1/namespaces/loft-p-web');
      await gone(`${API}/projects/web`);
    });
  });
