/** A store that is lost, older, or another one: nobody loses a namespace, and nobody is told that there is nothing. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serverOf, startAggregated } from '../fixtures/aggregatedhost.js';
import type { AggregatedHost } from '../fixtures/aggregatedhost.js';
import { made } from '../fixtures/apiservice.js';
import { ours } from '../fixtures/backends.js';
import { startEtcd, type EtcdFixture } from '../fixtures/etcd.js';
import { HOST_RELEASES } from '../fixtures/hostcluster.js';
import { describeWith } from '../fixtures/program.js';
import { fetchFrom } from '../fixtures/server.js';
import type { ServerProcess } from '../fixtures/serverprocess.js';
import { eventually } from '../fixtures/wait.js';

const MANAGEMENT = '/apis/management.svc.example/v1';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/management-system/leases/management-store';
const BINDING = 'management:project-member:management-project-admin';
/** The host's collector looks for new kinds twice a minute. */
const COLLECTED_MS = 100_000;
const SOON_MS = 30_000;
/** The collector took four seconds for a namespace when it was told that the owner is not there. */
const SURVIVED_MS = 5_000;

interface Found {
  readonly metadata: {
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly object[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

for (const release of HOST_RELEASES)
  describeWith(release.apiserver)(`behind Kubernetes ${release.release}`, () => {
    let behind: AggregatedHost;
    let server: ServerProcess;
    let other: EtcdFixture;
    const uids = new Map<string, string>();

    const get = async (path: string): Promise<{ status: number; text: string }> =>
      behind.host.api.send('GET', path);
    const found = async (path: string): Promise<Found> => JSON.parse((await get(path)).text) as Found;
    const project = async (name: string): Promise<void> => {
      const body = { metadata: { name }, spec: { owner: { user: 'olga' } } };
      await made(behind.host.api, `${MANAGEMENT}/projects`, body);
      const within = `/api/v1/namespaces/loft-p-${name}`;
      await made(behind.host.api, `${within}/configmaps`, { metadata: { name: 'work' }, data: { a: 'b' } });
      uids.set(name, (await found(within)).metadata.uid);
    };
    const note = async (name: string): Promise<void> => {
      await made(behind.host.api, `${MANAGEMENT}/namespaces/default/sharedsecrets`, { metadata: { name } });
    };
    const mark = async (): Promise<number> =>
      Number((await found(LEASE)).metadata.annotations?.['management.svc.example/store-mark']);
    /** Resolves when the cluster has noted what was just written. */
    const noted = async (before: number): Promise<void> => {
      await eventually('a higher mark', async () => (await mark()) > before, SOON_MS);
    };
    const startWith = async (flags: readonly string[], etcd = behind.etcd.endpoint): Promise<void> => {
      await server.stop();
      server = serverOf(ours(flags), behind, behind.kubeconfig, etcd);
      await server.start();
    };
    const serves = async (): Promise<void> => {
      await eventually(
        'objects are served',
        async () => (await get(`${MANAGEMENT}/projects`)).status === 200,
        SOON_MS,
      );
    };
    const ready = async (check = ''): Promise<string> =>
      (await fetchFrom(`${server.url}/readyz${check}`)).text;

    /** Everything of a project in the host is as it was. */
    async function survives(name: string): Promise<void> {
      const within = `/api/v1/namespaces/loft-p-${name}`;
      const { metadata } = await found(within);
      expect([metadata.uid, metadata.deletionTimestamp]).toEqual([uids.get(name), undefined]);
      expect(metadata.ownerReferences).toBeUndefined();
      expect((await get(`${within}/configmaps/work`)).status).toBe(200);
      expect(
        (await get(`/apis/rbac.authorization.k8s.io/v1/namespaces/loft-p-${name}/rolebindings/${BINDING}`))
          .status,
      ).toBe(200);
    }

    /** Whatever is asked is put off, for this reason, and goes on to be; discovery is as ever. */
    async function isRefused(reason: string): Promise<void> {
      const path = `${MANAGEMENT}/projects/web`;
      await eventually(
        `${reason} to be told`,
        async () => (await get(path)).text.includes('--adopt-store'),
        SOON_MS,
      );
      const until = Date.now() + SURVIVED_MS;
      do
        for (const [method, asked] of [
          ['GET', path],
          ['GET', `${MANAGEMENT}/sharedsecrets`],
          ['GET', `${MANAGEMENT}/sharedsecrets?resourceVersion=0`],
          ['GET', `${MANAGEMENT}/sharedsecrets?watch=1`],
          ['DELETE', path],
          ['POST', `${MANAGEMENT}/projects`],
        ] as const) {
          const body = method === 'POST' ? { metadata: { name: 'new' } } : undefined;
          expect([method, asked, (await behind.host.api.send(method, asked, body)).status]).toEqual([
            method,
            asked,
            503,
          ]);
        }
      while (Date.now() < until);
      expect((await get(MANAGEMENT)).status).toBe(200);
      expect(await ready()).toBe('ok');
      expect(await ready('/etcd')).toContain('--adopt-store');
      const metrics = await fetchFrom(`${server.url}/metrics`);
      expect(metrics.text).toContain(`management_apiserver_store_refused{reason="${reason}"} 1`);
      for (const name of uids.keys()) await survives(name);
    }

    beforeAll(async () => {
      behind = await startAggregated(release, ours());
      ({ server } = behind);
      other = await startEtcd();
      const absent = { kind: 'Project', name: 'absent', uid: '00000000-0000-4000-8000-000000000000' };
      const ownerReferences = [{ apiVersion: 'management.svc.example/v1', ...absent }];
      const maps = '/api/v1/namespaces/default/configmaps';
      await made(behind.host.api, maps, { metadata: { name: 'orphan', ownerReferences } });
      await project('web');
      await behind.host.restartControllers();
      await eventually(
        'the collector knows our kinds',
        async () => (await get(`${maps}/orphan`)).status === 404,
        COLLECTED_MS,
      );
    }, 240_000);
    afterAll(async () => {
      await server?.kill();
      await other?.stop();
      await behind?.stop();
    });

    describe('a server that runs', () => {
      test('outlives a lost volume, and serves again when what was there is there again', async () => {
        const before = await mark();
        await note('first');
        await noted(before);
        const backup = await behind.etcd.backUp();
        await serves();
        const watch = fetchFrom(`${server.url}${MANAGEMENT}/projects?watch=1`).then(({ text }) => text);
        await behind.etcd.restore();
        await isRefused('empty');
        await watch;
        await behind.etcd.restore(backup);
        await serves();
        expect((await get(`${MANAGEMENT}/projects/web`)).status).toBe(200);
        await survives('web');
      });

      test('takes an etcd that was away for what it was', async () => {
        await behind.etcd.restart();
        await serves();
        await note('second');
      });

      test('refuses a backup from before a project, and one from before the last write', async () => {
        const older = await behind.etcd.backUp();
        await serves();
        const before = await mark();
        await project('later');
        await noted(before);
        const newer = await behind.etcd.backUp();
        await serves();
        const then = await mark();
        await note('last');
        await noted(then);
        await behind.etcd.restore(newer);
        await isRefused('behind');
        await behind.etcd.restore(older);
        await isRefused('behind');
      });
    });

    test('a server that starts on an older backup refuses it until it is adopted, and says what follows', async () => {
      await startWith([]);
      await isRefused('behind');
      await startWith(['--adopt-store']);
      await serves();
      const log = server.log();
      expect(log).toMatch(/"name":"loft-p-later".*adopted store: is kept/);
      expect(log).toContain('the list of what follows is complete');
      expect((await get(`${MANAGEMENT}/projects/later`)).status).toBe(404);
      expect((await get(`${MANAGEMENT}/projects/web`)).status).toBe(200);
      const within = '/api/v1/namespaces/loft-p-later';
      const again = await behind.host.api.send('POST', `${MANAGEMENT}/projects`, {
        metadata: { name: 'later' },
      });
      expect([again.status, again.text]).toEqual([409, expect.stringContaining('project-held')]);
      await new Promise((resolve) => setTimeout(resolve, SURVIVED_MS));
      expect((await found(within)).metadata).toMatchObject({ uid: uids.get('later') });
      expect((await get(`${within}/configmaps/work`)).status).toBe(200);
      uids.delete('later');
      await startWith([]);
      await serves();
    });

    test.each([
      ['a prefix that is mistyped', ['--etcd-prefix=/managment'], 'empty', false],
      ['an empty etcd', [], 'empty', true],
    ] as [string, string[], string, boolean][])('%s is refused', async (_what, flags, reason, elsewhere) => {
      await startWith(flags, elsewhere ? other.endpoint : undefined);
      await isRefused(reason);
    });

    test('endpoints of two clusters are refused', async () => {
      await startWith([], `${behind.etcd.endpoint},${other.endpoint}`);
      await isRefused('divided');
    });

    test('owners that an earlier release named are taken off before anything is answered', async () => {
      await server.kill();
      const { metadata } = await found(`/api/v1/namespaces/loft-p-web`);
      const uid = metadata.annotations?.['management.svc.example/project-uid'];
      const owner = { apiVersion: 'management.svc.example/v1', kind: 'Project', name: 'web', uid };
      const annotations = { 'management.svc.example/project-held': null };
      const body = { metadata: { ownerReferences: [owner], annotations } };
      const merge = { 'content-type': 'application/merge-patch+json' };
      await behind.host.api.send('PATCH', '/api/v1/namespaces/loft-p-web', body, merge);
      await startWith(['--etcd-prefix=/managment']);
      await isRefused('empty');
      await startWith([]);
      await serves();
      await survives('web');
    });

    test('a project that is deleted takes its namespace with it', async () => {
      await behind.host.api.send('DELETE', `${MANAGEMENT}/projects/web`);
      await eventually(
        'the end of the project',
        async () => (await get(`${MANAGEMENT}/projects/web`)).status === 404,
        COLLECTED_MS,
      );
      expect((await get('/api/v1/namespaces/loft-p-web')).status).toBe(404);
    });
  });
