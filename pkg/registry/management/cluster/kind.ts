import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { StoredKind } from '../../registry.js';
import { withAccess } from '../access/withaccess.js';
import { clusterStrategy } from './strategy.js';

export const kind: StoredKind<typeof Cluster> = {
  definition: Cluster,
  strategy: withAccess(Cluster, clusterStrategy),
};
