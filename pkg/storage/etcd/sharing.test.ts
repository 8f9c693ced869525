/** Several processes, and other programs that write, on one etcd. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { etcdIsThere, etcdctl, startEtcd, type EtcdFixture } from '../../../test/fixtures/stores/etcd.js';
import { ALL, commitOne, failureOf, fill, put, remove, stateOf } from '../testing/conformance/case.js';
import { eventText, readWatch } from '../testing/conformance/reader.js';
import type { Storage } from '../interface.js';
import { openEtcd } from './open.js';

const suite = etcdIsThere() ? describe : describe.skip;

suite('etcd shared with others', () => {
  let etcd: EtcdFixture;
  let prefix: string;
  let stores = 0;
  const opened: Storage[] = [];
  const open = async () => {
    const storage = await openEtcd({ endpoints: [etcd.endpoint], prefix });
    opened.push(storage);
    return storage;
  };
  const fresh = () => {
    prefix = `/shared${stores++}/`;
    return open();
  };

  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(async () => {
    await Promise.all(opened.map((storage) => storage.close()));
    await etcd.stop();
  });

  test('two processes with one counter lose nothing and see all events at the same revisions', async () => {
    const stores = [await fresh(), await open()];
    const after = await (stores[0] as Storage).currentRevision();
    const watches = stores.map((storage) => storage.watch(ALL, { after }));
    const readers = watches.map((watch) => readWatch(watch, after));
    await Promise.all(stores.flatMap((storage) => Array.from({ length: 5 }, () => addTo(storage, 5))));
    const last = await (stores[0] as Storage).currentRevision();
    expect(await stateOf(stores[1] as Storage)).toEqual(['counter=50']);
    const [left, right] = await Promise.all(readers.map((reader) => reader.until(last)));
    expect(left).toHaveLength(50);
    expect(right).toEqual(left);
    for (const watch of watches) watch.cancel();
  });

  test('a store with another prefix is invisible, but moves the current revision', async () => {
    const one = await fresh();
    const watch = one.watch(ALL);
    const other = await fresh();
    await commitOne(other, put('a'));
    const revision = await one.currentRevision();
    expect(await readWatch(watch).until(revision)).toEqual([]);
    expect(await stateOf(one)).toEqual([]);
    watch.cancel();
  });

  test('puts and deletes of other programs are records and events like any other', async () => {
    const storage = await fresh();
    const reader = readWatch(storage.watch(ALL));
    etcdctl(etcd, ['put', `${prefix}data/a`, '{"by":"hand"}']);
    const [{ revision } = { revision: 0 }] = await reader.take(1);
    expect((await storage.get('a')).record).toEqual({
      key: 'a',
      value: Buffer.from('{"by":"hand"}'),
      revision,
    });
    const next = await commitOne(storage, put('a', 'ours', revision));
    etcdctl(etcd, ['del', `${prefix}data/a`]);
    expect((await reader.until(await storage.currentRevision())).map(eventText)).toEqual([
      'a=ours.',
      'a deleted.',
    ]);
    expect((await failureOf(storage.commit([put('a', 'x', next)]))).code).toBe('not found');
  });

  test('more than 64 events of another program in one revision end watches as compacted', async () => {
    const storage = await fresh();
    await fill(storage, 'k', 100);
    const start = await storage.currentRevision();
    const reader = readWatch(storage.watch(ALL, { after: start }), start);
    etcdctl(etcd, ['del', '--prefix', `${prefix}data/`]);
    expect((await failureOf(reader.until(start + 1))).code).toBe('compacted');
    const resumed = readWatch(storage.watch(ALL, { after: start }), start);
    expect((await failureOf(resumed.until(start + 1))).code).toBe('compacted');
    expect((await failureOf(storage.scan(ALL, { revision: start + 1 }))).code).toBe('compacted');

    const { records, revision } = await storage.scan(ALL);
    expect(records).toEqual([]);
    const watch = storage.watch(ALL, { after: revision });
    const last = await commitOne(storage, put('again'));
    expect((await readWatch(watch, revision).until(last)).map(eventText)).toEqual(['again=again.']);
  });

  test('compaction by another program is reported with the oldest readable revision', async () => {
    const storage = await fresh();
    const first = await commitOne(storage, put('a', '1'));
    const gone = await commitOne(storage, remove('a'));
    const kept = await commitOne(storage, put('b', '1'));
    etcdctl(etcd, ['compact', String(Math.floor(kept / 64))]);
    for (const revision of [first, gone]) {
      const failure = await failureOf(storage.get('a', { revision }));
      expect(failure).toMatchObject({ code: 'compacted', revision });
      if (failure.code === 'compacted') {
        expect(await stateOf(storage, ALL, failure.oldest)).toEqual(['b=1']);
      }
      const watch = readWatch(storage.watch(ALL, { after: revision }), revision);
      expect((await failureOf(watch.next())).code).toBe('compacted');
    }
  });

  test('a range larger than the message limit is returned completely', async () => {
    const storage = await fresh();
    const value = Buffer.alloc(1_400_000, 'x');
    // Pages grow with what is small.
    for (let at = 0; at < 40; at += 1) await commitOne(storage, put(`a${at}`, 'x'));
    for (let scans = 0; scans < 3; scans += 1) await storage.scan(ALL);
    for (let at = 100; at < 190; at += 1) await commitOne(storage, put(`k${at}`, value));
    const { records, more } = await storage.scan(ALL);
    expect([records.length, more]).toEqual([130, false]);
    expect(records.filter((record) => record.value.length === value.length)).toHaveLength(90);
  });
});

async function addTo(storage: Storage, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    const { record } = await storage.get('counter');
    const next = put('counter', `${Number(record?.value.toString() ?? 0) + 1}`, record?.revision ?? 'absent');
    done += await storage.commit([next]).then(
      () => 1,
      () => 0,
    );
  }
}
