/**
 * Several servers behind one real host write an object at the same time: the resulting rights are those of the write
 * that won.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { controllerClient } from '../../../pkg/controllers/client/registryclient.js';
import { hostResources } from '../../../pkg/controllers/client/hostclients.js';
import { projectController } from '../../../pkg/management/projects/controller/controller.js';
import { runControllers, type RunningControllers } from '../../../pkg/controllers/run.js';
import { createObject } from '../../../pkg/registry/generic/create.js';
import { updateObject } from '../../../pkg/registry/generic/update.js';
import { StorageError } from '../../../pkg/storage/interface.js';
import { hostOfParts, openAggregatedParts, type Behind } from '../../fixtures/host/aggregatedparts.js';
import { ONE_RELEASE, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const VIEWER = 'management-project-viewer';
const BINDING = `management:project-member:${VIEWER}`;
const OPTIONS = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
const nothing = (): Promise<void> => Promise.resolve();
const members = (users: string): object[] =>
  users.split(',').map((name) => ({ kind: 'User', name, clusterRole: VIEWER }));
const WIDE = 'jo,ann';
const NARROW = 'jo';

for (const host of ONE_RELEASE)
  describeWith(host.apiserver)(`writers at Kubernetes ${host.release}`, () => {
    let cluster: HostCluster;
    let one: Behind;
    let other: Behind;

    beforeAll(async () => {
      cluster = await hostOfParts(host);
      one = await openAggregatedParts(cluster.kubeconfig);
      other = await openAggregatedParts(cluster.kubeconfig, one);
      for (const name of ['management-project-admin', VIEWER])
        await cluster.api.send('POST', `${RBAC}/clusterroles`, { metadata: { name }, rules: [] });
    });

    beforeEach(() => {
      for (const { line } of [one, other])
        Object.assign(line, { beforeCommit: nothing, afterCommit: nothing });
    });

    afterAll(async () => {
      await other?.close();
      await one?.close();
      await cluster?.stop();
    });

    const read = async (path: string): Promise<KubeObject | undefined> => {
      const { status, text } = await cluster.api.send('GET', path);
      return status === 200 ? (JSON.parse(text) as KubeObject) : undefined;
    };
    const usersIn = (binding: KubeObject | undefined): string =>
      ((binding?.subjects ?? []) as { name: string }[]).map(({ name }) => name).join(',');
    const usersOf = async (name: string): Promise<string> =>
      usersIn(await read(`${RBAC}/namespaces/loft-p-${name}/rolebindings/${BINDING}`));
    const create = async (name: string, users: string): Promise<void> => {
      const object = {
        kind: 'Project',
        apiVersion: 'management.svc.example/v1',
        metadata: { name },
        spec: { members: members(users) },
      };
      await createObject(one.store('projects'), '', object, OPTIONS);
      await eventually('the object at the other', async () => seen(other, name) !== undefined);
      await seesUsers(other, name, users);
    };
    const seen = (server: Behind, name: string): KubeObject | undefined =>
      server.store('projects').cache.latest().get(name)?.object();
    const update = (server: Behind, name: string, spec: object, resourceVersion?: string): Promise<unknown> =>
      updateObject(
        server.store('projects'),
        {
          namespace: '',
          name,
          subresource: '',
          versionRequired: false,
          change: (live) => ({
            ...live,
            metadata: { ...live.metadata, resourceVersion: resourceVersion ?? live.metadata.resourceVersion },
            spec: { ...(live.spec as object), ...spec },
          }),
        },
        OPTIONS,
      );
    /** Pauses the first writer once between its write to the host and its own commit. */
    const meanwhile = (work: () => Promise<unknown>): void => {
      one.line.beforeCommit = async () => {
        one.line.beforeCommit = nothing;
        await work();
      };
    };
    const seesUsers = (server: Behind, name: string, users: string): Promise<boolean> =>
      eventually('the binding', async () => {
        const bindings = server.registry.cache.resource('rbac.authorization.k8s.io/rolebindings').latest();
        return usersIn(bindings.get(`loft-p-${name}/${BINDING}`)?.object()) === users;
      });

    const startController = (): RunningControllers =>
      runControllers(
        [projectController],
        {
          clientFor: (user) =>
            controllerClient(other.registry.stores, user, hostResources(other.client, other.registry)),
          log: { info: () => undefined, warn: () => undefined },
        },
        { projectNamespacePrefix: 'loft-p-' },
      );

    describe('of two at once', () => {
      test('the second wins if both take the same right, and the right is gone', async () => {
        await create('same', WIDE);
        const { resourceVersion } = seen(one, 'same')?.metadata ?? {};
        meanwhile(async () => {
          await seesUsers(other, 'same', NARROW);
          await update(other, 'same', { members: members(NARROW) });
        });
        await expect(
          update(one, 'same', { members: members(NARROW) }, resourceVersion),
        ).rejects.toMatchObject({
          code: 409,
        });
        expect(await usersOf('same')).toBe(NARROW);
      });

      test('the right is gone if both take it and the first retries', async () => {
        await create('again', WIDE);
        meanwhile(async () => {
          await seesUsers(other, 'again', NARROW);
          await update(other, 'again', { members: members(NARROW) });
        });
        await update(one, 'again', { members: members(NARROW) });
        expect(await usersOf('again')).toBe(NARROW);
      });

      test.each([
        ['narrower', 'jo', 'ed'],
        ['wider', 'jo,ann,ed,kim', 'jo,ann,ed'],
      ])('the second wins if it grants what is %s', async (kind, first, second) => {
        await create(kind, WIDE);
        const { resourceVersion } = seen(one, kind)?.metadata ?? {};
        meanwhile(() => update(other, kind, { members: members(second) }));
        await expect(update(one, kind, { members: members(first) }, resourceVersion)).rejects.toMatchObject({
          code: 409,
        });
        expect(await usersOf(kind)).toBe(second);
      });

      test('both lose to a third that changes no right, and the controller restores the rights', async () => {
        await create('both', WIDE);
        const { resourceVersion } = seen(one, 'both')?.metadata ?? {};
        const lose = (server: Behind, users: string): Promise<void> =>
          expect(update(server, 'both', { members: members(users) }, resourceVersion)).rejects.toMatchObject({
            code: 409,
          });
        meanwhile(async () => {
          other.line.beforeCommit = async () => {
            other.line.beforeCommit = nothing;
            await update(other, 'both', { displayName: 'new' });
          };
          await seesUsers(other, 'both', 'jo,ann,ed');
          await lose(other, 'jo,ann,ed,kim');
        });
        await lose(one, 'jo,ann,ed');
        const loops = startController();
        await eventually('the rights', async () => (await usersOf('both')) === WIDE).finally(() =>
          loops.stop(),
        );
      });
    });

    test('a right that a commit takes whose outcome is not known is not given back', async () => {
      await create('unknown', WIDE);
      one.line.afterCommit = () =>
        Promise.reject(new StorageError({ code: 'unavailable', reason: 'for the test', outcome: 'unknown' }));
      await expect(update(one, 'unknown', { members: members(NARROW) })).rejects.toMatchObject({ code: 500 });
      expect(await usersOf('unknown')).toBe(NARROW);
    });
  });
