/** One commit over our own store and the objects of a real host: what is there when a write is answered, or refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import { createObject } from '../../../pkg/registry/generic/create.js';
import { moveObject } from '../../../pkg/registry/generic/move.js';
import { readStored, type ResourceStore } from '../../../pkg/registry/resourcestore.js';
import { updateObject } from '../../../pkg/registry/generic/update.js';
import { StorageError } from '../../../pkg/storage/interface.js';
import { hostOfParts, openAggregatedParts, type Behind } from '../../fixtures/host/aggregatedparts.js';
import { ONE_RELEASE, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { writeKubeconfig } from '../../fixtures/host/hostfiles.js';
import { describeWith } from '../../fixtures/program.js';
import { VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const OPTIONS = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
const VIEWER = 'management-project-viewer';

const members = (users: readonly string[]): object[] =>
  users.map((name) => ({ kind: 'User', name, clusterRole: VIEWER }));
const project = (name: string, users: readonly string[]): KubeObject => ({
  kind: 'Project',
  apiVersion: 'management.svc.example/v1',
  metadata: { name },
  spec: { members: members(users) },
});
const secret = (name: string): KubeObject => ({
  kind: 'SharedSecret',
  apiVersion: 'management.svc.example/v1',
  metadata: { name },
  spec: { access: [{ verbs: ['get'], users: ['jo'] }] },
});

for (const host of ONE_RELEASE)
  describeWith(host.apiserver)(`commits with Kubernetes ${host.release}`, () => {
    let cluster: HostCluster;
    let behind: Behind;
    let projects: ResourceStore;
    let secrets: ResourceStore;

    beforeAll(async () => {
      cluster = await hostOfParts(host);
      behind = await openAggregatedParts(cluster.kubeconfig);
      projects = behind.store('projects');
      secrets = behind.store('sharedsecrets');
      for (const name of ['management-project-admin', VIEWER])
        await cluster.api.send('POST', `${RBAC}/clusterroles`, { metadata: { name }, rules: [] });
    });

    beforeEach(() => {
      behind.line.away = false;
      behind.line.removing = true;
      behind.line.beforeCommit = () => Promise.resolve();
    });

    afterAll(async () => {
      await behind?.close();
      await cluster?.stop();
    });

    const read = async (path: string): Promise<KubeObject | undefined> => {
      const { status, text } = await cluster.api.send('GET', path);
      return status === 200 ? (JSON.parse(text) as KubeObject) : undefined;
    };
    const bindingPath = (name: string): string =>
      `${RBAC}/namespaces/loft-p-${name}/rolebindings/management:project-member:${VIEWER}`;
    const bindingOf = (name: string): Promise<KubeObject | undefined> => read(bindingPath(name));
    const usersOf = async (name: string): Promise<string[] | undefined> =>
      ((await bindingOf(name))?.subjects as { name: string }[] | undefined)?.map((subject) => subject.name);
    const create = (name: string, users: readonly string[], options = OPTIONS): Promise<unknown> =>
      createObject(projects, '', project(name, users), options);
    const update = (name: string, users: readonly string[]): Promise<unknown> =>
      updateObject(
        projects,
        {
          namespace: '',
          name,
          subresource: '',
          versionRequired: false,
          change: (live) => ({ ...live, spec: { ...(live.spec as object), members: members(users) } }),
        },
        OPTIONS,
      );

    describe('a create', () => {
      test('of a project is answered when its namespace and bindings are there, and this server decides by them', async () => {
        await create('new', ['jo']);
        const { uid } = (await readStored(projects, clusterScoped('new')))?.object().metadata ?? {};
        const namespace = await read('/api/v1/namespaces/loft-p-new');
        expect(namespace).toMatchObject({
          metadata: {
            annotations: {
              'management.svc.example/project-uid': uid,
              'management.svc.example/project-held': 'true',
            },
          },
          status: { phase: 'Active' },
        });
        // The data of the namespace's users are not lost if the owner is missing.
        expect(namespace?.metadata.ownerReferences).toBeUndefined();
        const binding = await bindingOf('new');
        expect(binding).toMatchObject({
          metadata: { ownerReferences: [{ kind: 'Project', name: 'new', uid }] },
          subjects: [{ kind: 'User', name: 'jo' }],
        });
        const bindings = behind.registry.cache.resource('rbac.authorization.k8s.io/rolebindings').latest();
        const cached = bindings.get(`loft-p-new/${binding?.metadata.name}`);
        expect(cached?.revision).toBe(Number(binding?.metadata.resourceVersion));
      });

      test('has bindings before the object is there, and owners only after', async () => {
        let seen: KubeObject | undefined;
        behind.line.beforeCommit = async () => {
          seen = await bindingOf('order');
        };
        await create('order', ['jo']);
        expect(seen).toMatchObject({ subjects: [{ name: 'jo' }] });
        expect(seen?.metadata.ownerReferences).toBeUndefined();
      });

      test('as a dry run writes nothing', async () => {
        await create('dry', ['jo'], { ...OPTIONS, dryRun: true });
        expect(await read('/api/v1/namespaces/loft-p-dry')).toBeUndefined();
      });

      test('with an existing name changes no right', async () => {
        await create('taken', ['jo']);
        const before = await bindingOf('taken');
        await expect(create('taken', ['ed'])).rejects.toMatchObject({ code: 409 });
        expect(await bindingOf('taken')).toEqual(before);
      });

      test('adopts no existing namespace, and gives members no other role', async () => {
        await cluster.api.send('POST', '/api/v1/namespaces', { metadata: { name: 'loft-p-there' } });
        await expect(create('there', [])).rejects.toMatchObject({
          code: 409,
          message: expect.stringContaining('there is a namespace loft-p-there already'),
        });
        const much = project('much', []);
        much.spec = { members: [{ kind: 'User', name: 'jo', clusterRole: 'cluster-admin' }] };
        await expect(createObject(projects, '', much, OPTIONS)).rejects.toMatchObject({
          code: 422,
          message: expect.stringContaining('Unsupported value: "cluster-admin"'),
        });
        expect(await read('/api/v1/namespaces/loft-p-much')).toBeUndefined();
      });

      test('that fails in our store leaves no right at the host', async () => {
        behind.line.beforeCommit = () =>
          Promise.reject(new StorageError({ code: 'unavailable', reason: 'for the test', outcome: 'none' }));
        await expect(create('failed', ['jo'])).rejects.toMatchObject({
          code: 500,
          status: { reason: 'ServerTimeout' },
        });
        expect(await bindingOf('failed')).toBeUndefined();
      });

      test('may be retried if the host is away', async () => {
        behind.line.away = true;
        await expect(create('away', ['jo'])).rejects.toMatchObject({
          code: 500,
          status: { reason: 'ServerTimeout', details: { retryAfterSeconds: expect.any(Number) } },
        });
        behind.line.away = false;
        expect(await readStored(projects, clusterScoped('away'))).toBeUndefined();
        await create('away', ['jo']);
      });

      test('of another object writes nothing at the host, which may be away', async () => {
        behind.line.away = true;
        await createObject(secrets, 'default', secret('shared'), OPTIONS);
        expect(await readStored(secrets, { namespace: 'default', name: 'shared' })).toBeDefined();
      });

      test('needs a namespace of the host that is active', async () => {
        const elsewhere = (): Promise<unknown> => createObject(secrets, 'ns', secret('in'), OPTIONS);
        await expect(elsewhere()).rejects.toMatchObject({ code: 404 });
        await cluster.api.send('POST', '/api/v1/namespaces', {
          metadata: { name: 'ns' },
        });
        await elsewhere();
        const hold = { metadata: { name: 'held', finalizers: ['example.com/held'] } };
        await cluster.api.send('POST', '/api/v1/namespaces/ns/configmaps', hold);
        await cluster.api.send('DELETE', '/api/v1/namespaces/ns');
        const namespaces = behind.registry.cache.resource('core/namespaces');
        await eventually('that it ends', () =>
          Promise.resolve(namespaces.latest().get('ns')?.object().metadata.deletionTimestamp !== undefined),
        );
        await expect(createObject(secrets, 'ns', secret('late'), OPTIONS)).rejects.toMatchObject({
          code: 403,
          message: expect.stringContaining('being terminated'),
        });
      });
    });

    describe('an update', () => {
      test('grants and removes rights', async () => {
        await create('wide', ['jo']);
        let seen: unknown;
        behind.line.beforeCommit = async () => {
          seen = await usersOf('wide');
        };
        await update('wide', ['jo', 'ed']);
        expect(seen).toEqual(['jo', 'ed']);
        await update('wide', ['ed']);
        expect(await usersOf('wide')).toEqual(['ed']);
        await update('wide', []);
        expect(await bindingOf('wide')).toBeUndefined();
        const bindings = behind.registry.cache.resource('rbac.authorization.k8s.io/rolebindings').latest();
        const names = [...bindings.entries('loft-p-wide/')].map((entry) => entry.name);
        expect(names).toEqual(['management:project-member:management-project-admin']);
      });

      test('that fails in our store grants nothing', async () => {
        await create('kept', ['jo']);
        behind.line.beforeCommit = () =>
          Promise.reject(new StorageError({ code: 'unavailable', reason: 'for the test', outcome: 'none' }));
        await expect(update('kept', ['jo', 'ed'])).rejects.toMatchObject({ code: 500 });
        expect(await usersOf('kept')).toEqual(['jo']);
      });

      test('keeps changes that others made at the host', async () => {
        await create('common', ['jo']);
        const merge = { 'content-type': 'application/merge-patch+json' };
        const patch = { metadata: { annotations: { 'example.com/theirs': 'yes' } } };
        await cluster.api.send('PATCH', bindingPath('common'), patch, merge);
        await update('common', ['ed']);
        expect(await bindingOf('common')).toMatchObject({
          metadata: { annotations: { 'example.com/theirs': 'yes' } },
          subjects: [{ name: 'ed' }],
        });
      });
    });

    test('a right that cannot be revoked at the host is not reported as revoked, and is revoked when the host is back', async () => {
      await create('later', ['jo']);
      behind.line.removing = false;
      await expect(update('later', [])).rejects.toMatchObject({
        code: 500,
        status: { reason: 'ServerTimeout' },
      });
      expect(await usersOf('later')).toEqual(['jo']);
      behind.line.removing = true;
      await eventually('the removal', async () => (await bindingOf('later')) === undefined);
    });

    test('a move to another namespace of the host needs that one alone', async () => {
      await cluster.api.send('POST', '/api/v1/namespaces', { metadata: { name: 'target' } });
      await createObject(secrets, 'default', secret('moving'), OPTIONS);
      const nothing = (): undefined => undefined;
      const move = {
        name: 'moving',
        from: 'default',
        to: 'target',
        check: nothing,
        change: nothing,
        isEverywhere: () => false,
      };
      await moveObject(secrets, { ...move, dependents: () => [] }, OPTIONS);
      expect(await readStored(secrets, { namespace: 'default', name: 'moving' })).toBeUndefined();
      expect(await readStored(secrets, { namespace: 'target', name: 'moving' })).toBeDefined();
    });

    test('a write that the host forbids this server is refused with the host’s message', async () => {
      const binding = (role: string): object => ({
        metadata: { name: `viewer-${role}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
      });
      const rules = [
        { apiGroups: ['rbac.authorization.k8s.io', ''], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      ];
      await cluster.api.send('POST', `${RBAC}/clusterroles`, { metadata: { name: 'reads' }, rules });
      await cluster.api.send('POST', `${RBAC}/clusterrolebindings`, binding('reads'));
      const { caFile } = cluster.certificates;
      const kubeconfig = writeKubeconfig(cluster.directory, cluster.url, caFile, VIEWER_TOKEN, 'viewer');
      const other = await openAggregatedParts(kubeconfig);
      try {
        const store = other.store('projects');
        const make = (): Promise<unknown> => createObject(store, '', project('no', ['jo']), OPTIONS);
        await expect(make()).rejects.toMatchObject({
          code: 403,
          message: expect.stringMatching(
            /the host cluster refuses to create namespaces.*User "viewer" cannot create/,
          ),
        });
        expect(await readStored(store, clusterScoped('no'))).toBeUndefined();
        const grants = [{ ...rules[0], verbs: ['create', 'update', 'delete'] }];
        await cluster.api.send('POST', `${RBAC}/clusterroles`, {
          metadata: { name: 'writes' },
          rules: grants,
        });
        await cluster.api.send('POST', `${RBAC}/clusterrolebindings`, binding('writes'));
        // The role of members has no rights here, so binding it is no escalation.
        await eventually('the right to write', async () =>
          make().then(
            () => true,
            () => false,
          ),
        );
      } finally {
        await other.close();
      }
    });
  });
