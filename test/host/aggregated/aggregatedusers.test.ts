/** Users, roles and service accounts of the host decide what is allowed with the kinds of this server. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ResourceAccessReview } from '../../../api/management.svc.example/v1/resourceaccessreview.js';
import { allow, impersonating, sendingTo } from '../../fixtures/clients/impersonation.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { client } from '../../fixtures/clients/client.js';
import { ONE_RELEASE } from '../../fixtures/host/hostcluster.js';
import { kubectl } from '../../fixtures/clients/kubectl.js';
import { describeWith } from '../../fixtures/program.js';
import { VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const SECRETS = `${API}/namespaces/team/sharedsecrets`;
const VALUES = { data: { a: 'YQ==' } };
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/team';

interface Named {
  readonly metadata: { readonly name: string; readonly uid: string };
}
interface Items {
  readonly items: readonly (Named & {
    readonly metadata: { readonly ownerReferences?: readonly { uid: string }[] };
    readonly rules?: readonly object[];
  })[];
}

for (const release of ONE_RELEASE)
  describeWith(release.apiserver)(`users behind Kubernetes ${release.release}`, () => {
    let aggregated: AggregatedHost;

    beforeAll(async () => {
      aggregated = await startAggregated(release, ours());
      await made(aggregated.host.api, '/api/v1/namespaces', { metadata: { name: 'team' } });
      await allow(aggregated.host, 'writer', 'team', {
        apiGroups: [GROUP],
        resources: ['sharedsecrets'],
        verbs: ['*'],
      });
      for (const name of ['a', 'b', 'c']) await secret(name);
    });
    afterAll(() => aggregated?.stop());

    /** Sends requests through the aggregator. */
    const send = sendingTo(() => aggregated.host);
    async function secret(name: string, access: readonly object[] = [], user?: string): Promise<Named> {
      const { status, body } = await send<Named>(user, 'POST', SECRETS, {
        metadata: { name },
        spec: { ...VALUES, access },
      });
      expect([status, body]).toEqual([201, expect.anything()]);
      return body;
    }
    const seenBy = async (user: string): Promise<string[]> =>
      (await send<Items>(user, 'GET', SECRETS)).body.items.map(({ metadata }) => metadata.name);

    test('a user without rights sees and changes nothing, and is refused as by Kubernetes', async () => {
      const directory = aggregated.directory;
      const nobody = kubectl({ kubeconfig: aggregated.host.kubeconfig, directory, as: 'nobody' });
      expect(nobody.attempt(['get', 'ss', 'a', '-n', 'team']).err).toContain(
        'Error from server (Forbidden): sharedsecrets.management.svc.example "a" is forbidden: User "nobody" cannot get resource "sharedsecrets" in API group "management.svc.example" in the namespace "team"',
      );
      expect(nobody.attempt(['delete', 'ss', 'a', '-n', 'team']).err).toContain('(Forbidden)');
      // The cluster forwards requests of all users; this server authorizes them.
      expect(nobody.attempt(['auth', 'can-i', 'create', 'ss', '-n', 'team']).out).toBe('yes\n');
      expect(await seenBy('nobody')).toEqual([]);
      const { status, body } = await send('nobody', 'POST', SECRETS, { metadata: { name: 'x' }, spec: {} });
      expect([status, body]).toMatchObject([403, { reason: 'Forbidden' }]);
    });

    test('answers 401 to users that the host does not know, and 403 to anonymous ones', async () => {
      expect((await client(aggregated.host, 'no-token').send('GET', SECRETS)).status).toBe(401);
      expect((await client(aggregated, 'no-token').send('GET', SECRETS)).status).toBe(401);
      expect((await client(aggregated, '').send('GET', SECRETS)).status).toBe(403);
    });

    test('a user who may write and not get is shown no more than the metadata', async () => {
      await allow(aggregated.host, 'blind', 'team', {
        apiGroups: [GROUP],
        resources: ['sharedsecrets'],
        verbs: ['update', 'patch', 'delete', 'deletecollection'],
      });
      const hold = { metadata: { name: 'blind', finalizers: ['example.com/hold'] }, spec: VALUES };
      const { body } = await send<Named>(undefined, 'POST', SECRETS, hold);
      const path = `${SECRETS}/blind`;
      const label = { metadata: { labels: { x: 'y' } } };
      const apply = { kind: 'SharedSecret', apiVersion: `${GROUP}/v1`, metadata: { labels: { z: 'y' } } };
      const blind = impersonating(aggregated.host, 'blind');
      for (const { status, body: answer } of [
        await blind.send('PUT', path, body),
        await blind.send('PATCH', path, label),
        await blind.send('PATCH', `${path}?fieldManager=m`, apply, 'application/apply-patch+yaml'),
        await blind.send('DELETE', path),
      ]) {
        expect([status, answer]).toMatchObject([
          200,
          { kind: 'PartialObjectMetadata', metadata: { name: 'blind' } },
        ]);
        expect(JSON.stringify(answer)).not.toMatch(/"spec"|YQ==/);
      }
      const deleted = await send<Items>('blind', 'DELETE', `${SECRETS}?dryRun=All`);
      expect([deleted.status, deleted.body.items.length]).toEqual([200, 4]);
      for (const item of deleted.body.items) expect(item).not.toHaveProperty('spec');
      expect((await send(undefined, 'PATCH', path, { metadata: { finalizers: null } })).status).toBe(200);
    });

    test('headers that anyone may send do not change the user', async () => {
      const headers = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
      const { status, text } = await client(aggregated, '').send('GET', `${SECRETS}/a`, undefined, headers);
      expect([status, text]).toEqual([403, expect.stringContaining('system:anonymous')]);
    });

    test('a Role of the host grants its rules in its namespace', async () => {
      await secret('written', [], 'writer');
      expect(await seenBy('writer')).toEqual(['a', 'b', 'c', 'written']);
      expect((await send('writer', 'DELETE', `${SECRETS}/written`)).status).toBe(200);
      const elsewhere = `${API}/namespaces/default/sharedsecrets`;
      expect((await send('writer', 'POST', elsewhere, { metadata: { name: 'x' }, spec: {} })).status).toBe(
        403,
      );
    });

    test('a token that the host knows will do on both ports', async () => {
      await allow(aggregated.host, 'viewer', 'team', {
        apiGroups: [GROUP],
        resources: ['sharedsecrets'],
        verbs: ['get'],
        resourceNames: ['b'],
      });
      for (const server of [aggregated.host, aggregated]) {
        const viewer = client(server, VIEWER_TOKEN);
        const status = async (name: string): Promise<number> =>
          (await viewer.send('GET', `${SECRETS}/${name}`)).status;
        await eventually('what it may get', async () => (await status('b')) === 200);
        expect(await status('a')).toBe(403);
        const { items } = JSON.parse((await viewer.send('GET', SECRETS)).text) as Items;
        expect(items.map(({ metadata }) => metadata.name)).toEqual(['b']);
      }
    });

    test("a ServiceAccount's token does so, too", async () => {
      const accounts = '/api/v1/namespaces/team/serviceaccounts';
      await made(aggregated.host.api, accounts, { metadata: { name: 'robot' } });
      const { status: issued } = await made<{ status: { token: string } }>(
        aggregated.host.api,
        `${accounts}/robot/token`,
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      );
      const robots = [aggregated.host, aggregated].map((server) => client(server, issued.token));
      const statuses = (): Promise<number[]> =>
        Promise.all(robots.map(async (robot) => (await robot.send('GET', `${SECRETS}/a`)).status));
      expect(await statuses()).toEqual([403, 403]);
      await allow(aggregated.host, 'system:serviceaccount:team:robot', 'team', {
        apiGroups: [GROUP],
        resources: ['sharedsecrets'],
        verbs: ['get'],
      });
      await eventually('its right', async () => (await statuses()).every((status) => status === 200));
    });

    test('who can do something is told by the roles of the host, but for those of the proxy', async () => {
      const people = ['writer', 'reader', 'nobody'];
      await allow(aggregated.host, 'reader', 'team', {
        apiGroups: [GROUP],
        resources: ['sharedsecrets'],
        verbs: ['get'],
      });
      const spec = { verb: 'get', group: GROUP, resource: 'sharedsecrets', namespace: 'team', name: 'a' };
      const asked = { metadata: {}, spec };
      const ask = async (user?: string): Promise<Required<ResourceAccessReview>['status']> =>
        (await send<Required<ResourceAccessReview>>(user, 'POST', `${API}/resourceaccessreviews`, asked)).body
          .status;
      const { incomplete, unread, ways = [] } = await ask();
      expect([incomplete, unread]).toEqual([true, undefined]);
      expect(JSON.stringify(ways)).not.toContain('management:host:requests:all');
      const isNamed = people.map((user) => ways.some(({ steps: [who] }) => who?.name === user));
      const reads = people.map(async (user) => (await send(user, 'GET', `${SECRETS}/a`)).status === 200);
      expect(isNamed).toEqual(await Promise.all(reads));
      expect(isNamed).toEqual([true, true, false]);
      expect(await ask('nobody')).toEqual({
        allowed: false,
        ways: [],
        unread: ['object', 'rolebindings', 'roles', 'clusterrolebindings', 'clusterroles'],
        incomplete: true,
      });
    });

    test('a user sees a secret that is shared with them at once, and Roles of the host follow', async () => {
      const rule = { verbs: ['get'], subresources: ['*'], users: ['guest'] };
      const { metadata } = await secret('shared', [rule]);
      expect(await seenBy('guest')).toEqual(['shared']);
      expect((await send('guest', 'GET', `${SECRETS}/shared`)).status).toBe(200);
      expect((await send('guest', 'GET', `${SECRETS}/a`)).status).toBe(403);
      expect((await send('guest', 'DELETE', `${SECRETS}/shared`)).status).toBe(403);
      for (const plural of ['roles', 'rolebindings'])
        await eventually(`its ${plural}`, async () => {
          const { body } = await send<Items>(undefined, 'GET', `${ROLES}/${plural}`);
          return body.items.some((one) =>
            one.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid),
          );
        });
    });

    test('a revoked right ends within a second', async () => {
      const rule = { verbs: ['get'], users: ['former'] };
      await secret('once', [rule]);
      const asks = async (): Promise<number> => (await send('former', 'GET', `${SECRETS}/once`)).status;
      expect(await asks()).toBe(200);
      expect((await send(undefined, 'PATCH', `${SECRETS}/once`, { spec: { access: [] } })).status).toBe(200);
      await eventually('the end of the right', async () => (await asks()) === 403);
      expect(await seenBy('former')).toEqual([]);
    });

    test('the Roles are removed with their objects', async () => {
      const { metadata } = await secret('gone', [{ verbs: ['get'], users: ['guest'] }]);
      expect((await send(undefined, 'DELETE', `${SECRETS}/gone`)).status).toBe(200);
      await eventually('the end of its Roles', async () => {
        const { body } = await send<Items>(undefined, 'GET', `${ROLES}/roles`);
        return !JSON.stringify(body).includes(metadata.uid);
      });
    });
  });
