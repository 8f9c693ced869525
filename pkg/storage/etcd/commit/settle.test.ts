/** Commits whose response is lost: the caller learns whether the commit was executed. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../../../test/fixtures/stores/etcd.js';
import { ALL, commitOne, failureOf, put, remove, stateOf } from '../../testing/conformance/case.js';
import { eventText, readWatch } from '../../testing/conformance/reader.js';
import { StorageError, type Storage } from '../../interface.js';
import { openEtcd } from '../open.js';

const suite = etcdIsThere() ? describe : describe.skip;

/** A proxy between the engine and etcd that can drop messages of either side. */
interface Proxy {
  readonly endpoint: string;
  swallow: 'nothing' | 'requests' | 'answers';
  /** Closes every connection; new ones work. */
  drop(): void;
  close(): void;
}

async function startProxy(target: string): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    for (const [from, to, what] of [
      [client, upstream, 'requests'],
      [upstream, client, 'answers'],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (proxy.swallow !== what) to.write(bytes);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = () => {
    proxy.swallow = 'nothing';
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const proxy: Proxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow: 'nothing',
    drop,
    close: () => {
      server.close();
      drop();
    },
  };
  return proxy;
}

suite('commits without an answer', () => {
  let etcd: EtcdFixture;
  let proxy: Proxy;
  let storage: Storage;
  let direct: Storage;
  let stores = 0;

  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.stop());
  afterEach(async () => {
    await Promise.all([storage.close(), direct.close()]);
    proxy.close();
  });

  async function begin(): Promise<number> {
    proxy = await startProxy(etcd.endpoint);
    const prefix = `/settle${stores++}/`;
    storage = await openEtcd({ endpoints: [proxy.endpoint], prefix });
    direct = await openEtcd({ endpoints: [etcd.endpoint], prefix });
    const { revisions } = await storage.commit([put('old', '1'), put('gone', '1')]);
    return revisions[0] as number;
  }

  /** A batch of five commits: two succeed, and three fail for different reasons. */
  function startBatch(revision: number) {
    return Promise.all([
      storage.commit([put('a', '1', 'absent'), remove('gone'), put('b', '1')]),
      failureOf(storage.commit([put('c', '1', 'present')])),
      failureOf(storage.commit([put('d', '1')], [{ key: 'old', expect: revision + 1 }])),
      storage.commit([put('e', '1')], [{ key: 'old', expect: revision }]),
      failureOf(storage.commit([put('f', '1')], [{ key: 'old', expect: 'absent' }])),
    ]);
  }

  async function expectBatch(batch: ReturnType<typeof startBatch>, revision: number): Promise<void> {
    const after = await direct.currentRevision();
    const [first, missing, conflict, second, exists] = await batch;
    const current = { key: 'old', value: Buffer.from('1'), revision };
    expect(missing).toEqual({ code: 'not found', key: 'c' });
    expect(conflict).toEqual({ code: 'conflict', key: 'old', current });
    expect(exists).toEqual({ code: 'exists', key: 'old', current });
    expect(await stateOf(direct)).toEqual(['a=1', 'b=1', 'e=1', 'old=1']);
    expect(after).toBeGreaterThan(0);

    const reader = readWatch(direct.watch(ALL, { after: revision + 1 }), revision + 1);
    const events = await reader.until(second.revisions[0] as number);
    expect(events.map(eventText)).toEqual(['a=1', 'gone deleted', 'b=1.', 'e=1.']);
    expect(events.map((event) => event.revision)).toEqual([...first.revisions, ...second.revisions]);
  }

  test('that were applied succeed, and those that failed report their failure', async () => {
    const revision = await begin();
    proxy.swallow = 'answers';
    const batch = startBatch(revision);
    while ((await direct.get('e')).record === undefined);
    proxy.drop();
    await expectBatch(batch, revision);
  });

  test('that never arrived are prevented from arriving late, and sent again', async () => {
    const revision = await begin();
    proxy.swallow = 'requests';
    const batch = startBatch(revision);
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy.drop();
    await expectBatch(batch, revision);
  });

  test('report their true outcome when connections are dropped under load', async () => {
    await begin();
    let stop = false;
    const keys: string[] = [];
    // If the store is unavailable for too long, the result is unknown, and this is reported, too.
    const unknown = new Set<string>();
    const outcomeOf = async (key: string): Promise<'done' | 'none' | 'unknown'> => {
      try {
        await commitOne(storage, put(key, 'x', 'absent'));
        return 'done';
      } catch (error) {
        if (!(error instanceof StorageError) || error.failure.code !== 'unavailable') throw error;
        return error.failure.outcome;
      }
    };
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let step = 0; !stop; step++) {
        const key = `k${writer}/${step}`;
        const outcome = await outcomeOf(key);
        if (outcome === 'done') keys.push(key);
        if (outcome === 'unknown') unknown.add(key);
      }
    });
    for (let round = 0; round < 10; round++) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      if (round % 2 === 0) proxy.swallow = 'answers';
      await new Promise((resolve) => setTimeout(resolve, 40));
      proxy.drop();
    }
    stop = true;
    await Promise.all(writers);
    const { records } = await direct.scan({ start: 'k', end: 'l' });
    const found = records.map(({ key }) => key).filter((key) => !unknown.has(key));
    expect(found).toEqual([...keys].sort());
    expect(keys.length).toBeGreaterThan(unknown.size);
  });
});
