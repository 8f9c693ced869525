/** Elections among servers on one etcd whose clocks differ, with real Leases and a simulated time. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { controllerClient } from './client/registryclient.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../test/fixtures/stores/etcd.js';
import { kind as leases } from '../registry/coordination/lease/kind.js';
import { createNamespace } from '../registry/core/namespace/bootstrap.js';
import { kind as namespaces } from '../registry/core/namespace/kind.js';
import { openRegistry } from '../registry/registry.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import { openEtcd } from '../storage/etcd/open.js';
import { resourceOf, type Client } from './interface.js';
import { runElection, type Election, type ElectionClock } from './leaderelection.js';
import { Lease } from '../../api/coordination.k8s.io/v1/lease.js';

const STEP_MS = 500;
const everything = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };

/** The simulated time. Each server's clock has a different offset. */
let time = 0;
const due = new Set<{ at: number; readonly period: number; readonly work: () => Promise<void> }>();

/** Advances the time in steps, and waits for the timers of each step. */
async function pass(milliseconds: number): Promise<void> {
  for (const end = time + milliseconds; time < end;) {
    time += STEP_MS;
    const works = [...due].filter(({ at }) => at <= time);
    for (const one of works) one.at = time + one.period;
    await Promise.all(works.map(({ work }) => work()));
  }
}

function clock(offset: number, wallOffset: number): ElectionClock {
  return {
    now: () => time + offset,
    wall: () => Date.UTC(2026, 0) + time + wallOffset,
    every(period, work) {
      const timer = { at: time + period, period, work };
      due.add(timer);
      return { cancel: () => void due.delete(timer) };
    },
  };
}

interface Replica {
  leads: boolean;
  /** Whether the store does not respond to this server. */
  cutOff: boolean;
  readonly election: Election;
  /** Stops the server without releasing the lease. */
  die(): void;
}

let etcd: EtcdFixture;
let prefixes = 0;
let opened: { close(): Promise<void> }[] = [];

/** A store whose cache is frozen when it first contains an object. */
function standingStill(store: ResourceStore): ResourceStore {
  let first: ReturnType<typeof store.cache.latest> | undefined;
  const latest = (): ReturnType<typeof store.cache.latest> => {
    const now = first ?? store.cache.latest();
    if (now.count('') > 0) first = now;
    return now;
  };
  return { ...store, cache: { ...store.cache, latest } };
}

async function openClient(prefix: string, stale = false): Promise<Client> {
  const storage = await openEtcd({ endpoints: [etcd.endpoint], prefix });
  const registry = await openRegistry(storage, [namespaces, leases], () => everything);
  opened.push(registry, storage);
  await createNamespace(registry.stores, 'kube-system');
  const stores = stale ? registry.stores.map(standingStill) : registry.stores;
  return controllerClient(stores, 'leader-election');
}

/** A client whose reads of leases fail while the server is cut off. */
function cuttable(client: Client, isCutOff: () => boolean): Client {
  const resources = client.resources.map((resource) => ({
    ...resource,
    live: (...args: Parameters<typeof resource.live>) =>
      isCutOff() ? Promise.reject(new Error('cut off')) : resource.live(...args),
    update: (...args: Parameters<typeof resource.update>) =>
      isCutOff() ? Promise.reject(new Error('cut off')) : resource.update(...args),
  }));
  return { ...client, resources };
}

interface ReplicaOptions {
  readonly offset?: number;
  readonly wallOffset?: number;
  /** Whether its cache is frozen. */
  readonly stale?: boolean;
}

async function replica(identity: string, prefix: string, options: ReplicaOptions = {}): Promise<Replica> {
  const { offset = 0, wallOffset = 0, stale = false } = options;
  const before = new Set(due);
  const client = cuttable(await openClient(prefix, stale), () => one.cutOff);
  const one = { leads: false, cutOff: false } as Replica & { election: Election };
  const election = runElection({
    namespace: 'kube-system',
    client,
    identity,
    log: { info: () => undefined, warn: () => undefined },
    started: () => void (one.leads = true),
    stopped: () => Promise.resolve(void (one.leads = false)),
    clock: clock(offset, wallOffset),
  });
  const own = [...due].filter((timer) => !before.has(timer));
  return Object.assign(one, { election, die: () => own.forEach((timer) => due.delete(timer)) });
}

