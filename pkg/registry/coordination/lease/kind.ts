import { Lease } from '../../../../api/coordination.k8s.io/v1/lease.js';
import type { StoredKind } from '../../registry.js';
import { leaseStrategy } from './strategy.js';

export const kind: StoredKind<typeof Lease> = { definition: Lease, strategy: leaseStrategy };
