import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { StoredKind } from '../../registry/registry.js';
import { withAccess } from '../sharing/withaccess.js';
import { clusterStrategy } from './strategy.js';

export const kind: StoredKind<typeof Cluster> = {
  definition: Cluster,
  strategy: withAccess(Cluster, clusterStrategy),
};
