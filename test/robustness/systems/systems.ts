/** The systems, by the engine of their store. */
import { behindNetwork } from './clientnetwork.js';
import { startEmbedded } from './embedded.js';
import { startOnEtcd, startWorkersOnEtcd } from './etcd.js';
import { startOnMembers } from './members.js';
import type { StartSystem } from './system.js';
import { startWorkers } from './workers.js';

export type EngineName = 'embedded' | 'etcd' | 'members' | 'workers' | 'etcd-workers';

export const SYSTEMS: Readonly<Record<EngineName, StartSystem>> = {
  embedded: behindNetwork(startEmbedded),
  etcd: behindNetwork(startOnEtcd),
  members: startOnMembers,
  workers: behindNetwork(startWorkers),
  'etcd-workers': behindNetwork(startWorkersOnEtcd),
};
