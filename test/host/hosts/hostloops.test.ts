/** Controllers that reconcile objects of a real host. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import { controllerClient } from '../../../pkg/controllers/client/registryclient.js';
import { hostResources } from '../../../pkg/controllers/client/hostclients.js';
import { hostSecret } from '../../../pkg/management/clusters/client/hostsecret.js';
import { connectHost } from '../../../pkg/hostclient/connect.js';
import { roleName } from '../../../pkg/management/sharing/managednames.js';
import { accessRulesController, ownerIn } from '../../../pkg/management/sharing/controller/accessrules.js';
import { resourceOf, type CachedObject, type Client } from '../../../pkg/controllers/interface.js';
import { runElection } from '../../../pkg/controllers/leaderelection.js';
import { projectController } from '../../../pkg/management/projects/controller/controller.js';
import { runControllers, type RunningControllers } from '../../../pkg/controllers/run.js';
import {
  removeOrphan,
  orphanIn,
  orphanKey,
  type Orphan,
} from '../../../pkg/management/sharing/controller/orphanedroles.js';
import { createObject } from '../../../pkg/registry/generic/create.js';
import { deleteObject } from '../../../pkg/registry/generic/delete.js';
import { readStored } from '../../../pkg/registry/resourcestore.js';
import { hostOfParts, openAggregatedParts, type Behind } from '../../fixtures/host/aggregatedparts.js';
import { ONE_RELEASE, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { writeKubeconfig } from '../../fixtures/host/hostfiles.js';
import { describeWith } from '../../fixtures/program.js';
import { VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { objectRole } from '../../fixtures/objects/objectroles.js';
import { eventually } from '../../fixtures/wait.js';
import { Role } from '../../../api/rbac.authorization.k8s.io/v1/role.js';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { Namespace } from '../../../api/core/v1/namespace.js';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
const OPTIONS = {
  requester: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
const UID = '01234567-89ab-4cde-8f01-23456789abcd';
const QUIET = { info: () => undefined, warn: () => undefined };
for (const host of ONE_RELEASE)
  describeWith(host.apiserver)(`loops at Kubernetes ${host.release}`, () => {
    let cluster: HostCluster;
    let behind: Behind;
    let loops: RunningControllers;

    const clientFor = (user: string): Client => {
      const { registry, client } = behind;
      return controllerClient(registry.stores, user, hostResources(client, registry));
    };
    const read = async (path: string): Promise<KubeObject | undefined> => {
      const { status, text } = await cluster.api.send('GET', path);
      return status === 200 ? (JSON.parse(text) as KubeObject) : undefined;
    };
    const start = (): RunningControllers =>
      runControllers(
        [accessRulesController, projectController],
        { clientFor, log: QUIET },
        { projectNamespacePrefix: 'loft-p-' },
      );

    beforeAll(async () => {
      cluster = await hostOfParts(host);
      behind = await openAggregatedParts(cluster.kubeconfig);
      loops = start();
    });

    afterAll(async () => {
      await loops?.stop();
      await behind?.close();
      await cluster?.stop();
    });

    test('roles that others changed or removed are restored, and orphaned roles are deleted', async () => {
      const spec = { access: [{ name: 'read', verbs: ['get'], users: ['jo'] }] };
      const object = {
        kind: 'SharedSecret',
        apiVersion: 'management.svc.example/v1',
        metadata: { name: 's' },
      };
      await createObject(behind.store('sharedsecrets'), 'default', { ...object, spec }, OPTIONS);
      const { name } = (
        await eventually('its role', () => objectRole(read, ROLES, ['sharedsecrets', 's', 0]))
      ).metadata;
      const path = `${ROLES}/${name}`;
      const verbs = async (): Promise<string | undefined> =>
        ((await read(path))?.rules as { verbs: string[] }[] | undefined)?.[0]?.verbs.join(',');
      const role = (await read(path)) as KubeObject;
      const { resourceVersion: _version, ...metadata } = role.metadata;
      const wide = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
      await cluster.api.send('PUT', path, { ...role, metadata, rules: wide });
      await eventually('the role as it was', async () => (await verbs()) === 'get');
      await cluster.api.send('DELETE', path);
      await eventually('the role again', async () => (await verbs()) === 'get');
      await loops.stop();
      const unwanted = name?.replace(/0$/, '7');
      const stray = `${ROLES}/${unwanted}`;
      await cluster.api.send('POST', ROLES, {
        metadata: {
          name: unwanted,
          labels: { 'app.kubernetes.io/managed-by': 'management-apiserver' },
        },
        rules: wide,
      });
      loops = start();
      await eventually('the end of the stray', async () => (await read(stray)) === undefined);
    });

    test('a role whose object was never created is deleted, if it is ours and unchanged', async () => {
      const client = clientFor('test');
      const roles = resourceOf(client, Role);
      const kinds = new Map([['sharedsecrets', resourceOf(client, SharedSecret)]]);
      const make = async (name: string, labels: object): Promise<CachedObject> => {
        await cluster.api.send('POST', ROLES, { metadata: { name, labels }, rules: [] });
        return eventually(name, async () => roles.cached({ namespace: 'default', name }));
      };
      const ours = { 'app.kubernetes.io/managed-by': 'management-apiserver' };
      const foreign = await make(roleName('sharedsecrets', 'absent', UID, 0), {});
      const stray = await make(roleName('sharedsecrets', 'absent', UID, 1), ours);
      const look = (role: CachedObject, change = {}): Promise<void> =>
        removeOrphan(client, (one) => ownerIn(kinds, one), {
          ...(orphanIn(orphanKey(roles, role)) as Orphan),
          ...change,
        });
      await look(foreign);
      await look(stray, { revision: '1' });
      expect(await read(`${ROLES}/${foreign.name}`)).toBeDefined();
      expect(await read(`${ROLES}/${stray.name}`)).toBeDefined();
      await look(stray);
      expect(await read(`${ROLES}/${stray.name}`)).toBeUndefined();
    });

    test('a project ends after its namespace, which the host empties', async () => {
      const projects = behind.store('projects');
      const role = { metadata: { name: 'management-project-admin' }, rules: [] };
      await cluster.api.send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', role);
      const project = { kind: 'Project', apiVersion: 'management.svc.example/v1', metadata: { name: 'p' } };
      await createObject(projects, '', project, OPTIONS);
      const held = { metadata: { name: 'held', finalizers: ['example.com/held'] } };
      await cluster.api.send('POST', '/api/v1/namespaces/loft-p-p/configmaps', held);
      await deleteObject(projects, clusterScoped('p'), { dryRun: [], preconditions: {} }, OPTIONS);
      await eventually('the deletion of the namespace', async () =>
        Boolean((await read('/api/v1/namespaces/loft-p-p'))?.metadata.deletionTimestamp),
      );
      expect(await readStored(projects, clusterScoped('p'))).toBeDefined();
      await cluster.api.send(
        'PATCH',
        '/api/v1/namespaces/loft-p-p/configmaps/held',
        { metadata: { finalizers: null } },
        {
          'content-type': 'application/merge-patch+json',
        },
      );
      await eventually(
        'the end of the project',
        async () => (await readStored(projects, clusterScoped('p'))) === undefined,
      );
      expect(await read('/api/v1/namespaces/loft-p-p')).toBeUndefined();
    });

    test('one of two candidates leads, by a Lease of the host', async () => {
      const led: string[] = [];
      const elect = (identity: string): ReturnType<typeof runElection> =>
        runElection({
          client: clientFor('leader-election'),
          identity,
          log: QUIET,
          namespace: 'kube-system',
          started: () => void led.push(identity),
          stopped: () => Promise.resolve(),
        });
      const first = elect('one');
      await eventually('a leader', async () => led.length === 1);
      const second = elect('two');
      const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/management-controllers';
      expect((await read(lease))?.spec).toMatchObject({ holderIdentity: 'one' });
      await first.stop();
      await eventually('the other', async () => led[1] === 'two');
      await second.stop();
    });

    test('writes of controllers report conflicts', async () => {
      const namespaces = resourceOf(clientFor('test'), Namespace);
      const object = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'loop' } };
      await namespaces.create('', object);
      await expect(namespaces.create('', object)).rejects.toMatchObject({ code: 409 });
      const change = (copy: KubeObject): KubeObject => {
        copy.metadata.labels = { ...copy.metadata.labels, a: 'b' };
        return copy;
      };
      await namespaces.update(clusterScoped('loop'), change);
      expect((await namespaces.live(clusterScoped('loop')))?.metadata.labels).toMatchObject({ a: 'b' });
      await expect(namespaces.update(clusterScoped('none'), change)).rejects.toMatchObject({
        code: 404,
      });
      await expect(namespaces.delete(clusterScoped('loop'), { uid: 'other' })).rejects.toMatchObject({
        code: 409,
      });
      await namespaces.delete(clusterScoped('loop'), {});
      await expect(namespaces.delete(clusterScoped('none'), {})).rejects.toMatchObject({ code: 404 });
    });

    test('a Secret is read, or the reason why not is reported', async () => {
      const data = { a: Buffer.from('b').toString('base64') };
      await cluster.api.send('POST', '/api/v1/namespaces/default/secrets', {
        metadata: { name: 'sec' },
        data,
      });
      const read = hostSecret(behind.client);
      const inDefault = (name: string) => ({ namespace: 'default', name });
      expect(await read(inDefault('sec'))).toMatchObject({ data });
      expect(await read(inDefault('none'))).toBeUndefined();
      const { caFile } = cluster.certificates;
      const kubeconfig = writeKubeconfig(cluster.directory, cluster.url, caFile, VIEWER_TOKEN, 'viewer');
      const viewer = await connectHost({ kubeconfig });
      await expect(hostSecret(viewer)(inDefault('sec'))).rejects.toMatchObject({
        code: 403,
        message: expect.stringContaining('User "viewer" cannot get resource "secrets"'),
      });
      viewer.close();
      await expect(hostSecret(viewer)(inDefault('sec'))).rejects.toMatchObject({ code: 504 });
    });
  });
