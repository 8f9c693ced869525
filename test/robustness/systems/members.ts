/** Two servers on an etcd of three members, in network namespaces; without support for these, behind proxies. */
import { makeNetwork, type TestNetwork } from '../../fixtures/servers/testnetwork.js';
import { startEtcdMembers } from '../../fixtures/stores/etcdmembers.js';
import { memberFaults } from '../faults/etcd.js';
import { PARTITION_KINDS, partitionFaults } from '../faults/partitions.js';
import { behindNetwork } from './clientnetwork.js';
import { linkByProxies, SERVERS, startOn } from './onetcd.js';
import type { StartSystem, System, SystemOptions } from './system.js';

const NAME = 'members';
const MEMBERS = 3;

export const startOnMembers: StartSystem = async (options) => {
  const network = makeNetwork(MEMBERS + SERVERS);
  if ('hindrance' in network) return startBehindProxies(network.hindrance, options);
  try {
    return await startInNetwork(network, options);
  } catch (error) {
    network.remove();
    throw error;
  }
};

/** Servers connect directly to the members, and clients directly to the servers. */
async function startInNetwork(network: TestNetwork, options: SystemOptions): Promise<System> {
  const [members, hosts] = [network.hosts.slice(0, MEMBERS), network.hosts.slice(MEMBERS)];
  const etcd = await startEtcdMembers(MEMBERS, members);
  const etcdServers = etcd.members.map(({ endpoint }) => endpoint).join(',');
  const store = {
    name: NAME,
    members: etcd.members,
    hindrances: {},
    faults: [...memberFaults(etcd), ...partitionFaults({ network, members, servers: hosts })],
    link: (server: number) => Promise.resolve({ etcdServers, host: hosts[server], proxies: [] }),
    stop: () => etcd.stop().finally(network.remove),
  };
  const started = await startOn(store, options);
  return { ...started, urls: started.servers.map(({ url }) => url) };
}

/** Connections between members, from servers to members, and from clients to servers can be cut. */
function startBehindProxies(hindrance: string, options: SystemOptions): Promise<System> {
  return behindNetwork(async () => {
    const etcd = await startEtcdMembers(MEMBERS);
    const store = {
      name: NAME,
      members: etcd.members,
      faults: memberFaults(etcd),
      hindrances: { [PARTITION_KINDS.join(', ')]: hindrance },
      link: () => linkByProxies(etcd.members),
      stop: () => etcd.stop(),
    };
    return startOn(store, options);
  })(options);
}
