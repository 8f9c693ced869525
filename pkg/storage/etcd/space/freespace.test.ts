/** An etcd whose quota is used up, and how its space is freed. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { etcdctl, etcdIsThere, startEtcd, type EtcdFixture } from '../../../../test/fixtures/stores/etcd.js';
import { startEtcdMembers } from '../../../../test/fixtures/stores/etcdmembers.js';
import { eventually } from '../../../../test/fixtures/wait.js';
import { commitOne, failureOf, put, remove } from '../../testing/conformance/case.js';
import type { Storage } from '../../interface.js';
import { openEtcd } from '../open.js';
import { freeSpace } from './freespace.js';
import type { EtcdSpace } from './status.js';

const PREFIX = '/p/';
const QUOTA = 16 * 1024 * 1024;
const VALUE = Buffer.alloc(1_000_000, 'x');

const suite = etcdIsThere() ? describe : describe.skip;

suite('an etcd that is full', () => {
  let etcd: EtcdFixture;
  let storage: Storage;
  const spaces: EtcdSpace[] = [];
  const options = () => ({ endpoints: [etcd.endpoint], prefix: PREFIX });
  const alarms = (): string => etcdctl(etcd, ['alarm', 'list']).trim();

  async function start(): Promise<void> {
    etcd = await startEtcd({ flags: [`--quota-backend-bytes=${QUOTA}`] });
    storage = await openEtcd(options());
  }
  /** Writes until etcd refuses, to one key after the other; gives how many it took. */
  async function fill(keyOf: (round: number) => string): Promise<number> {
    for (let round = 0; ; round += 1) {
      const failed = await commitOne(storage, put(keyOf(round), VALUE)).then(
        () => false,
        () => true,
      );
      if (failed) return round;
    }
  }
  afterEach(async () => {
    await storage.close();
    await etcd.stop();
  });

  test('of history takes writes again, with all records', async () => {
    await start();
    await fill(() => 'same');
    expect(alarms()).toContain('NOSPACE');
    expect(await failureOf(storage.commit([put('new')]))).toMatchObject({
      clients: expect.stringContaining('store free-space'),
    });
    const freed = await freeSpace(options());
    expect(freed).toMatchObject({ disarmed: true, problem: { code: 'none' } });
    expect(freed.freed).toMatchObject([
      { before: { full: true, quotaBytes: QUOTA }, after: { quotaBytes: QUOTA } },
    ]);
    expect(freed.freed[0]?.after.sizeBytes).toBeLessThan(3 * VALUE.length);
    expect(alarms()).toBe('');
    await commitOne(storage, put('new', 'fits'));
    expect((await storage.get('same')).record?.value.length).toBe(VALUE.length);
  });

  test('of records stays so until the quota is larger, and its alarm until it is freed again', async () => {
    await start();
    const written = await fill((round) => `k${round}`);
    // How much of its quota etcd had used for records when it refused one differs.
    await etcd.restart([`--quota-backend-bytes=${QUOTA / 2}`]);
    const first = await freeSpace(options());
    expect(first).toMatchObject({ disarmed: false, problem: { code: 'too large' } });
    expect(alarms()).toContain('NOSPACE');
    await etcd.restart([`--quota-backend-bytes=${4 * QUOTA}`]);
    expect(alarms()).toContain('NOSPACE');
    expect(await freeSpace(options())).toMatchObject({ disarmed: true, problem: { code: 'none' } });
    const more = await eventually('a write', () =>
      commitOne(storage, put('new', VALUE)).catch(() => undefined),
    );
    expect(more).toBeGreaterThan(0);
    expect((await storage.get(`k${written - 1}`)).record).toBeDefined();
  });

  test('of records has room after deletes', async () => {
    await start();
    const written = await fill((round) => `k${round}`);
    for (let one = 0; one < written; one += 1) await storage.commit([remove(`k${one}`)]);
    expect(await freeSpace(options())).toMatchObject({ disarmed: true });
    await commitOne(storage, put('new', VALUE));
  });

  test('is reported to its servers, and that it has room again', async () => {
    etcd = await startEtcd({ flags: [`--quota-backend-bytes=${QUOTA}`] });
    storage = await openEtcd(options());
    await fill(() => 'same');
    await storage.close();
    const reported = async (): Promise<EtcdSpace> => {
      spaces.length = 0;
      storage = await openEtcd({ ...options(), listener: { space: (space) => spaces.push(space) } });
      return eventually('the space', () => Promise.resolve(spaces[0]));
    };
    expect(await reported()).toMatchObject({ full: true, quotaBytes: QUOTA });
    await freeSpace(options());
    await storage.close();
    expect(await reported()).toMatchObject({ full: false });
    expect(spaces[0]?.inUseBytes).toBeLessThan(QUOTA / 2);
  });
});

suite('three members of an etcd', () => {
  test('are defragmented one after the other, the leader last, and none may be missing', async () => {
    const { members, stop } = await startEtcdMembers(3);
    let storage: Storage | undefined;
    try {
      const endpoints = members.map(({ endpoint }) => endpoint);
      storage = await eventually('a leader', () =>
        openEtcd({ endpoints, prefix: PREFIX }).catch(() => undefined),
      );
      for (let round = 0; round < 3; round += 1) await commitOne(storage, put('same', VALUE));
      const whole = await freeSpace({ endpoints, prefix: PREFIX });
      expect(whole).toMatchObject({ disarmed: false, problem: { code: 'none' } });
      expect(whole.freed.map(({ url }) => url).sort()).toEqual([...endpoints].sort());
      expect(whole.freed.map(({ before }) => before.member === before.leader)).toEqual([false, false, true]);
      const part = await freeSpace({ endpoints: endpoints.slice(1), prefix: PREFIX });
      expect(part.problem).toEqual({ code: 'members missing', members: ['m0'] });
    } finally {
      await storage?.close();
      await stop();
    }
  });
});
