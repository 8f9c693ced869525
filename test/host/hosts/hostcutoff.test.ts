/** What interrupted commits leave in a real host: no rights for long, and no name that stays unusable. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import { controllerClient } from '../../../pkg/controllers/client/registryclient.js';
import { hostResources } from '../../../pkg/controllers/client/hostclients.js';
import { resourceOf, type Client } from '../../../pkg/controllers/interface.js';
import { projectOfGrant } from '../../../pkg/management/projects/controller/follow.js';
import {
  removeOrphan,
  orphanIn,
  orphanKey,
  type Orphan,
  type OrphanOwner,
} from '../../../pkg/management/sharing/controller/orphanedroles.js';
import { createObject } from '../../../pkg/registry/generic/create.js';
import { readStored } from '../../../pkg/registry/resourcestore.js';
import { StorageError } from '../../../pkg/storage/interface.js';
import { hostOfParts, openAggregatedParts, type Behind } from '../../fixtures/host/aggregatedparts.js';
import { ONE_RELEASE, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';
import { Project } from '../../../api/management.svc.example/v1/project.js';
import { RoleBinding } from '../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';

const HELD = 'management.svc.example/project-held';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const OPTIONS = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
const AFTER_MS = 61_000;
const MEMBER = 'management:project-member:management-project-';

const project = (name: string, role: string): KubeObject => ({
  kind: 'Project',
  apiVersion: 'management.svc.example/v1',
  metadata: { name },
  spec: {
    access: [{ name: 'see', verbs: ['get'], users: ['jim'] }],
    members: [{ kind: 'User', name: 'jo', clusterRole: `management-project-${role}` }],
  },
});

for (const host of ONE_RELEASE)
  describeWith(host.apiserver)(`cut off at Kubernetes ${host.release}`, () => {
    let cluster: HostCluster;
    let behind: Behind;

    beforeAll(async () => {
      cluster = await hostOfParts(host);
      behind = await openAggregatedParts(cluster.kubeconfig);
      for (const role of ['admin', 'user', 'viewer']) {
        const metadata = { name: `management-project-${role}` };
        await cluster.api.send('POST', `${RBAC}/clusterroles`, { metadata, rules: [] });
      }
    });

    afterEach(() => {
      jest.useRealTimers();
    });

    afterAll(async () => {
      await behind?.close();
      await cluster?.stop();
    });

    const read = async (path: string): Promise<KubeObject | undefined> => {
      const { status, text } = await cluster.api.send('GET', path);
      return status === 200 ? (JSON.parse(text) as KubeObject) : undefined;
    };
    const bindingIn = (name: string, role: string): Promise<KubeObject | undefined> =>
      read(`${RBAC}/namespaces/loft-p-${name}/rolebindings/${MEMBER}${role}`);
    const create = (object: KubeObject): Promise<unknown> =>
      createObject(behind.store('projects'), '', object, OPTIONS);
    /** Simulates a server that stops between its write to the host and its own commit. */
    const cutOff = async (object: KubeObject): Promise<void> => {
      behind.line.beforeCommit = () => {
        behind.line.away = true;
        return Promise.reject(
          new StorageError({ code: 'unavailable', reason: 'for the test', outcome: 'none' }),
        );
      };
      await expect(create(object)).rejects.toMatchObject({ code: 500 });
      behind.line.away = false;
      behind.line.beforeCommit = () => Promise.resolve();
    };
    /** Advances only the clock; everything else continues. */
    const later = (): void => {
      jest.useFakeTimers({
        now: Date.now() + AFTER_MS,
        doNotFake: [
          'hrtime',
          'nextTick',
          'performance',
          'queueMicrotask',
          'setImmediate',
          'clearImmediate',
          'setInterval',
          'clearInterval',
          'setTimeout',
          'clearTimeout',
        ],
      });
    };

    test('a project whose create was cut off can be created a minute later, with no right of before', async () => {
      await cutOff(project('web', 'admin'));
      const left = await read('/api/v1/namespaces/loft-p-web');
      expect(left?.metadata.annotations?.[HELD]).toBeUndefined();
      expect(await bindingIn('web', 'admin')).toBeDefined();
      await expect(create(project('web', 'viewer'))).rejects.toMatchObject({
        code: 409,
        message: expect.stringContaining('try again in a minute'),
      });
      later();
      await create(project('web', 'viewer'));
      const { uid } =
        (await readStored(behind.store('projects'), clusterScoped('web')))?.object().metadata ?? {};
      expect(await read('/api/v1/namespaces/loft-p-web')).toMatchObject({
        metadata: {
          uid: left?.metadata.uid,
          annotations: { 'management.svc.example/project-uid': uid, [HELD]: 'true' },
        },
      });
      expect((await read('/api/v1/namespaces/loft-p-web'))?.metadata.ownerReferences).toBeUndefined();
      expect(await bindingIn('web', 'viewer')).toMatchObject({ subjects: [{ name: 'jo' }] });
      const admin = await bindingIn('web', 'admin');
      expect(admin?.subjects).toEqual([expect.objectContaining({ name: 'jane' })]);
    });

    test('bindings left by an interrupted create do not count for the next one', async () => {
      await cutOff(project('few', 'viewer'));
      expect(await bindingIn('few', 'viewer')).toBeDefined();
      later();
      await create({ ...project('few', 'viewer'), spec: {} });
      expect(await bindingIn('few', 'viewer')).toBeUndefined();
      expect(await bindingIn('few', 'admin')).toBeDefined();
    });

    test('a namespace with objects of others is not adopted', async () => {
      await cutOff(project('held', 'viewer'));
      const path = `${RBAC}/namespaces/loft-p-held/roles`;
      await cluster.api.send('POST', path, { metadata: { name: 'theirs' }, rules: [] });
      later();
      await expect(create(project('held', 'viewer'))).rejects.toMatchObject({
        code: 409,
        message: expect.stringContaining('holds roles "theirs"'),
      });
      expect(await read(`${path}/theirs`)).toBeDefined();
    });

    test('of two creates of a name one has the namespace, also where the other fails after it', async () => {
      await cutOff(project('two', 'viewer'));
      later();
      let second: Promise<unknown> | undefined;
      behind.line.beforeCommit = () => {
        behind.line.beforeCommit = () => Promise.resolve();
        second = create(project('two', 'viewer'));
        return second.then(() => undefined);
      };
      await expect(create(project('two', 'user'))).rejects.toMatchObject({ code: 409 });
      await second;
      const { uid } =
        (await readStored(behind.store('projects'), clusterScoped('two')))?.object().metadata ?? {};
      expect(await read('/api/v1/namespaces/loft-p-two')).toMatchObject({
        metadata: { annotations: { 'management.svc.example/project-uid': uid, [HELD]: 'true' } },
      });
    });

    test('rights of a project that was never created are removed, and its namespace stays', async () => {
      const { registry, client } = behind;
      const loops: Client = controllerClient(registry.stores, 'test', hostResources(client, registry));
      const projects = resourceOf(loops, Project);
      const grants = resourceOf(loops, RoleBinding);
      await create(project('kept', 'user'));
      await cutOff(project('never', 'user'));
      for (const role of ['user', 'admin'])
        await eventually(`its ${role}`, async () =>
          grants.cached({ namespace: 'loft-p-never', name: MEMBER + role }),
        );
      for (const grant of grants.list('')) {
        const seen = orphanIn(orphanKey(grants, grant)) as Orphan;
        const owner = (one: Orphan): OrphanOwner | undefined => {
          const name = projectOfGrant('loft-p-', one);
          return name === undefined
            ? undefined
            : { resource: projects, namespace: '', name, wants: () => true };
        };
        await removeOrphan(loops, owner, seen);
      }
      expect(await bindingIn('never', 'user')).toBeUndefined();
      expect(await bindingIn('never', 'admin')).toBeUndefined();
      expect(await read('/api/v1/namespaces/loft-p-never')).toBeDefined();
      expect(await bindingIn('kept', 'user')).toBeDefined();
    });
  });
