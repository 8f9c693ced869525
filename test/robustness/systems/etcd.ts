/** Two servers on one etcd. */
import { startEtcd } from '../../fixtures/stores/etcd.js';
import { linkByProxies, startOn, type EtcdStore } from './onetcd.js';
import type { StartServers } from './system.js';

const WORKERS = 2;

export const startOnEtcd: StartServers = async (options) => startOn(await oneEtcd(), options);

/** Each server has several worker processes. */
export const startWorkersOnEtcd: StartServers = async (options) => startOn(await oneEtcd(), options, WORKERS);

async function oneEtcd(): Promise<EtcdStore> {
  const etcd = await startEtcd();
  const link: EtcdStore['link'] = () => linkByProxies([etcd]);
  return { name: 'etcd', members: [etcd], faults: [], hindrances: {}, link, stop: () => etcd.stop() };
}
