import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { Registration } from '../../registry.js';
import { withAccess } from '../access/withaccess.js';
import { virtualClusterInstanceStrategy } from './strategy.js';

export const kind: Registration = {
  definition: VirtualClusterInstance,
  strategy: withAccess(VirtualClusterInstance, virtualClusterInstanceStrategy),
};