async function leaseOf(prefix: string): Promise<{ holderIdentity?: string; leaseTransitions?: number }> {
  const client = await openClient(prefix);
  const lease = await resourceOf(client, Lease).live({
    namespace: 'kube-system',
    name: 'management-controllers',
  });
  return lease?.spec as { holderIdentity?: string; leaseTransitions?: number };
}

const newPrefix = (): string => `/election${prefixes++}/`;

/** Starts a leader and a waiting server. */
async function pair(prefix: string, second: ReplicaOptions = {}): Promise<readonly [Replica, Replica]> {
  const leader = await replica('a', prefix);
  await pass(2_000);
  const other = await replica('b', prefix, second);
  await pass(2_000);
  expect([leader.leads, other.leads]).toEqual([true, false]);
  return [leader, other];
}

(etcdIsThere() ? describe : describe.skip)('of servers on one etcd', () => {
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterEach(async () => {
    due.clear();
    for (const one of opened) await one.close();
    opened = [];
  });
  afterAll(() => etcd.stop());

  test('one leads when all start together', async () => {
    const prefix = newPrefix();
    const all = await Promise.all(['a', 'b', 'c'].map((name) => replica(name, prefix)));
    for (let round = 0; round < 20; round += 1) {
      await pass(1_000);
      expect(all.filter(({ leads }) => leads).length).toBeLessThanOrEqual(1);
    }
    expect(all.filter(({ leads }) => leads)).toHaveLength(1);
  });

  test('another takes over when the lease of a dead leader has expired, and not before', async () => {
    const prefix = newPrefix();
    const [leader, other] = await pair(prefix);
    leader.die();
    // The lease was renewed and read at most 2 s ago.
    await pass(13_000);
    expect(other.leads).toBe(false);
    await pass(6_000);
    expect(other.leads).toBe(true);
    expect(await leaseOf(prefix)).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
    ['a day ahead', 86_400_000],
  ])('nobody takes over while a leader renews whose clock is %s', async (_name, skew) => {
    const [leader, other] = await pair(newPrefix(), { offset: -skew, wallOffset: -skew });
    for (let second = 0; second < 60; second += 1) {
      await pass(1_000);
      expect([leader.leads, other.leads]).toEqual([true, false]);
    }
    leader.die();
    await pass(19_000);
    expect(other.leads).toBe(true);
  });

  test('a leader that cannot renew steps down before another takes over, and does not lead again', async () => {
    const [leader, other] = await pair(newPrefix());
    leader.cutOff = true;
    await pass(9_000);
    expect(leader.leads).toBe(true);
    for (let second = 0; second < 12; second += 1) {
      await pass(1_000);
      expect(leader.leads && other.leads).toBe(false);
    }
    expect([leader.leads, other.leads]).toEqual([false, true]);
    leader.cutOff = false;
    await pass(30_000);
    expect([leader.leads, other.leads]).toEqual([false, true]);
  });

  test('a leader that was disconnected for a moment stays leader', async () => {
    const [leader, other] = await pair(newPrefix());
    leader.cutOff = true;
    await pass(8_000);
    leader.cutOff = false;
    for (let second = 0; second < 30; second += 1) {
      await pass(1_000);
      expect([leader.leads, other.leads]).toEqual([true, false]);
    }
  });

  test('a leader with a stale cache renews and releases the lease', async () => {
    const prefix = newPrefix();
    const [first, second] = await pair(prefix, { stale: true });
    await first.election.stop();
    await pass(2_000);
    const third = await replica('c', prefix);
    for (let elapsed = 0; elapsed < 60; elapsed += 1) {
      await pass(1_000);
      expect([second.leads, third.leads]).toEqual([true, false]);
    }
    await second.election.stop();
    expect(await leaseOf(prefix)).toMatchObject({ holderIdentity: '' });
  });

  test('a leader that stops releases the lease, and another acquires it at its next try', async () => {
    const prefix = newPrefix();
    const [leader, other] = await pair(prefix);
    await leader.election.stop();
    expect(leader.leads).toBe(false);
    expect(await leaseOf(prefix)).toMatchObject({ holderIdentity: '' });
    await pass(2_000);
    expect(other.leads).toBe(true);
    expect(await leaseOf(prefix)).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test('a candidate that stops leaves the lease unchanged', async () => {
    const prefix = newPrefix();
    const [leader, other] = await pair(prefix);
    await other.election.stop();
    await pass(30_000);
    expect([leader.leads, other.leads]).toEqual([true, false]);
    expect(await leaseOf(prefix)).toMatchObject({ holderIdentity: 'a' });
  });
});
