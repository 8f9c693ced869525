/** A connection to etcd that is accepted and then gets no response: the host or the network has failed. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startCuttingProxy, type CuttingProxy } from '../../../test/fixtures/servers/cuttingproxy.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../../test/fixtures/stores/etcd.js';
import { eventually } from '../../../test/fixtures/wait.js';
import { ALL, commitOne, put, stateOf } from '../testing/conformance/case.js';
import { readWatch } from '../testing/conformance/reader.js';
import type { Storage } from '../interface.js';
import { ConnectTimeout } from './connecttimeout.js';
import { openEtcd } from './open.js';

const WRITERS = 4;
const READERS = 20;

(etcdIsThere() ? describe : describe.skip)('the only endpoint', () => {
  let etcd: EtcdFixture;
  let proxy: CuttingProxy;
  let storage: Storage;
  let stopped: boolean;
  beforeEach(async () => {
    stopped = false;
    etcd = await startEtcd();
    proxy = await startCuttingProxy(Number(new URL(etcd.endpoint).port), () => Infinity);
    const endpoints = [`http://127.0.0.1:${proxy.port}`];
    storage = await eventually('the store', () =>
      openEtcd({ endpoints, prefix: '/p/' }).catch(() => undefined),
    );
  });
  afterEach(async () => {
    stopped = true;
    await storage.close();
    await proxy.close();
    await etcd.stop();
  });

  test('is reconnected to by calls and by the watch', async () => {
    const watch = storage.watch(ALL);
    const reader = readWatch(watch);
    const written = new Map<number, number>();
    const write = async (writer: number): Promise<void> => {
      for (let step = 0; !stopped; step++) {
        await commitOne(storage, put(`w${writer}/${step}`)).then(
          () => written.set(writer, step),
          () => new Promise((resolve) => setTimeout(resolve, 50)),
        );
      }
    };
    // As many requests as in a server: without any request for a while, gRPC drops the connection by itself.
    const read = async (): Promise<void> => {
      while (!stopped) await storage.get('w0/0').catch(() => undefined);
    };
    const busy = [
      ...Array.from({ length: WRITERS }, (_, writer) => write(writer)),
      ...Array.from({ length: READERS }, read),
    ];
    await eventually('writes', async () => written.size === WRITERS);

    proxy.pause();
    proxy.cutAll();
    let gone = 0;
    await eventually('a connection that nobody answers', async () => (gone += proxy.abandon()) > 0);
    proxy.resume();
    written.clear();

    await eventually('writes of all', async () => written.size === WRITERS);
    stopped = true;
    await Promise.all(busy);
    const events = await reader.until(await storage.currentRevision());
    const keys = new Set(events.map(({ key }) => key));
    for (const one of await stateOf(storage)) expect(keys).toContain(one.split('=')[0]);
    watch.cancel();
  });
});

describe('the connect timeout', () => {
  test('expires four seconds after the first call that waits, and doubles up to twenty', () => {
    const connectTimeout = new ConnectTimeout();
    let now = 100_000;
    const lasted: number[] = [];
    for (let round = 0; round < 5; round++) {
      connectTimeout.opened(now);
      const opened = now;
      // The request started before the connection was opened.
      for (now += 500; !connectTimeout.isOver(opened - 2_000, now);) now += 500;
      lasted.push(now - opened);
    }
    expect(lasted).toEqual([4_000, 8_000, 16_000, 20_000, 20_000]);
    connectTimeout.answered();
    expect(connectTimeout.isOver(now, now + 3_999)).toBe(false);
    expect(connectTimeout.isOver(now + 3_000, now + 4_000)).toBe(true);
  });

  test('starts over after a call that succeeded', () => {
    const connectTimeout = new ConnectTimeout();
    expect(connectTimeout.isOver(0, 3_000)).toBe(false);
    connectTimeout.answered();
    expect(connectTimeout.isOver(3_000, 6_000)).toBe(false);
  });
});
