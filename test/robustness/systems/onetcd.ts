/** Two servers on one store in etcd, each with connections of its own that can be cut. */
import { startCuttingProxy, type CuttingProxy } from '../../fixtures/servers/cuttingproxy.js';
import { startServer } from '../../fixtures/servers/server.js';
import type { NetworkHost } from '../../fixtures/servers/testnetwork.js';
import { clockFault, clockHindrance, fakeClock } from '../faults/clock.js';
import { networkFaults } from '../faults/connections.js';
import { etcdFaults, type EtcdMember } from '../faults/etcd.js';
import type { Fault } from '../faults/fault.js';
import { serverFaults } from '../faults/servers.js';
import { workerFaults } from '../faults/workers.js';
import { leftOutFor, type Servers, type SystemOptions } from './system.js';

export const SERVERS = 2;

/** How one server connects to the members. */
export interface Links {
  readonly etcdServers: string;
  /** Where the server runs; absent: on this machine. */
  readonly host?: NetworkHost;
  /** The proxies of the connections. */
  readonly proxies: readonly CuttingProxy[];
}

export interface EtcdStore {
  readonly name: string;
  readonly members: readonly EtcdMember[];
  /** Further faults of the store. */
  readonly faults: readonly Fault[];
  /** Why kinds of faults cannot be injected. */
  readonly hindrances: Readonly<Record<string, string>>;
  /**
   * @param server its number
   */
  link(server: number): Promise<Links>;
  stop(): Promise<unknown>;
}

/** Connects through a proxy for each member. */
export async function linkByProxies(members: readonly { readonly endpoint: string }[]): Promise<Links> {
  const started = members.map(({ endpoint }) => {
    const { port, hostname } = new URL(endpoint);
    return startCuttingProxy(Number(port), () => Infinity, hostname);
  });
  const proxies = await Promise.all(started);
  return { proxies, etcdServers: proxies.map(({ port }) => `http://127.0.0.1:${port}`).join(',') };
}

/** Starts the servers. The store is stopped with them, and if they cannot be started. */
export async function startOn(store: EtcdStore, { dist }: SystemOptions, workers = 1): Promise<Servers> {
  const ends: (() => Promise<unknown>)[] = [() => store.stop()];
  const remove = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const started = Array.from({ length: SERVERS }, async (_, at) => {
      const { proxies, etcdServers, host } = await store.link(at);
      ends.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
      const clock = fakeClock();
      const flags = workers === 1 ? [] : [`--workers=${workers}`];
      const server = await startServer({ dist, etcdServers, host, flags, env: clock.env });
      ends.push(() => server.remove().finally(() => clock.remove()));
      return { proxies, server, clock };
    });
    const all = await Promise.all(started);
    const proxies = all.flatMap((one) => one.proxies);
    const servers = all.map(({ server }) => server);
    const noClock = clockHindrance();
    const faults = [
      ...serverFaults(servers),
      ...(workers === 1 ? [] : servers.flatMap(workerFaults)),
      ...etcdFaults(store.members),
      ...store.faults,
      ...(proxies.length > 0 ? networkFaults(proxies) : []),
      ...(noClock === undefined ? [clockFault(all.map(({ clock }) => clock))] : []),
    ];
    const leftOut = leftOutFor({ ...store.hindrances, 'clock jump': noClock });
    return { name: store.name, servers, faults, remove, leftOut };
  } catch (error) {
    await remove();
    throw error;
  }
}
