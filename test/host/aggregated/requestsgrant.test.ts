/** The cluster forwards requests of all users for the server's kinds, and this server authorizes them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { PROXY_GRANT, objectOfRole } from '../../../pkg/management/sharing/managednames.js';
import { impersonating, allow, sendingTo } from '../../fixtures/clients/impersonation.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { client } from '../../fixtures/clients/client.js';
import { HOST_RELEASES, NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const SECRETS = `${API}/namespaces/team/sharedsecrets`;
const apiGroup = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${apiGroup}/v1`;
const WITHIN = `${RBAC}/namespaces/team`;

interface Items {
  readonly items: readonly KubeObject[];
}

for (const release of HOST_RELEASES)
  describeWith(release.apiserver)(`requests of everybody behind Kubernetes ${release.release}`, () => {
    let aggregated: AggregatedHost;

    beforeAll(async () => {
      aggregated = await startAggregated(release, ours());
      await made(aggregated.host.api, '/api/v1/namespaces', { metadata: { name: 'team' } });
      for (const user of ['anna', 'otto'])
        await allow(aggregated.host, user, 'team', {
          apiGroups: [GROUP],
          resources: ['sharedsecrets'],
          verbs: ['create'],
        });
      await allow(aggregated.host, 'anna', '', {
        apiGroups: [GROUP],
        resources: ['projects'],
        verbs: ['create'],
      });
      for (const name of ['old', 'new']) await share('anna', name, [{ verbs: ['get'], users: ['bob'] }]);
      const project = { metadata: { name: 'old' }, spec: { owner: { user: 'anna' } } };
      expect(await statusOf('anna', 'POST', `${API}/projects`, project)).toBe(201);
    });
    afterAll(() => aggregated?.stop());

    /** Sends requests through the aggregator. */
    const send = sendingTo(() => aggregated.host);
    const statusOf = async (...asked: Parameters<typeof send>): Promise<number> =>
      (await send(...asked)).status;
    const rolesOf = async (object: string, plural = `${WITHIN}/roles`): Promise<string[]> => {
      const { items } = (await send<Items>(undefined, 'GET', plural)).body;
      return items
        .map(({ metadata }) => metadata.name ?? '')
        .flatMap((name) => (objectOfRole(name)?.name === object ? [name.replace(/^.*:/, '')] : []))
        .sort();
    };
    async function share(user: string, name: string, access: readonly object[] = []): Promise<void> {
      const spec = { owner: { user }, data: { a: 'YQ==' }, access };
      const { status, body } = await send(user, 'POST', SECRETS, { metadata: { name }, spec });
      expect([status, body]).toEqual([201, expect.anything()]);
    }

    test('rules of equal rights share one role, which follows the object', async () => {
      await share('anna', 'shared', [
        { verbs: ['get'], users: ['bob'] },
        { verbs: ['get'], users: ['carl'] },
        { verbs: ['update', 'get'], users: ['dora'] },
      ]);
      for (const user of ['anna', 'bob', 'carl', 'dora'])
        expect([user, await statusOf(user, 'GET', `${SECRETS}/shared`)]).toEqual([user, 200]);
      const there = async (parts: string): Promise<boolean> =>
        (await rolesOf('shared')).join() === parts &&
        (await rolesOf('shared', `${WITHIN}/rolebindings`)).join() === parts;
      await eventually('its roles', () => there('0,1'));
      const access = [{ verbs: ['get'], users: ['bob'] }];
      expect(await statusOf('anna', 'PATCH', `${SECRETS}/shared`, { spec: { access } })).toBe(200);
      // A revoked right ends with the response to the revocation, whatever other roles remain.
      for (const user of ['carl', 'dora'])
        expect([user, await statusOf(user, 'GET', `${SECRETS}/shared`)]).toEqual([user, 403]);
      await eventually('the end of one', () => there('0'));
      expect(await statusOf('anna', 'DELETE', `${SECRETS}/shared`)).toBe(200);
      await eventually('the end of all', () => there(''));
    });

    test('a user who is neither owner nor named has no rights, whatever requests the cluster allows', async () => {
      const name = `${SECRETS}/old`;
      const project = `${API}/projects/old`;
      const body = { metadata: { name: 'x' }, spec: {} };
      const asked: readonly (readonly [string, string, object?])[] = [
        ['GET', name],
        ['PUT', name, { ...body, metadata: { name: 'old' } }],
        ['PUT', `${SECRETS}/x`, body],
        ['PATCH', name, { spec: { displayName: 'x' } }],
        ['PATCH', `${name}/status`, { status: {} }],
        ['DELETE', name],
        ['POST', SECRETS, body],
        ['DELETE', SECRETS],
        ['POST', `${API}/projects`, body],
        ['GET', project],
        ['DELETE', project],
        ['GET', `${project}/clusters`],
        ['POST', `${API}/clusters`, body],
        ['POST', `${API}/users`, body],
        ['POST', `${API}/teams`, body],
        ['GET', `${API}/users/anna`],
        ['DELETE', `${API}/ownedaccesskeys`],
        ['POST', `${API}/ownedaccesskeys`, { ...body, spec: { user: 'anna' } }],
      ];
      for (const [method, path, sent] of asked) {
        const { status } = await send('eve', method, path, sent);
        expect([method, path, [403, 404].includes(status) ? 'refused' : status]).toEqual([
          method,
          path,
          'refused',
        ]);
      }
      for (const list of [SECRETS, `${API}/sharedsecrets`, `${API}/projects`])
        expect([list, (await send<Items>('eve', 'GET', list)).body.items]).toEqual([list, []]);
      expect(await statusOf('anna', 'GET', name)).toBe(200);
    });

    describe('RBAC of the cluster', () => {
      const bind = (name: string, role: string, subject: object): Promise<unknown> =>
        made(aggregated.host.api, `${WITHIN}/rolebindings`, {
          metadata: { name },
          roleRef: { apiGroup, kind: 'Role', name: role },
          subjects: [subject],
        });
      const unbind = (name: string): Promise<number> =>
        statusOf(undefined, 'DELETE', `${WITHIN}/rolebindings/${name}`);
      const gets = async (user: string, expected: number): Promise<void> => {
        await eventually(
          `${user} gets ${expected}`,
          async () => (await statusOf(user, 'GET', `${SECRETS}/old`)) === expected,
        );
      };
      beforeAll(async () => {
        const rules = [{ apiGroups: [GROUP], resources: ['sharedsecrets'], verbs: ['get'] }];
        await made(aggregated.host.api, `${WITHIN}/roles`, { metadata: { name: 'reader' }, rules });
      });

      test.each([
        ['a user', { apiGroup, kind: 'User', name: 'eve' }],
        ['everybody', { apiGroup, kind: 'Group', name: 'system:authenticated' }],
      ])('counts: a binding to %s', async (_what, subject) => {
        await gets('eve', 403);
        await bind('reads', 'reader', subject);
        await gets('eve', 200);
        expect((await send<Items>('eve', 'GET', SECRETS)).body.items.length).toBeGreaterThan(0);
        expect(await unbind('reads')).toBe(200);
        await gets('eve', 403);
        expect((await send<Items>('eve', 'GET', SECRETS)).body.items).toEqual([]);
      });

      test.each([
        ['the role of everybody', 'ClusterRole', () => Promise.resolve(PROXY_GRANT)],
        [
          'a role of an object',
          'Role',
          async () => {
            const { items } = (await send<Items>(undefined, 'GET', `${WITHIN}/roles`)).body;
            return items.map(({ metadata }) => metadata.name ?? '').find((name) => objectOfRole(name)) ?? '';
          },
        ],
      ])('binds %s for the server alone', async (_what, kind, named) => {
        const body = {
          metadata: { name: 'mine' },
          roleRef: { apiGroup, kind, name: await named() },
          subjects: [{ apiGroup, kind: 'User', name: 'eve' }],
        };
        const { status, body: answer } = await send(undefined, 'POST', `${WITHIN}/rolebindings`, body);
        expect([status, answer]).toMatchObject([
          403,
          { message: expect.stringContaining('binds the roles of its own objects') },
        ]);
        await gets('eve', 403);
      });

      test('keeps users who may not escalate from granting rights to these kinds', async () => {
        await allow(aggregated.host, 'chief', 'team', {
          apiGroups: [apiGroup],
          resources: ['roles', 'rolebindings'],
          verbs: ['*'],
        });
        await allow(aggregated.host, 'lead', 'team', {
          apiGroups: [apiGroup],
          resources: ['roles', 'rolebindings'],
          verbs: ['create', 'update', 'patch'],
        });
        const ruleFor = (verb: string) => [
          { apiGroups: [GROUP], resources: ['sharedsecrets'], verbs: [verb] },
        ];
        const rules = ruleFor('get');
        const make = (user: string, name: string, own = rules): Promise<number> =>
          statusOf(user, 'POST', `${WITHIN}/roles`, { metadata: { name }, rules: own });
        expect(await make('lead', 'taken')).toBe(403);
        expect(await make('lead', 'none', [])).toBe(201);
        const patch = await send('lead', 'PATCH', `${WITHIN}/roles/none`, { rules });
        expect([patch.status, patch.body]).toMatchObject([
          403,
          { message: expect.stringContaining('escalate') },
        ]);
        // Verbs that are no requests are in no grant, and Kubernetes itself refuses them.
        const more = await send('lead', 'PATCH', `${WITHIN}/roles/none`, { rules: ruleFor('*') });
        expect([more.status, more.body]).toMatchObject([
          403,
          { message: expect.stringContaining('not currently held') },
        ]);
        expect(await make('chief', 'given')).toBe(201);
      });
    });

    // How often this server asks does not depend on the host.
    if (release !== NEWEST_HOST) return;

    let asked = 0;
    /**
     * The number of access reviews that the server has sent to the host, less those that requests for no object may have
     * caused: the host's aggregator reads the discovery and the schemas when it likes. Each call is such a request, without one.
     */
    const reviews = async (): Promise<number> => {
      const { text } = await client(aggregated).send('GET', '/metrics');
      const sum = (series: RegExp): number => {
        const found = [...text.matchAll(series)];
        expect(found.length).toBeGreaterThan(0);
        return found.reduce((total, [, count]) => total + Number(count), 0);
      };
      asked += 1;
      const sent = sum(/^apiserver_delegated_authz_request_total\{[^}]*\} (\d+)$/gm);
      return sent + asked - sum(/^apiserver_request_total\{(?:[^}]*,)?resource=""[^}]*\} (\d+)$/gm);
    };

    /**
     * The host allows what it is asked before this server has seen the role and its binding, and each of them drops what
     * is cached when it comes. What a user's list shows is by the roles that have come.
     */
    const followed = (user: string): Promise<unknown> =>
      eventually('the role and its binding', async () => {
        const { items } = (await send<Items>(user, 'GET', SECRETS)).body;
        return items.length > 0;
      });

    test('one review in five seconds is for a user, a verb and a namespace, whatever the names', async () => {
      const rules = [{ apiGroups: [GROUP], resources: ['sharedsecrets'], verbs: ['get'] }];
      await made(aggregated.host.api, `${WITHIN}/roles`, { metadata: { name: 'steady' }, rules });
      await made(aggregated.host.api, `${WITHIN}/rolebindings`, {
        metadata: { name: 'steady' },
        roleRef: { apiGroup, kind: 'Role', name: 'steady' },
        subjects: [{ apiGroup, kind: 'User', name: 'steady' }],
      });
      const read = (name: string): Promise<number> => statusOf('steady', 'GET', `${SECRETS}/${name}`);
      await eventually('the right', async () => (await read('old')) === 200);
      await followed('steady');
      // A change of the host's own roles drops what is cached, and begins another measurement.
      await eventually('reads by one review in five seconds', async () => {
        let began = performance.now();
        const first = await reviews();
        await eventually('a review', async () => {
          began = performance.now();
          expect(await read('old')).toBe(200);
          return (await reviews()) > first;
        });
        const before = await reviews();
        for (let at = 0; at < 100; at += 1) expect(await read(at % 2 === 0 ? 'old' : 'new')).toBe(200);
        const later = Math.floor((performance.now() - began) / 5_000);
        return (await reviews()) - before <= later;
      });
    });

    test.each(['through the host', 'on the own port'])(
      'a hundred users at seventy reads a second cause under 25 reviews a second, %s',
      async (port) => {
        const server = port === 'on the own port' ? aggregated : aggregated.host;
        const nameOf = (at: number): string => `${port === 'on the own port' ? 'own' : 'host'}-${at % 100}`;
        const read = async (at: number, name: string): Promise<number> =>
          (await impersonating(server, nameOf(at)).send('GET', `${SECRETS}/${name}`)).status;
        const rules = { apiGroups: [GROUP], resources: ['sharedsecrets'], verbs: ['get'] };
        await made(aggregated.host.api, `${WITHIN}/roles`, { metadata: { name: nameOf(0) }, rules: [rules] });
        await made(aggregated.host.api, `${WITHIN}/rolebindings`, {
          metadata: { name: nameOf(0) },
          roleRef: { apiGroup, kind: 'Role', name: nameOf(0) },
          subjects: Array.from({ length: 100 }, (_, at) => ({ apiGroup, kind: 'User', name: nameOf(at) })),
        });
        await eventually('the right', async () => (await read(99, 'old')) === 200);
        await followed(nameOf(99));
        const before = await reviews();
        const seconds = 5;
        const began = Date.now();
        for (let at = 0; at < seconds * 70; at += 1) {
          const wait = began + (at * 1_000) / 70 - Date.now();
          if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
          expect(await read(at, at % 2 ? 'old' : 'new')).toBe(200);
        }
        const took = Math.max(seconds, (Date.now() - began) / 1_000);
        expect((await reviews()) - before).toBeLessThan(25 * took);
      },
    );
  });
