/**
 * Several servers behind one real host write an object at the same time: the resulting rights are those of the write
 * that won.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { controllerClient } from '../../../cmd/apiserver/controllers/controllerclient.js';
import { hostResources } from '../../../cmd/apiserver/controllers/hostresources.js';
import { accessRulesController } from '../../../pkg/controllers/accessrules/accessrules.js';
import { runControllers } from '../../../pkg/controllers/run.js';
import { createObject } from '../../../pkg/registry/generic/create.js';
import { updateObject } from '../../../pkg/registry/generic/update.js';
import { StorageError } from '../../../pkg/storage/interface.js';
import { hostOfParts, openAggregatedParts } from '../../fixtures/host/aggregatedparts.js';
import type { Behind } from '../../fixtures/host/aggregatedparts.js';
import { ONE_RELEASE } from '../../fixtures/host/hostcluster.js';
import type { HostCluster } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { isObjectRole, objectRole } from '../../fixtures/objects/objectroles.js';
import { eventually } from '../../fixtures/wait.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const OPTIONS = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
const nothing = (): Promise<void> => Promise.resolve();
const rule = (verbs: string, users = 'jo'): object => ({
  name: 'rule',
  verbs: verbs.split(','),
  users: users.split(','),
});
const AWAY = { code: 'unavailable', reason: 'away', outcome: 'none' } as const;
const WIDE = rule('get,update');
const NARROW = rule('get');

for (const host of ONE_RELEASE)
  describeWith(host.apiserver)(`writers at Kubernetes ${host.release}`, () => {
    let cluster: HostCluster;
    let one: Behind;
    let other: Behind;

    beforeAll(async () => {
      cluster = await hostOfParts(host);
      one = await openAggregatedParts(cluster.kubeconfig);
      other = await openAggregatedParts(cluster.kubeconfig, one);
    });

    beforeEach(() => {
      for (const { line } of [one, other])
        Object.assign(line, { beforeCommit: nothing, afterCommit: nothing, afterWrite: nothing });
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
    const verbsIn = (role: KubeObject | undefined): string =>
      ((role?.rules as { verbs: string[] }[] | undefined)?.[0]?.verbs ?? []).join(',');
    const verbsOf = async (name: string, part = 0): Promise<string> =>
      verbsIn(await objectRole(read, `${RBAC}/roles`, ['sharedsecrets', name, part]));
    const create = async (name: string, ...access: object[]): Promise<void> => {
      const object = {
        ...{ kind: 'SharedSecret', apiVersion: 'management.svc.example/v1', metadata: { name } },
        spec: { access },
      };
      await createObject(one.store('sharedsecrets'), 'default', object, OPTIONS);
      await eventually('the object at the other', async () => seen(other, name) !== undefined);
    };
    const seen = (server: Behind, name: string): KubeObject | undefined =>
      server.store('sharedsecrets').cache.latest().get(`default/${name}`)?.object();
    const update = (server: Behind, name: string, spec: object, resourceVersion?: string): Promise<unknown> =>
      updateObject(
        server.store('sharedsecrets'),
        {
          ...{ namespace: 'default', name, subresource: '', versionRequired: false },
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
    const seesVerbs = (server: Behind, name: string, verbs: string): Promise<boolean> =>
      eventually('the role', async () => {
        const roles = server.registry.cache.resource('rbac.authorization.k8s.io/roles').latest();
        const role = [...roles.entries('default/')].find((entry) =>
          isObjectRole(entry.name, ['sharedsecrets', name, 0]),
        );
        return verbsIn(role?.object()) === verbs;
      });

    test('a rule with new verbs and new users never grants a mix of both', async () => {
      const states: string[] = [];
      const usersOf = (binding: KubeObject | undefined): string =>
        ((binding?.subjects ?? []) as { name: string }[]).map(({ name }) => name).join(',');
      await create('moved', rule('get', 'jo,ann'));
      one.line.afterWrite = async () =>
        void states.push(
          `${usersOf(await objectRole(read, `${RBAC}/rolebindings`, ['sharedsecrets', 'moved', 0]))} ${await verbsOf('moved')}`,
        );
      one.line.beforeCommit = () => Promise.reject(new StorageError(AWAY));
      await expect(update(one, 'moved', { access: [rule('get,update', 'ann,ed')] })).rejects.toThrow();
      one.line.beforeCommit = nothing;
      await update(one, 'moved', { access: [rule('get,update', 'ann,ed')] });
      const [narrow, wider, whole] = ['ann get', 'ann get,update', 'ann,ed get,update'];
      expect(states).toEqual([narrow, wider, whole, wider, narrow, 'jo,ann get', narrow, wider, whole]);
    });

    describe('of two at once', () => {
      test('the second wins if both take the same right, and the right is gone', async () => {
        await create('same', WIDE);
        const { resourceVersion } = seen(one, 'same')?.metadata ?? {};
        meanwhile(async () => {
          await seesVerbs(other, 'same', 'get');
          await update(other, 'same', { access: [NARROW] });
        });
        await expect(update(one, 'same', { access: [NARROW] }, resourceVersion)).rejects.toMatchObject({
          code: 409,
        });
        expect(await verbsOf('same')).toBe('get');
      });

      test('the right is gone if both take it and the first retries', async () => {
        await create('again', WIDE);
        meanwhile(async () => {
          await seesVerbs(other, 'again', 'get');
          await update(other, 'again', { access: [NARROW] });
        });
        await update(one, 'again', { access: [NARROW] });
        expect(await verbsOf('again')).toBe('get');
      });

      test.each([
        ['narrower', 'get', 'list'],
        ['wider', 'get,update,delete,list', 'get,update,delete'],
      ])('the second wins if it grants what is %s', async (kind, first, second) => {
        await create(kind, WIDE);
        const { resourceVersion } = seen(one, kind)?.metadata ?? {};
        meanwhile(() => update(other, kind, { access: [rule(second)] }));
        await expect(update(one, kind, { access: [rule(first)] }, resourceVersion)).rejects.toMatchObject({
          code: 409,
        });
        expect(await verbsOf(kind)).toBe(second);
      });

      test('both lose to a third that changes no right, and rights stay as they were', async () => {
        await create('both', WIDE);
        const { resourceVersion } = seen(one, 'both')?.metadata ?? {};
        const lose = (server: Behind, verbs: string): Promise<void> =>
          expect(update(server, 'both', { access: [rule(verbs)] }, resourceVersion)).rejects.toMatchObject({
            code: 409,
          });
        meanwhile(async () => {
          other.line.beforeCommit = async () => {
            other.line.beforeCommit = nothing;
            await update(other, 'both', { displayName: 'new' });
          };
          await seesVerbs(other, 'both', 'get,update,delete');
          await lose(other, 'get,update,delete,list');
        });
        await lose(one, 'get,update,delete');
        expect(await verbsOf('both')).toBe('get,update');
      });
    });

    test('a right that a commit takes whose outcome is not known is not given back', async () => {
      await create('unknown', WIDE);
      one.line.afterCommit = () =>
        Promise.reject(new StorageError({ code: 'unavailable', reason: 'for the test', outcome: 'unknown' }));
      await expect(update(one, 'unknown', { access: [NARROW] })).rejects.toMatchObject({ code: 500 });
      expect(await verbsOf('unknown')).toBe('get');
    });

    test('the controller that restores roles does not undo commits under way', async () => {
      const loops = runControllers([accessRulesController], {
        clientFor: (user) =>
          controllerClient(other.registry.stores, user, hostResources(other.client, other.registry)),
        log: { info: () => undefined, warn: () => undefined },
        ...{ authority: '', projectNamespacePrefix: 'loft-p-', eventTtlMs: 1, accessKeyRetentionMs: 1 },
        clusters: { connect: fails, connectBy: fails, agents: () => undefined, close: () => undefined },
        mirrorRights: { check: fails, follow: () => ({ cancel: () => undefined }), forget: () => undefined },
        clusterRights: { watch: fails, follow: () => ({ cancel: () => undefined }), forget: () => undefined },
        syncRights: { check: fails, follow: () => ({ cancel: () => undefined }), forget: () => undefined },
        virtualClusters: { connect: fails },
        virtualClusterBindings: {
          placeOf: () => '',
          ...{ check: fails, all: () => [], follow: () => ({ cancel: () => undefined }) },
          forget: () => undefined,
        },
      });
      try {
        await create('slow', WIDE);
        meanwhile(async () => {
          await seesVerbs(other, 'slow', 'get');
          await sleep(1_000);
        });
        await update(one, 'slow', { access: [NARROW] });
        expect(await verbsOf('slow')).toBe('get');
      } finally {
        await loops.stop();
      }
    });
  });

const fails = (): never => {
  throw new Error('no cluster is connected');
};
