/** One commit over our own store and the objects of a real host: what is there when a write is answered, or refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { createObject } from '../../../pkg/registry/generic/create.js';
import { deleteObject } from '../../../pkg/registry/generic/delete.js';
import { moveObject } from '../../../pkg/registry/generic/move.js';
import type { ResourceStore } from '../../../pkg/registry/generic/resourcestore.js';
import { readStored } from '../../../pkg/registry/generic/resourcestore.js';
import { updateObject } from '../../../pkg/registry/generic/update.js';
import { StorageError } from '../../../pkg/storage/interface.js';
import { hostOfParts, openAggregatedParts } from '../../fixtures/host/aggregatedparts.js';
import type { Behind } from '../../fixtures/host/aggregatedparts.js';
import { ONE_RELEASE } from '../../fixtures/host/hostcluster.js';
import type { HostCluster } from '../../fixtures/host/hostcluster.js';
import { writeKubeconfig } from '../../fixtures/host/hostfiles.js';
import { describeWith } from '../../fixtures/program.js';
import { VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { isObjectRole, objectRole } from '../../fixtures/objects/objectroles.js';
import { eventually } from '../../fixtures/wait.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const OPTIONS = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
const READ = { name: 'read', verbs: ['get'], users: ['jo'] };
const WRITE = { name: 'write', verbs: ['update'], users: ['jo'] };

function secret(name: string, access: readonly object[]): KubeObject {
  const apiVersion = 'management.svc.example/v1';
  return { kind: 'SharedSecret', apiVersion, metadata: { name }, spec: { access } };
}

for (const host of ONE_RELEASE)
  describeWith(host.apiserver)(`commits with Kubernetes ${host.release}`, () => {
    let cluster: HostCluster;
    let behind: Behind;
    let secrets: ResourceStore;

    beforeAll(async () => {
      cluster = await hostOfParts(host);
      behind = await openAggregatedParts(cluster.kubeconfig);
      secrets = behind.store('sharedsecrets');
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
    const roleOf = (
      name: string,
      part: string | number,
      namespace = 'default',
    ): Promise<KubeObject | undefined> =>
      objectRole(read, `${RBAC}/namespaces/${namespace}/roles`, ['sharedsecrets', name, part]);
    const bindingOf = (name: string, part: string | number): Promise<KubeObject | undefined> =>
      objectRole(read, `${RBAC}/namespaces/default/rolebindings`, ['sharedsecrets', name, part]);
    const verbsOf = async (name: string, part: string | number): Promise<unknown> =>
      ((await roleOf(name, part))?.rules as { verbs: unknown }[] | undefined)?.[0]?.verbs;
    const create = (name: string, access: readonly object[], options = OPTIONS): Promise<unknown> =>
      createObject(secrets, 'default', secret(name, access), options);
    const update = (name: string, access: readonly object[]): Promise<unknown> =>
      updateObject(
        secrets,
        {
          ...{ namespace: 'default', name, subresource: '', versionRequired: false },
          change: (live) => ({ ...live, spec: { ...(live.spec as object), access } }),
        },
        OPTIONS,
      );

    describe('a create', () => {
      test('is answered when its roles are there, and this server decides by them', async () => {
        await create('new', [READ]);
        const role = await roleOf('new', 0);
        const { uid } = (await readStored(secrets, 'default', 'new'))?.object().metadata ?? {};
        expect(role).toMatchObject({
          metadata: { ownerReferences: [{ kind: 'SharedSecret', name: 'new', uid }] },
          rules: [{ resourceNames: ['new'], verbs: ['get'] }],
        });
        expect(await bindingOf('new', 0)).toMatchObject({ subjects: [{ kind: 'User', name: 'jo' }] });
        expect(await roleOf('new', 'owner')).toBeDefined();
        const roles = behind.registry.cache.resource('rbac.authorization.k8s.io/roles').latest();
        const cached = roles.get(`default/${role?.metadata.name}`);
        expect(cached?.revision).toBe(Number(role?.metadata.resourceVersion));
      });

      test('has roles before the object is there, and owners only after', async () => {
        let seen: KubeObject | undefined;
        behind.line.beforeCommit = async () => {
          seen = await roleOf('order', 0);
        };
        await create('order', [READ]);
        expect(seen).toMatchObject({ rules: [{ verbs: ['get'] }] });
        expect(seen?.metadata.ownerReferences).toBeUndefined();
      });

      test('as a dry run writes nothing', async () => {
        await create('dry', [READ], { ...OPTIONS, dryRun: true });
        expect(await roleOf('dry', 0)).toBeUndefined();
      });

      test('with an existing name changes no right', async () => {
        await create('taken', [READ]);
        const before = await roleOf('taken', 0);
        await expect(create('taken', [WRITE])).rejects.toMatchObject({ code: 409 });
        expect(await roleOf('taken', 0)).toEqual(before);
      });

      test('that fails in our store leaves nothing at the host', async () => {
        behind.line.beforeCommit = () =>
          Promise.reject(new StorageError({ code: 'unavailable', reason: 'for the test', outcome: 'none' }));
        await expect(create('failed', [READ])).rejects.toMatchObject({
          code: 500,
          status: { reason: 'ServerTimeout' },
        });
        expect(await roleOf('failed', 0)).toBeUndefined();
        expect(await bindingOf('failed', 0)).toBeUndefined();
      });

      test('may be retried if the host is away', async () => {
        behind.line.away = true;
        await expect(create('away', [READ])).rejects.toMatchObject({
          code: 500,
          status: { reason: 'ServerTimeout', details: { retryAfterSeconds: expect.any(Number) } },
        });
        behind.line.away = false;
        expect(await readStored(secrets, 'default', 'away')).toBeUndefined();
        await create('away', [READ]);
      });

      test('needs a namespace of the host that is active', async () => {
        const elsewhere = (): Promise<unknown> => createObject(secrets, 'ns', secret('in', []), OPTIONS);
        await expect(elsewhere()).rejects.toMatchObject({ code: 404 });
        await cluster.api.send('POST', '/api/v1/namespaces', {
          metadata: { name: 'ns' },
        });
        await elsewhere();
        const hold = { metadata: { name: 'held', finalizers: ['example.com/held'] } };
        await cluster.api.send('POST', '/api/v1/namespaces/ns/configmaps', hold);
        await cluster.api.send('DELETE', '/api/v1/namespaces/ns');
        await expect(createObject(secrets, 'ns', secret('late', []), OPTIONS)).rejects.toMatchObject({
          code: 403,
          message: expect.stringContaining('being terminated'),
        });
      });
    });

    describe('an update', () => {
      test('grants and removes rights', async () => {
        await create('wide', [READ]);
        let seen: unknown;
        behind.line.beforeCommit = async () => {
          seen = await verbsOf('wide', 1);
        };
        await update('wide', [READ, WRITE]);
        expect(seen).toEqual(['update']);
        expect(await verbsOf('wide', 1)).toEqual(['update']);
        await update('wide', [WRITE]);
        expect(await verbsOf('wide', 0)).toEqual(['update']);
        expect(await roleOf('wide', 1)).toBeUndefined();
        expect(await bindingOf('wide', 1)).toBeUndefined();
        const roles = behind.registry.cache.resource('rbac.authorization.k8s.io/roles').latest();
        const names = [...roles.entries('default/')].map((entry) => entry.name);
        expect(names.filter((name) => isObjectRole(name, ['sharedsecrets', 'wide', 1]))).toEqual([]);
      });

      test('that fails in our store grants nothing', async () => {
        await create('kept', [READ]);
        behind.line.beforeCommit = () =>
          Promise.reject(new StorageError({ code: 'unavailable', reason: 'for the test', outcome: 'none' }));
        await expect(update('kept', [WRITE, READ])).rejects.toMatchObject({ code: 500 });
        expect(await verbsOf('kept', 0)).toEqual(['get']);
        expect(await roleOf('kept', 1)).toBeUndefined();
      });

      test('keeps changes that others made at the host', async () => {
        await create('shared', [READ]);
        const path = `${RBAC}/namespaces/default/roles/${(await roleOf('shared', 0))?.metadata.name}`;
        const merge = { 'content-type': 'application/merge-patch+json' };
        const patch = { metadata: { annotations: { 'example.com/theirs': 'yes' } } };
        await cluster.api.send('PATCH', path, patch, merge);
        await update('shared', [WRITE]);
        expect(await roleOf('shared', 0)).toMatchObject({
          metadata: { annotations: { 'example.com/theirs': 'yes' } },
          rules: [{ verbs: ['update'] }],
        });
      });
    });

    test('a delete takes the roles with it', async () => {
      await create('gone', [READ]);
      await deleteObject(secrets, 'default', 'gone', { dryRun: [], preconditions: {} }, OPTIONS);
      expect(await roleOf('gone', 0)).toBeUndefined();
      expect(await bindingOf('gone', 'owner')).toBeUndefined();
    });

    test('a right that cannot be revoked at the host is not reported as revoked, and is revoked when the host is back', async () => {
      await create('later', [READ, WRITE]);
      const again = { code: 500, status: { reason: 'ServerTimeout' } };
      behind.line.removing = false;
      await expect(update('later', [READ])).rejects.toMatchObject(again);
      expect(await verbsOf('later', 1)).toEqual(['update']);
      await expect(
        deleteObject(secrets, 'default', 'later', { dryRun: [], preconditions: {} }, OPTIONS),
      ).rejects.toMatchObject(again);
      expect(await readStored(secrets, 'default', 'later')).toBeUndefined();
      expect(await roleOf('later', 0)).toBeDefined();
      behind.line.removing = true;
      await eventually(
        'the removal',
        async () => (await roleOf('later', 0)) === undefined && (await bindingOf('later', 1)) === undefined,
      );
    });

    test('a move has roles at both places while it is made, and then at its target', async () => {
      await cluster.api.send('POST', '/api/v1/namespaces', { metadata: { name: 'target' } });
      await create('moving', [READ]);
      const seen: unknown[] = [];
      behind.line.beforeCommit = async () => {
        seen.push(await roleOf('moving', 0), await roleOf('moving', 0, 'target'));
      };
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
      expect(seen).toEqual([expect.anything(), expect.anything()]);
      expect(await roleOf('moving', 0)).toBeUndefined();
      const { uid } = (await readStored(secrets, 'target', 'moving'))?.object().metadata ?? {};
      expect(await roleOf('moving', 0, 'target')).toMatchObject({
        metadata: { ownerReferences: [{ uid }] },
      });
    });

    test('a project creates its namespace and its bindings, and adopts no existing one', async () => {
      const projects = behind.store('projects');
      for (const name of ['management-project-admin', 'management-project-viewer'])
        await cluster.api.send('POST', `${RBAC}/clusterroles`, { metadata: { name }, rules: [] });
      const project = (name: string): KubeObject => ({
        ...{ kind: 'Project', apiVersion: 'management.svc.example/v1', metadata: { name } },
        spec: { members: [{ kind: 'User', name: 'jo', clusterRole: 'management-project-viewer' }] },
      });
      await createObject(projects, '', project('web'), OPTIONS);
      const { uid } = (await readStored(projects, '', 'web'))?.object().metadata ?? {};
      expect(await read('/api/v1/namespaces/loft-p-web')).toMatchObject({
        metadata: {
          annotations: {
            'management.svc.example/project-uid': uid,
            'management.svc.example/project-held': 'true',
          },
        },
        status: { phase: 'Active' },
      });
      // The data of the namespace's users are not lost if the owner is missing.
      expect((await read('/api/v1/namespaces/loft-p-web'))?.metadata.ownerReferences).toBeUndefined();
      const binding = `${RBAC}/namespaces/loft-p-web/rolebindings/management:project-member:management-project-viewer`;
      expect(await read(binding)).toMatchObject({ subjects: [{ name: 'jo' }] });
      const tooMuch = project('much');
      tooMuch.spec = { members: [{ kind: 'User', name: 'jo', clusterRole: 'cluster-admin' }] };
      await expect(createObject(projects, '', tooMuch, OPTIONS)).rejects.toMatchObject({
        code: 422,
        message: expect.stringContaining('Unsupported value: "cluster-admin"'),
      });
      expect(await read('/api/v1/namespaces/loft-p-much')).toBeUndefined();
      await cluster.api.send('POST', '/api/v1/namespaces', { metadata: { name: 'loft-p-there' } });
      await expect(createObject(projects, '', project('there'), OPTIONS)).rejects.toMatchObject({
        code: 409,
        message: expect.stringContaining('there is a namespace loft-p-there already'),
      });
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
        const store = other.store('sharedsecrets');
        const refused = createObject(store, 'default', secret('no', [READ]), OPTIONS);
        await expect(refused).rejects.toMatchObject({
          code: 403,
          message: expect.stringMatching(
            /the host cluster refuses to create roles.*User "viewer" cannot create/,
          ),
        });
        expect(await readStored(store, 'default', 'no')).toBeUndefined();
        const grants = [{ ...rules[0], verbs: ['create', 'update', 'delete'] }];
        await cluster.api.send('POST', `${RBAC}/clusterroles`, {
          metadata: { name: 'writes' },
          rules: grants,
        });
        await cluster.api.send('POST', `${RBAC}/clusterrolebindings`, binding('writes'));
        await eventually('the right to write', async () =>
          createObject(store, 'default', secret('no', [READ]), OPTIONS).then(
            () => true,
            ({ message }: Error) => message.includes('not currently held'),
          ),
        );
        await expect(createObject(store, 'default', secret('no', [READ]), OPTIONS)).rejects.toMatchObject({
          code: 403,
        });
      } finally {
        await other.close();
      }
    });
  });
