/** Two servers on one etcd, or on three members of one, each by connections of its own that can be cut. */
import { startCuttingProxy } from '../../fixtures/servers/cuttingproxy.js';
import { startEtcd } from '../../fixtures/stores/etcd.js';
import { startEtcdMembers } from '../../fixtures/stores/etcdmembers.js';
import { startServer } from '../../fixtures/servers/server.js';
import { makeNetwork } from '../../fixtures/servers/testnetwork.js';
import { clockFault, clockHindrance, fakeClock } from '../faults/clock.js';
import type { EtcdMember } from '../faults/etcd.js';
import { etcdFaults, memberFaults, networkFaults, partitionFaults } from '../faults/etcd.js';
import type { Fault } from '../faults/fault.js';
import { serverFaults } from '../faults/servers.js';
import { workerFaults } from '../faults/workers.js';
import { leftOutFor } from './system.js';
import type { Servers, StartServers, SystemOptions } from './system.js';

const SERVERS = 2;
const MEMBERS = 3;
const WORKERS = 2;

interface Store {
  readonly name: string;
  readonly members: readonly (EtcdMember & { readonly endpoint: string })[];
  /** What else can be done to it. */
  readonly faults: readonly Fault[];
  /** Why something cannot be done to it, by the kinds of faults. */
  readonly hindrances: Readonly<Record<string, string>>;
  stop(): Promise<unknown>;
}

export const startOnEtcd: StartServers = async (options) => startOn(await oneEtcd(), options);

/** Each server of several worker processes. */
export const startWorkersOnEtcd: StartServers = async (options) => startOn(await oneEtcd(), options, WORKERS);

async function oneEtcd(): Promise<Store> {
  const etcd = await startEtcd();
  return { name: 'etcd', members: [etcd], faults: [], hindrances: {}, stop: () => etcd.stop() };
}

/** Each member in a network namespace; where there can be none, behind a proxy for the others. */
export const startOnMembers: StartServers = async (options) => {
  const network = makeNetwork(MEMBERS);
  const isThere = 'hosts' in network;
  const removeNetwork = (): void => (isThere ? network.remove() : undefined);
  try {
    const etcd = await startEtcdMembers(MEMBERS, isThere ? network.hosts : undefined);
    const store: Store = {
      name: 'members',
      members: etcd.members,
      faults: [...memberFaults(etcd), ...(isThere ? partitionFaults(network) : [])],
      hindrances: isThere ? {} : { 'disconnect member, separate members': network.hindrance },
      stop: () => etcd.stop().finally(removeNetwork),
    };
    return await startOn(store, options);
  } catch (error) {
    removeNetwork();
    throw error;
  }
};

async function startOn(store: Store, { dist }: SystemOptions, workers = 1): Promise<Servers> {
  const ends: (() => Promise<unknown>)[] = [() => store.stop()];
  const remove = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const started = Array.from({ length: SERVERS }, async () => {
      const proxies = await Promise.all(
        store.members.map(({ endpoint }) => {
          const { port, hostname } = new URL(endpoint);
          return startCuttingProxy(Number(port), () => Infinity, hostname);
        }),
      );
      ends.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
      const clock = fakeClock();
      const etcdServers = proxies.map(({ port }) => `http://127.0.0.1:${port}`).join(',');
      const server = await startServer({
        ...{ dist, etcdServers, env: clock.env },
        flags: workers === 1 ? [] : [`--workers=${workers}`],
      });
      ends.push(() => server.remove().finally(() => clock.remove()));
      return { proxies, server, clock };
    });
    const all = await Promise.all(started);
    const noClock = clockHindrance();
    const servers = all.map(({ server }) => server);
    const faults = [
      ...serverFaults(servers),
      ...(workers === 1 ? [] : servers.flatMap(workerFaults)),
      ...etcdFaults(store.members),
      ...store.faults,
      ...networkFaults(all.flatMap(({ proxies }) => proxies)),
      ...(noClock === undefined ? [clockFault(all.map(({ clock }) => clock))] : []),
    ];
    const leftOut = leftOutFor({ ...store.hindrances, 'clock jump': noClock });
    return { name: store.name, servers, faults, remove, leftOut };
  } catch (error) {
    await remove();
    throw error;
  }
}
