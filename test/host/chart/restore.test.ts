/** docs/restore.md, "Restore a backup with the chart": its commands, in a cluster whose etcd has lost everything. */
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.js';
import { made, untilAvailable } from '../../fixtures/host/apiservice.js';
import { noContainers, type Container } from '../../fixtures/host/container.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { ofPart, type PodObject } from '../../fixtures/host/hostpods.js';
import { InstalledChart, NAMESPACE, RELEASE } from '../../fixtures/host/installedchart.js';
import { claimFolder } from '../../fixtures/host/podcontainers.js';
import { scriptsUnder } from '../../fixtures/docs/docssteps.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const PAGE = readPage('docs/restore.md');
const [restoreFromVolume = '', wait = '', adopt = '', read = '', finish = '', restoreFromSecret = ''] =
  scriptsUnder(PAGE, 'Restore a backup with the chart');
const GROUP = { group: 'management.svc.example', version: 'v1', plural: 'sharedsecrets' };
const STORE_LEASE = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/management-store`;
const OBJECTS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const VALUES = ['backup.enabled=true', 'backup.claimName=backups'];
const MINUTES_4 = 240_000;

const hindrance = noContainers();
if (hindrance !== undefined) console.warn(`the chart's Pods are NOT RUN: ${hindrance}`);
const suite = hindrance === undefined ? describeWith('etcd', 'helm', NEWEST_HOST.apiserver) : describe.skip;
suite('a restore with the chart', () => {
  let chart: InstalledChart;
  let server: Container;
  let etcd: Container;
  let backup: string;

  const flagged = (flag: string, is: boolean) => (pod: PodObject) =>
    pod.spec.containers[0]?.args?.includes(flag) === is;
  const object = (name: string): Promise<number> =>
    eventually('an answer for the object', async () => {
      const { status } = await chart.host.api.send('GET', `${OBJECTS}/${name}`);
      return status === 200 || status === 404 ? status : undefined;
    });
  const mark = async (): Promise<string | undefined> =>
    /"annotations":{[^}]*}/.exec((await chart.host.api.send('GET', STORE_LEASE)).text)?.[0];
  /** The cluster notes a write some time after it. */
  async function makeNoted(name: string): Promise<void> {
    const before = await mark();
    await made(chart.host.api, OBJECTS, { metadata: { name }, spec: {} });
    await eventually('that the cluster notes it', async () => (await mark()) !== before);
  }
  const step = async (script: string): Promise<string> => {
    const { code, out, err } = await chart.run(script);
    if (code !== 0) throw new Error(`${script}: ${err}`);
    return out;
  };

  /** Steps 2 to 5, and what the node of a cluster does meanwhile. */
  async function goOn(): Promise<string> {
    await server.stop();
    const ended = chart.finish(await chart.pod('the restore', ofPart('restore')));
    await step(wait);
    expect(await ended).toMatch(/restored \d+ records/);
    await step(adopt);
    server = await chart.startPart('server', flagged('--adopt-store', true));
    await untilAvailable(chart.host.api, GROUP);
    await object('before');
    writeFileSync(join(chart.home, 'server.log'), server.log());
    const adopted = await step(read);
    await step(finish);
    await server.stop();
    server = await chart.startPart('server', flagged('--adopt-store', false));
    await untilAvailable(chart.host.api, GROUP);
    return adopted;
  }

  beforeAll(async () => {
    chart = await InstalledChart.start(NEWEST_HOST);
    expect(await chart.helm('install', ...VALUES)).toMatchObject({ code: 0 });
    const starting = chart.startPart('server');
    etcd = await chart.startPart('etcd');
    server = await starting;
    await untilAvailable(chart.host.api, GROUP);
    await made(chart.host.api, OBJECTS, { metadata: { name: 'before' }, spec: { data: { a: 'YQ==' } } });
    const job = ['create', 'job', `--from=cronjob/${RELEASE}-backup`, 'backup'];
    expect(chart.kubectl(...job)).toMatchObject({ code: 0 });
    await chart.finish(await chart.pod('the backup', ofPart('backup')));
    await makeNoted('after');
    backup = readdirSync(claimFolder(chart.host, 'backups')).find((name) => name.endsWith('.backup')) ?? '';
  }, MINUTES_4);
  afterAll(() => chart?.stop());

  test(
    'fills an etcd that lost everything, and the servers serve it',
    async () => {
      await etcd.stop();
      rmSync(claimFolder(chart.host, `data-${RELEASE}-etcd-0`), { recursive: true });
      etcd = await chart.startPart('etcd');
      await eventually('that the servers refuse it', () =>
        Promise.resolve(/the store is empty/.test(server.log())),
      );
      await step(restoreFromVolume.replace(/management-\S+\.backup/, backup));
      expect(await goOn()).toContain('adopted');
      expect([await object('before'), await object('after')]).toEqual([200, 404]);
    },
    MINUTES_4,
  );

  test(
    'goes back to a backup in a Secret beside what etcd has',
    async () => {
      await makeNoted('later');
      mkdirSync(chart.home, { recursive: true });
      copyFileSync(join(claimFolder(chart.host, 'backups'), backup), join(chart.home, 'management.backup'));
      await step(restoreFromSecret);
      expect(await goOn()).toContain('adopted');
      expect([await object('before'), await object('later')]).toEqual([200, 404]);
    },
    MINUTES_4,
  );
});
