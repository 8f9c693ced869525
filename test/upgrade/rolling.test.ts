/**
 * Servers of the previous release on one etcd behind a load balancer are replaced one after the other by this release, under
 * load, and go back where the store's format lets them. What a client repeats is what client-go repeats
 * (`test/faults/rollingrestart.test.ts`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openEtcd } from '../../pkg/storage/etcd/open.js';
import { FORMAT_KEY, checkStoreFormat, type StoreFormat } from '../../pkg/storage/storeformat.js';
import { client } from '../fixtures/clients/client.js';
import { CLIENT_LOAD, startLoad, type ClientLoad, type LoadSummary } from '../fixtures/clients/clientload.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../fixtures/stores/etcd.js';
import { objectsAt, plantEveryKind, type Planted } from '../fixtures/objects/everykind.js';
import { listedKinds } from '../fixtures/clients/inventory.js';
import { balance, type LoadBalancer } from '../fixtures/servers/loadbalancer.js';
import { describeWithPreviousRelease, previousRelease } from '../fixtures/servers/previousrelease.js';
import { describeWith } from '../fixtures/program.js';
import { startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const PREVIOUS = previousRelease();
const CURRENT = process.env.DIST ?? join(import.meta.dirname, '../../dist');
/** Each kind of client follows its own objects, whoever serves them. */
const CLIENTS: readonly (readonly string[])[] = [[], ['--http1'], ['--fresh', '--workers=2']];
const LEAST_OBJECTS = 10;

const suite =
  etcdIsThere() && describeWith(CLIENT_LOAD) === describe ? describeWithPreviousRelease() : describe.skip;

suite('two servers of the previous release on one etcd', () => {
  let etcd: EtcdFixture;
  let servers: readonly ServerFixture[] = [];
  let service: LoadBalancer;
  let planted: Planted;
  let before: StoreFormat;
  const loads: ClientLoad[] = [];

  beforeAll(async () => {
    etcd = await startEtcd();
    const flags = ['--shutdown-delay-duration=1s'];
    const options = { dist: PREVIOUS, controllers: '*', etcdServers: etcd.endpoint, flags };
    servers = await Promise.all([0, 1].map(() => startServer(options)));
    const [first] = servers as [ServerFixture];
    planted = await plantEveryKind(client(first));
    before = await formatOf();
    service = await balance(servers.map(({ port }) => port));
    const kubeconfig = join(first.directory, 'service.kubeconfig');
    writeFileSync(kubeconfig, readFileSync(first.kubeconfig, 'utf8').replaceAll(first.url, service.url));
    for (const flags of CLIENTS) loads.push(await startLoad(kubeconfig, flags));
  });
  afterAll(async () => {
    for (const load of loads) load.kill();
    await service?.stop();
    await Promise.all(servers.map((server) => server.remove()));
    await etcd?.stop();
  });

  async function formatOf(): Promise<StoreFormat> {
    const store = await openEtcd({ endpoints: [etcd.endpoint], prefix: '/management' });
    const { record } = await store.get(FORMAT_KEY);
    await store.close();
    return checkStoreFormat(record ?? { value: Buffer.from('') }, 'the store', Infinity);
  }

  /** One after the other: SIGTERM, which has to end with 0, and a start of the other build. */
  async function replaceAll(dist: string): Promise<void> {
    for (const server of servers) {
      await server.restart(dist);
      const allReady = async (): Promise<boolean> => service.ready().length === servers.length;
      await eventually('a server that is ready again', allReady);
    }
  }

  const failuresOf = (): unknown[] => loads.flatMap(({ failures }) => failures);

  test('are replaced by this release, and no request fails', async () => {
    await replaceAll(CURRENT);
    expect(failuresOf()).toEqual([]);
  });

  test('come back where the format of the store lets them, and are refused otherwise', async () => {
    const { oldest } = await formatOf();
    if (oldest > before.format) await expect(servers[0]?.restart(PREVIOUS)).rejects.toThrow('start release');
    else await replaceAll(PREVIOUS);
    await replaceAll(CURRENT);
    expect(failuresOf()).toEqual([]);
  });

  test('lost no event and no object to any client, and both serve the same', async () => {
    const summaries: LoadSummary[] = [];
    for (const load of loads) summaries.push(await load.finish());
    expect(failuresOf()).toEqual([]);
    for (const { objects, unsure, failures } of summaries) {
      expect({ unsure, failures }).toEqual({ unsure: 0, failures: 0 });
      expect(objects).toBeGreaterThan(LEAST_OBJECTS);
    }
    const requests = summaries
      .flatMap(({ answers }) => Object.values(answers))
      .reduce((sum, count) => sum + count, 0);
    process.stdout.write(
      `upgrade: ${requests} requests, ${summaries.reduce((sum, { objects }) => sum + objects, 0)} objects and ` +
        `${summaries.reduce((sum, { watches }) => sum + watches, 0)} streams of watches over six replaced servers, none failed\n`,
    );
    const [one, other] = await Promise.all(servers.map(served));
    expect(one).toEqual(other);
    expect(await objectsAt(client(servers[0] as ServerFixture), planted.objects.keys())).toEqual(
      planted.objects,
    );
  });

  /** All objects that a server lists, by what is asked for them, without Leases, which servers renew. */
  async function served(server: ServerFixture): Promise<Map<string, unknown>> {
    const admin = client(server);
    const found = new Map<string, unknown>();
    for (const path of (await listedKinds(admin)).filter((kind) => !kind.endsWith('/leases'))) {
      const { items } = JSON.parse((await admin.send('GET', path)).text) as { items: unknown[] };
      found.set(path, items);
    }
    return found;
  }
});
