/** The engine while etcd restarts, does not respond, or runs out of space. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  etcdIsThere,
  etcdctl,
  startEtcd,
  type EtcdFixture,
  type EtcdFixtureOptions,
} from '../../../test/fixtures/stores/etcd.js';
import { ALL, commitOne, failureOf, put, remove, stateOf, valueOf } from '../testing/conformance/case.js';
import { readWatch } from '../testing/conformance/reader.js';
import { StorageError, type Storage } from '../interface.js';
import { openEtcd } from './open.js';

const suite = etcdIsThere() ? describe : describe.skip;

suite('etcd in trouble', () => {
  let etcd: EtcdFixture;
  let storage: Storage;

  async function start(options?: EtcdFixtureOptions): Promise<void> {
    etcd = await startEtcd(options);
    storage = await openEtcd({ endpoints: [etcd.endpoint], prefix: '/p/' });
  }
  afterEach(async () => {
    etcd.continue();
    await storage.close();
    await etcd.stop();
  });

  test('a restart during writes and watches loses and duplicates nothing', async () => {
    await start();
    const after = await storage.currentRevision();
    const watch = storage.watch(ALL, { after });
    const reader = readWatch(watch, after);
    let stop = false;
    const writers = Array.from({ length: 8 }, (_, writer) => writeUntil(storage, writer, () => stop));
    for (let round = 0; round < 2; round++) {
      await pause(200);
      await etcd.restart();
    }
    await pause(500);
    stop = true;
    const written = await Promise.all(writers);
    const events = await reader.until(await storage.currentRevision());
    for (const [writer, { answered, possible }] of written.entries()) {
      const seen = events.filter(({ key }) => key.startsWith(`w${writer}/`)).map(({ key }) => key);
      expect(new Set(seen).size).toBe(seen.length);
      for (const key of answered) expect(seen).toContain(key);
      for (const key of seen) expect([...answered, ...possible]).toContain(key);
    }
    expect((await stateOf(storage)).length).toBe(events.length);
    watch.cancel();
  });

  test('calls fail as unavailable in time while etcd is paused, and succeed afterwards', async () => {
    await start();
    const revision = await commitOne(storage, put('a', '1'));
    const watch = storage.watch(ALL);
    etcd.pause();
    const failures = await Promise.all([
      failureOf(storage.get('a')),
      failureOf(storage.scan(ALL)),
      failureOf(storage.currentRevision()),
      failureOf(storage.commit([put('b', '1', 'absent')])),
      failureOf(storage.commit([put('a', '2', revision)])),
    ]);
    expect(failures.map(({ code }) => code)).toEqual(Array(5).fill('unavailable'));
    expect(failures[3]).toMatchObject({ outcome: 'unknown' });
    etcd.continue();
    const last = await eventually(() => commitOne(storage, put('c', '3')));
    await readWatch(watch).until(last);
    expect(await valueOf(storage, 'c')).toBe('3');
    watch.cancel();
  });

  test('calls fail no later when the clock is set back while etcd is paused', async () => {
    await start();
    etcd.pause();
    const begun = performance.now();
    const calls = [failureOf(storage.get('a')), failureOf(storage.commit([put('b', '1', 'absent')]))];
    await pause(100);
    const clock = Date.now;
    Date.now = () => clock() - 3_600_000;
    const failures = await Promise.all(calls).finally(() => (Date.now = clock));
    expect(failures.map(({ code }) => code)).toEqual(['unavailable', 'unavailable']);
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  test('commits during a short pause are applied once and answered', async () => {
    await start();
    const revision = await commitOne(storage, put('a', '1'));
    etcd.pause();
    const commits = [
      storage.commit([put('a', '2', revision)]),
      storage.commit([put('b', '1', 'absent'), put('c', '1')]),
      failureOf(storage.commit([put('x')], [{ key: 'missing', expect: 'present' }])),
    ] as const;
    await pause(4_500);
    etcd.continue();
    const [one, two, failure] = await Promise.all(commits);
    expect(failure).toEqual({ code: 'not found', key: 'missing' });
    const { records } = await storage.scan(ALL);
    expect(records.map(({ key, revision: at }) => [key, at])).toEqual([
      ['a', one.revisions[0]],
      ['b', two.revisions[0]],
      ['c', two.revisions[1]],
    ]);
  });

  test('puts fail and deletes work without disk space; puts work again once there is space', async () => {
    await start({ flags: ['--quota-backend-bytes=16777216'] });
    const value = Buffer.alloc(1_000_000, 'x');
    let filled = 0;
    let code = '';
    for (; filled < 100 && code === ''; filled++) {
      await commitOne(storage, put(`k${filled}`, value)).catch((error: unknown) => {
        if (!(error instanceof StorageError)) throw error;
        expect(error.failure).toMatchObject({ code: 'unavailable', outcome: 'none' });
        code = error.failure.code;
      });
    }
    expect(code).toBe('unavailable');
    const mixed = [
      storage.commit([remove('k0')]),
      failureOf(storage.commit([put('new')])),
      storage.commit([remove('k1'), remove('k2')]),
      failureOf(storage.commit([remove('missing')])),
    ] as const;
    const [, refused, , missing] = await Promise.all(mixed);
    const clients = expect.stringContaining('etcd has no space left');
    expect(refused).toMatchObject({ code: 'unavailable', outcome: 'none', clients });
    expect(missing).toEqual({ code: 'not found', key: 'missing' });
    for (let one = 3; one < filled - 1; one++) await storage.commit([remove(`k${one}`, 'present')]);
    expect(await stateOf(storage)).toEqual([]);

    await storage.compact(await storage.currentRevision());
    etcdctl(etcd, ['defrag']);
    etcdctl(etcd, ['alarm', 'disarm']);
    const last = await eventually(() => commitOne(storage, put('new', 'fits')));
    expect((await storage.get('new')).record?.revision).toBe(last);
  });

  test('opening requires the right client certificate and authority', async () => {
    await start({ tls: true }).catch(() => undefined);
    const { caFile, clientCertFile, clientKeyFile, serverCertFile } = etcd.certificates ?? fail();
    const endpoints = [etcd.endpoint];
    const certFile = clientCertFile;
    const keyFile = clientKeyFile;
    storage = await openEtcd({ endpoints, prefix: '/p/', caFile, certFile, keyFile });
    const watch = storage.watch(ALL);
    const revision = await commitOne(storage, put('a', 'secret'));
    expect(await readWatch(watch).take(1)).toHaveLength(1);
    expect((await storage.get('a')).record?.revision).toBe(revision);
    for (const wrong of [{ caFile }, { caFile: serverCertFile, certFile, keyFile }, {}]) {
      const error = await failureOf(openEtcd({ endpoints, prefix: '/p/', ...wrong }));
      expect(error.code).toBe('unavailable');
    }
  });

  describe('an endpoint that became another etcd', () => {
    let other: EtcdFixture;
    let lost: string[];
    const NOT_FAKED = [
      'Date',
      'performance',
      'nextTick',
      'setImmediate',
      'setTimeout',
      'queueMicrotask',
    ] as const;

    /** etcd was stopped when the store was opened. */
    beforeEach(async () => {
      [etcd, other] = await Promise.all([startEtcd(), startEtcd()]);
      await other.kill();
      lost = [];
      jest.useFakeTimers({ doNotFake: [...NOT_FAKED, 'clearTimeout', 'clearImmediate', 'hrtime'] });
      const endpoints = [etcd.endpoint, other.endpoint];
      storage = await openEtcd({ endpoints, prefix: '/p/', listener: { lost: (why) => lost.push(why) } });
      await commitOne(storage, put('a', '1'));
      await other.restart();
    });
    afterEach(async () => {
      jest.useRealTimers();
      await other.stop();
    });

    /**
     * @param meanwhile called repeatedly until the store refuses
     */
    async function isRefused(meanwhile: () => unknown): Promise<void> {
      for (const end = Date.now() + 50_000; lost.length === 0 && Date.now() < end; await pause(100))
        await meanwhile();
      expect(lost).toHaveLength(1);
      expect(await failureOf(storage.get('a'))).toMatchObject({ code: 'unavailable', reason: lost[0] });
      expect(await failureOf(storage.commit([put('b', '1')]))).toMatchObject({ code: 'unavailable' });
    }

    test('is detected while the first endpoint answers', async () => {
      expect(await valueOf(storage, 'a')).toBe('1');
      await isRefused(() => jest.advanceTimersByTime(30_000));
      expect(lost[0]).toContain('different clusters');
    });

    test('is detected when the first endpoint is down', async () => {
      await etcd.kill();
      await isRefused(() => failureOf(storage.get('a')));
      expect(lost[0]).toContain('answers where');
      expect(etcdctl(other, ['get', '', '--prefix', '--keys-only']).trim()).toBe('');
    });
  });

  test('one of several endpoints is sufficient', async () => {
    await start();
    await storage.close();
    const endpoints = ['http://127.0.0.1:1', etcd.endpoint, 'http://127.0.0.1:2'];
    storage = await openEtcd({ endpoints, prefix: '/p/' });
    const watch = storage.watch(ALL);
    const revision = await commitOne(storage, put('a'));
    await readWatch(watch).until(revision);
    watch.cancel();
    expect(await stateOf(storage)).toEqual(['a=a']);
  });
});

function fail(): never {
  throw new Error('no certificates');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Retries while the store is unavailable. */
async function eventually<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StorageError) || error.failure.code !== 'unavailable') throw error;
      await pause(50);
    }
  }
}

/** Creates keys one after the other. Returns which creates were acknowledged, and which have an unknown result. */
async function writeUntil(storage: Storage, writer: number, done: () => boolean) {
  const answered: string[] = [];
  const possible: string[] = [];
  for (let step = 0; !done(); step++) {
    const key = `w${writer}/${step}`;
    try {
      await commitOne(storage, put(key, 'x', 'absent'));
      answered.push(key);
    } catch (error) {
      if (!(error instanceof StorageError) || error.failure.code !== 'unavailable') throw error;
      if (error.failure.outcome === 'unknown') possible.push(key);
    }
  }
  return { answered, possible };
}
