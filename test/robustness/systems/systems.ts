/** The systems by the engine that their store has. */
import { behindNetwork } from './clientnetwork.js';
import { startEmbedded } from './embedded.js';
import { startOnEtcd, startOnMembers } from './etcd.js';
import type { StartSystem } from './system.js';

export type EngineName = 'embedded' | 'etcd' | 'members';

export const SYSTEMS: Readonly<Record<EngineName, StartSystem>> = {
  embedded: behindNetwork(startEmbedded),
  etcd: behindNetwork(startOnEtcd),
  members: behindNetwork(startOnMembers),
};
