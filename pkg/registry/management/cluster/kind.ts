import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { Registration } from '../../registry.js';
import { clusterStrategy } from './strategy.js';

export const kind: Registration = { definition: Cluster, strategy: clusterStrategy };
