/** Quotas of a project, on each engine; on etcd two servers enforce them together. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { impersonating, type Reply } from '../../fixtures/clients/impersonation.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../fixtures/stores/etcd.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const bytes = (length: number): string => Buffer.alloc(length, 'x').toString('base64');

const engines = [
  { engine: 'embedded', shared: false, run: describe },
  { engine: 'etcd', shared: true, run: etcdIsThere() ? describe : describe.skip },
];
for (const { engine, shared, run } of engines) {
  run(`on ${engine}`, () => {
    let etcd: EtcdFixture | undefined;
    let servers: ServerFixture[] = [];
    let requests = 0;

    beforeAll(async () => {
      etcd = shared ? await startEtcd() : undefined;
      const store = etcd === undefined ? {} : { etcdServers: etcd.endpoint };
      const controllers = 'shared-secret-sync-controller';
      servers = await Promise.all(
        Array.from({ length: shared ? 2 : 1 }, () => startServer({ ...store, controllers })),
      );
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.remove()));
      await etcd?.stop();
    });

    /** Sends requests to the servers in turn. */
    const send = <T = { message: string }>(method: string, path: string, body?: unknown): Promise<Reply<T>> =>
      impersonating(servers[requests++ % servers.length] as ServerFixture).send<T>(method, path, body);
    async function project(name: string, quotas: object): Promise<void> {
      const { status } = await send('POST', `${API}/projects`, { metadata: { name }, spec: { quotas } });
      expect(status).toBe(201);
      for (const server of servers)
        await eventually('the project', async () => {
          const { status: found } = await impersonating(server).send(
            'GET',
            `${API}/projects/${name}?resourceVersion=0`,
          );
          return found === 200;
        });
    }
    const own = (project: string, plural: string): string => `${API}/namespaces/loft-p-${project}/${plural}`;
    const core = (project: string, plural: string): string =>
      `/api/v1/namespaces/loft-p-${project}/${plural}`;
    const named = (spec: object = {}) => ({ metadata: { generateName: 'a-' }, ...spec });

    test('objects of a kind are counted', async () => {
      await project('counted', { objects: { configmaps: 1, 'sharedsecrets.management.svc.example': 0 } });
      expect((await send('POST', core('counted', 'configmaps'), named())).status).toBe(201);
      const second = await send('POST', core('counted', 'configmaps'), named());
      expect([second.status, second.body.message]).toEqual([
        403,
        expect.stringContaining(
          'exceeded quota of project "counted": requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
        ),
      ]);
      expect((await send('POST', own('counted', 'sharedsecrets'), named())).status).toBe(403);
      expect((await send('POST', own('counted', 'projectsecrets'), named())).status).toBe(201);
      expect((await send('POST', '/api/v1/namespaces/default/configmaps', named())).status).toBe(201);
      const dry = await send('POST', `${own('counted', 'sharedsecrets')}?dryRun=All`, named());
      expect(dry.status).toBe(403);
    });

    test('instances are counted together, and a deleted one makes room', async () => {
      await project('instances', { instances: 2 });
      const first = await send<{ metadata: { name: string } }>(
        'POST',
        own('instances', 'spaceinstances'),
        named(),
      );
      expect((await send('POST', own('instances', 'virtualclusterinstances'), named())).status).toBe(201);
      expect((await send('POST', own('instances', 'spaceinstances'), named())).status).toBe(403);
      await send('DELETE', `${own('instances', 'spaceinstances')}/${first.body.metadata.name}`);
      expect((await send('POST', own('instances', 'virtualclusterinstances'), named())).status).toBe(201);
    });

    test('instances that are moved into a project count there', async () => {
      await project('from', {});
      await project('into', { instances: 1 });
      for (const name of ['one', 'two'])
        await send('POST', own('from', 'spaceinstances'), { metadata: { name } });
      const move = (name: string): Promise<Reply<{ message: string }>> =>
        send('POST', `${API}/projects/into/migratespaceinstance`, {
          sourceSpaceInstance: { name, namespace: 'loft-p-from' },
        });
      const [first, second] = [await move('one'), await move('two')];
      expect([first.status, second.status]).toEqual([201, 403]);
      expect(second.body.message).toContain('used: instances=1, limited: instances=1');
      expect((await send('GET', `${own('from', 'spaceinstances')}/two`)).status).toBe(200);
    });

    test('bytes of secrets of all kinds are counted, decoded, also where they grow', async () => {
      await project('bytes', { secretBytes: 100 });
      const path = own('bytes', 'projectsecrets');
      const secret = (name: string, length: number) => ({
        metadata: { name },
        spec: { data: { a: bytes(length) } },
      });
      expect((await send('POST', path, secret('a', 40))).status).toBe(201);
      expect((await send('POST', own('bytes', 'sharedsecrets'), secret('b', 30))).status).toBe(201);
      expect((await send('POST', core('bytes', 'secrets'), named({ data: { a: bytes(31) } }))).status).toBe(
        403,
      );
      expect((await send('POST', core('bytes', 'secrets'), named({ data: { a: bytes(30) } }))).status).toBe(
        201,
      );
      const grown = await send('PATCH', `${path}/a`, { spec: { data: { b: bytes(1) } } });
      expect([grown.status, grown.body.message]).toEqual([
        403,
        expect.stringContaining('requested: secretBytes=1, used: secretBytes=100, limited: secretBytes=100'),
      ]);
      expect((await send('PATCH', `${path}/a`, { spec: { displayName: 'x' } })).status).toBe(200);
      expect((await send('PATCH', `${path}/a`, { spec: { data: { a: bytes(39) } } })).status).toBe(200);
      expect((await send('PATCH', `${path}/a`, { spec: { data: { b: bytes(1) } } })).status).toBe(200);
    });

    test.each([
      ['secrts', 'did you mean secrets?; counted are configmaps, events, '],
      ['sharedsecret', 'did you mean sharedsecrets.management.svc.example?'],
      ['projectsecrets', 'did you mean projectsecrets.management.svc.example?'],
      ['instance', 'did you mean spec.quotas.instances?'],
      ['pods', 'not counted; counted are configmaps, '],
      ['events.events.k8s.io', 'did you mean events?'],
    ])('a limit of %s, which nothing counts, is refused', async (name, why) => {
      const spec = { quotas: { objects: { [name]: 3 } } };
      const { status, body } = await send('POST', `${API}/projects`, named({ spec }));
      expect([status, body.message]).toEqual([422, expect.stringContaining(why)]);
    });

    test('their use is told to members, and to nobody else', async () => {
      const objects = { 'sharedsecrets.management.svc.example': 5, configmaps: 2 };
      await project('told', { instances: 4, secretBytes: 100, objects });
      const members = [{ kind: 'User', name: 'mia', clusterRole: 'management-project-viewer' }];
      await send('PATCH', `${API}/projects/told`, { spec: { members } });
      await send('POST', own('told', 'spaceinstances'), named());
      await send('POST', own('told', 'virtualclusterinstances'), named());
      await send('POST', own('told', 'sharedsecrets'), named({ spec: { data: { a: bytes(7) } } }));
      await send('POST', core('told', 'configmaps'), named());
      const read = (user: string) =>
        impersonating(servers[0] as ServerFixture, user).send('GET', `${API}/projects/told/usage`);
      expect(await read('mia')).toMatchObject({
        status: 200,
        body: {
          kind: 'ProjectUsage',
          usage: [
            { name: 'instances', used: 2, hard: 4 },
            { name: 'secretBytes', used: 7, hard: 100 },
            { name: 'configmaps', used: 1, hard: 2 },
            { name: 'sharedsecrets.management.svc.example', used: 1, hard: 5 },
          ],
        },
      });
      expect((await read('eve')).status).toBe(403);
    });

    test('of many writers at the limit as many win as there is room', async () => {
      await project('crowded', { objects: { configmaps: 7 }, secretBytes: 5 });
      const secrets = own('crowded', 'sharedsecrets');
      await send('POST', secrets, { metadata: { name: 'grows' } });
      const creates = Array.from({ length: 30 }, () => send('POST', core('crowded', 'configmaps'), named()));
      const updates = Array.from({ length: 12 }, (_, at) =>
        send('PATCH', `${secrets}/grows`, { spec: { data: { [`k${at}`]: bytes(1) } } }),
      );
      const count = async (sent: Promise<Reply<unknown>>[], status: number): Promise<number> =>
        (await Promise.all(sent)).filter((one) => one.status === status).length;
      expect([await count(creates, 201), await count(creates, 403)]).toEqual([7, 23]);
      expect([await count(updates, 200), await count(updates, 403)]).toEqual([5, 7]);
      type Listed = { items: unknown[] };
      expect((await send<Listed>('GET', core('crowded', 'configmaps'))).body.items).toHaveLength(7);
    });

    test('a mirror that would be too large says so', async () => {
      await project('mirrored', { secretBytes: 10 });
      await send('POST', `${API}/namespaces/default/sharedsecrets`, {
        metadata: { name: 'large' },
        spec: { data: { a: bytes(11) } },
      });
      const labels = {
        'management.svc.example/sharedsecret-name': 'large',
        'management.svc.example/sharedsecret-namespace': 'default',
      };
      await send('POST', own('mirrored', 'projectsecrets'), { metadata: { name: 'm', labels } });
      type Mirror = {
        spec: { data?: object };
        status: { conditions?: { reason: string; message: string }[] };
      };
      await eventually('the condition', async () => {
        const { body } = await send<Mirror>('GET', `${own('mirrored', 'projectsecrets')}/m`);
        return (
          body.spec.data === undefined && body.status.conditions?.some(({ reason }) => reason === 'Refused')
        );
      });
    });
  });
}
