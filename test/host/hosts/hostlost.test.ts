/** Objects in a namespace that no longer exists in a real host. */
import { clusterScoped } from '../../../api/resource.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { controllerClient } from '../../../pkg/controllers/client/registryclient.js';
import { hostResources } from '../../../pkg/controllers/client/hostclients.js';
import { resourceOf } from '../../../pkg/controllers/interface.js';
import type { ManagementContext } from '../../../pkg/management/controllercontext.js';
import { orphanedObjectsController } from '../../../pkg/management/projects/controller/orphanedobjects.js';
import { createObject } from '../../../pkg/registry/generic/create.js';
import { readStored } from '../../../pkg/registry/resourcestore.js';
import { openAggregatedParts, type Behind } from '../../fixtures/host/aggregatedparts.js';
import { ONE_RELEASE, startHost, type OwnHost } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';
import { Namespace } from '../../../api/core/v1/namespace.js';

const OPTIONS = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
const NAMESPACES = '/api/v1/namespaces';
const GRACE_MS = 60_000;
for (const host of ONE_RELEASE)
  describeWith(host.apiserver)(`lost at Kubernetes ${host.release}`, () => {
    let cluster: OwnHost;
    let behind: Behind;
    let context: ManagementContext<'projectNamespacePrefix'>;
    let age = 0;
    const asked = new Map<string, number>();
    const cancels: (() => void)[] = [];

    beforeAll(async () => {
      cluster = await startHost(host);
      behind = await openAggregatedParts(cluster.kubeconfig);
      const { registry, client } = behind;
      const quiet = { info: () => undefined, warn: () => undefined };
      context = {
        client: controllerClient(registry.stores, 'test', hostResources(client, registry)),

        log: quiet,
        projectNamespacePrefix: 'loft-p-',
        onStop: (end) => void cancels.push(end),
        enqueue: (key, afterMs = 0) => void asked.set(key, afterMs),
        follow: (resource, follower) => void cancels.push(resource.follow(follower).cancel),
        now: () => Date.now() + age,
        every: () => undefined,
      };
    });

    afterAll(async () => {
      for (const cancel of cancels) cancel();
      await behind?.close();
      await cluster?.stop();
    });

    const hasSecret = async (namespace: string): Promise<boolean> =>
      (await readStored(behind.store('sharedsecrets'), { namespace, name: 's' })) !== undefined;
    const cached = (namespace: string): boolean =>
      resourceOf(context.client, Namespace).cached(clusterScoped(namespace)) !== undefined;
    const createIn = async (namespace: string): Promise<void> => {
      const apiVersion = 'management.svc.example/v1';
      const object = { kind: 'SharedSecret', apiVersion, metadata: { name: 's' }, spec: {} };
      await createObject(behind.store('sharedsecrets'), namespace, object, OPTIONS);
    };
    /** Deletes the namespace. The host does not know the server's kinds here, so it does not delete the objects. */
    const loseNamespace = async (namespace: string): Promise<void> => {
      await cluster.api.send('DELETE', `${NAMESPACES}/${namespace}`);
      await eventually('the end of the namespace', async () => !cached(namespace));
    };

    test('go a minute after they were made, and others stay', async () => {
      const { reconcile } = orphanedObjectsController.start(context);
      for (const name of ['lost', 'there']) {
        await cluster.api.send('POST', NAMESPACES, { metadata: { name } });
        await createIn(name);
      }
      expect(asked.has('lost')).toBe(false);
      await loseNamespace('lost');
      await eventually('the namespace to be looked at', async () => asked.get('lost') === GRACE_MS);
      await reconcile('lost');
      expect(await hasSecret('lost')).toBe(true);
      age = GRACE_MS;
      for (const name of ['lost', 'there']) await reconcile(name);
      expect(await hasSecret('lost')).toBe(false);
      expect(await hasSecret('there')).toBe(true);
    });

    test('stay where a project makes its namespace anew', async () => {
      const { reconcile } = orphanedObjectsController.start(context);
      age = GRACE_MS;
      const web = { kind: 'Project', apiVersion: 'management.svc.example/v1', metadata: { name: 'web' } };
      const role = { metadata: { name: 'management-project-admin' }, rules: [] };
      await cluster.api.send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', role);
      await createObject(behind.store('projects'), '', web, OPTIONS);
      await createIn('loft-p-web');
      await loseNamespace('loft-p-web');
      await reconcile('loft-p-web');
      expect(await hasSecret('loft-p-web')).toBe(true);
    });

    test('are looked for when the controller starts, and stay while the host cannot be listed', async () => {
      await cluster.api.send('POST', NAMESPACES, { metadata: { name: 'away' } });
      await createIn('away');
      await loseNamespace('away');
      asked.clear();
      const { reconcile } = orphanedObjectsController.start(context);
      expect(asked.get('away')).toBe(GRACE_MS);
      age = GRACE_MS;
      const namespaces = behind.registry.hostCaches.find(({ prefix }) => prefix.endsWith('/namespaces/'));
      await cluster.stopApiserver();
      await eventually('the loss of the host', async () => namespaces?.whole.healthy() === false);
      await expect(reconcile('away')).rejects.toThrow();
      expect(await hasSecret('away')).toBe(true);
    });
  });
