import { Lease } from '../../../../api/coordination.k8s.io/v1/lease.js';
import type { Registration } from '../../registry.js';
import { leaseStrategy } from './strategy.js';

export const kind: Registration = { definition: Lease, strategy: leaseStrategy };
