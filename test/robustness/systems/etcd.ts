/** Two servers on one etcd, or on three members of one, each by connections of its own that can be cut. */
import { startCuttingProxy } from '../../fixtures/cuttingproxy.js';
import { startEtcd } from '../../fixtures/etcd.js';
import { startEtcdMembers } from '../../fixtures/etcdmembers.js';
import { startServer } from '../../fixtures/server.js';
import { makeNetwork } from '../../fixtures/testnetwork.js';
import { clockFault, clockHindrance, fakeClock } from '../faults/clock.js';
import type { EtcdMember } from '../faults/etcd.js';
import { etcdFaults, memberFaults, networkFaults, partitionFaults } from '../faults/etcd.js';
import type { Fault } from '../faults/fault.js';
import { serverFaults } from '../faults/servers.js';
import { leftOutFor } from './system.js';
import type { Servers, StartServers, SystemOptions } from './system.js';

const SERVERS = 2;
const MEMBERS = 3;

interface Store {
  readonly name: string;
  readonly members: readonly (EtcdMember & { readonly endpoint: string })[];
  /** What else can be done to it. */
  readonly faults: readonly Fault[];
  /** Why something cannot be done to it, by the kinds of faults. */
  readonly hindrances: Readonly<Record<string, string>>;
  stop(): Promise<unknown>;
}

export const startOnEtcd: StartServers = async (options) => {
  const etcd = await startEtcd();
  const store = { name: 'etcd', members: [etcd], faults: [], hindrances: {}, stop: () => etcd.stop() };
  return startOn(store, options);
};

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

async function startOn(store: Store, { dist }: SystemOptions): Promise<Servers> {
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
      const server = await startServer({ dist, etcdServers, env: clock.env });
      ends.push(() => server.remove().finally(() => clock.remove()));
      return { proxies, server, clock };
    });
    const all = await Promise.all(started);
    const noClock = clockHindrance();
    const servers = all.map(({ server }) => server);
    const faults = [
      ...serverFaults(servers),
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
